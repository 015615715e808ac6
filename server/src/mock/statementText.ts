// Texts of statements as they are compared: neither case nor white space counts, nor what ends them.
export function foldedText(sql: string): string {
  return sql.trim().replace(/\s+/gu, " ").replace(/\s*;$/u, "").toLowerCase();
}

// Recognition of textual histories by their first lines, used by the editor and the file reader.

export type TextFormatName = "text" | "dbcop-json" | "dbcop-hist" | "awdit" | "elle" | "json";

/** The format of a text by its start; undefined if it is no history. */
export function recogniseText(start: string): TextFormatName | undefined {
  const text = start.replace(/^(?:[\s,]|;[^\n]*(?:\n|$))+/u, "");
  if (/^[rw]\s*\(\s*-?\d/u.test(text)) return "text";
  if (/^(?:[rw]\s+-?\d|-{4,}|={4,})/u.test(text)) return "awdit";
  if (EDN_MAP.test(text)) return "elle";
  if (/^\[\s*(?:\[|\]\s*$)/u.test(text)) return "dbcop-json";
  if (/^\{\s*"/u.test(text)) return jsonShape(text);
  const transactions = text.replace(/^(?:\s|\/\/[^\n]*(?:\n|$)|-+\s*\n)+/u, "");
  return /^\[\s*(?:\w+\s*(?::=|==)|\])/u.test(transactions) ? "dbcop-hist" : undefined;
}

/** True if the editor should offer to check a document: stricter than the reader, since nobody asked. */
export function looksLikeHistory(start: string): boolean {
  const format = recogniseText(start);
  switch (format) {
    case undefined:
      return false;
    case "awdit":
      return /^[rw]\s+-?\d+\s+-?\d+\s*$/mu.test(start);
    case "elle":
      return /:type\s+:(?:invoke|ok|fail|info)\b/u.test(start);
    case "dbcop-json":
      return /"events"\s*:/u.test(start);
    case "text":
    case "dbcop-hist":
    case "json":
      return true;
  }
}

/** A map, possibly in a list or tagged, whose first key is a keyword. */
const EDN_MAP = /^(?:[[(]\s*)?(?:#[\w./-]+\s*)?\{(?:[\s,]|;[^\n]*\n)*:/u;

/** The JSON format by the members of the first object; any other JSON is no history. */
function jsonShape(text: string): TextFormatName | undefined {
  if (text.includes('"isolens-history"') || /"ops"\s*:\s*\[/u.test(text)) return "json";
  if (/"events"\s*:\s*\[/u.test(text) || /"data"\s*:\s*\[\s*[[\]]/u.test(text)) return "dbcop-json";
  return undefined;
}

// How recorded histories that are text are told from other text, by their first lines. The editor asks it of documents,
// the reader of files.

export type TextFormatName = "text" | "dbcop-json" | "dbcop-hist" | "awdit" | "elle" | "json";

/** The format that a text begins in; undefined when it is no history. */
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

/** True if a document of an editor is offered to be checked: stricter than the reader, for nobody asked. */
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

/** A map, in a list or with a tag perhaps, whose first key is a keyword. */
const EDN_MAP = /^(?:[[(]\s*)?(?:#[\w./-]+\s*)?\{(?:[\s,]|;[^\n]*\n)*:/u;

/** The members of the first object tell whose JSON it is; any other JSON is no history. */
function jsonShape(text: string): TextFormatName | undefined {
  if (text.includes('"isolens-history"') || /"ops"\s*:\s*\[/u.test(text)) return "json";
  if (/"events"\s*:\s*\[/u.test(text) || /"data"\s*:\s*\[\s*[[\]]/u.test(text)) return "dbcop-json";
  return undefined;
}

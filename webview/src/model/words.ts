// Spelling of values and names on the page.
import type { StepCell } from "../../../server/src/protocol/report";
import { shownKey, shownText, type Value } from "../../../server/src/protocol/witness";

/** A value as SQL writes it. */
export function valueText(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${shownText(value).replaceAll("'", "''")}'`;
  return String(value);
}

/** "account[1]". */
export function rowText(cell: Pick<StepCell, "table" | "key">): string {
  return cell.key === "" ? cell.table : `${cell.table}[${shownKey(cell.key)}]`;
}

/** "account[1].balance", or the row alone for its existence and for keys without columns. */
export function cellText(cell: Pick<StepCell, "table" | "key" | "column">): string {
  return cell.column === "@" || cell.column === ""
    ? rowText(cell)
    : `${rowText(cell)}.${cell.column}`;
}

/** Labels with their common words once: "PostgreSQL REPEATABLE READ, SERIALIZABLE". */
export function labelsText(labels: readonly string[]): string {
  const [first, ...rest] = labels;
  if (first === undefined) return "";
  const product = first.slice(0, first.indexOf(" ") + 1);
  const shared = product !== "" && rest.every((label) => label.startsWith(product));
  return shared
    ? [first, ...rest.map((label) => label.slice(product.length))].join(", ")
    : labels.join(", ");
}

/** A text on one line, cut with an ellipsis. */
export function clip(text: string, length: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= length ? line : `${line.slice(0, Math.max(1, length - 1)).trimEnd()}\u2026`;
}

// Rows of a server's answer as plain data.
import type { Row, Value } from "../../protocol/witness";

/** A row by column. Numbers that clients return as strings, because of their length, become numbers again. */
export function plainRow(row: object): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]): [string, Value] => [column, plainValue(value)]),
  );
}

function plainValue(value: unknown): Value {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  const text =
    typeof value === "string"
      ? value
      : value instanceof Date
        ? value.toISOString()
        : JSON.stringify(value);
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

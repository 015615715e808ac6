// A separate statement that locks one row by its key.
import { identifierText } from "../../../program/identifier";
import type { Site, Workshop } from "../workshop";
import { addBefore } from "./addStatement";
import type { EditOutcome } from "./sourceForms";

/** Inserts `SELECT 1 FROM table WHERE key = value FOR UPDATE` before a statement; the value is a host language expression. */
export function lockRowBefore(
  workshop: Workshop,
  before: Site,
  table: string,
  key: string,
  value: string,
): EditOutcome {
  const quote = (name: string): string => nameText(workshop, name);
  return addBefore(workshop, before, {
    before: `SELECT 1 FROM ${quote(table)} WHERE ${quote(key)} = `,
    values: [value],
    after: " FOR UPDATE",
    isVoid: false,
  });
}

/** The name of a table or column, quoted for SQL if necessary. */
export function nameText({ dialect }: Pick<Workshop, "dialect">, name: string): string {
  return name
    .split(".")
    .map((part) => identifierText(part, dialect))
    .join(".");
}

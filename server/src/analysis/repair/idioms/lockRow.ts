// A statement of its own that locks one row by its key.
import { identifierText } from "../../../program/identifier";
import type { Site, Workshop } from "../workshop";
import { addBefore } from "./addStatement";
import type { EditOutcome } from "./sourceForms";

/** `SELECT 1 FROM table WHERE key = value FOR UPDATE` in front of a statement; the value is in the language around. */
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
    value,
    after: " FOR UPDATE",
    isVoid: false,
  });
}

/** The name of a table or a column as SQL has to write it. */
export function nameText({ dialect }: Pick<Workshop, "dialect">, name: string): string {
  return name
    .split(".")
    .map((part) => identifierText(part, dialect))
    .join(".");
}

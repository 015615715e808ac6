// A statement of its own that locks one row by its key.
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
  const quote = (name: string): string => quotedName(workshop, name);
  return addBefore(workshop, before, {
    before: `SELECT 1 FROM ${quote(table)} WHERE ${quote(key)} = `,
    value,
    after: " FOR UPDATE",
    isVoid: false,
  });
}

/** A name as SQL has to write it. */
function quotedName({ dialect }: Workshop, name: string): string {
  if (/^[a-z_][a-z0-9_]*$/u.test(name)) return name;
  return name
    .split(".")
    .map((part) => (dialect === "postgres" ? `"${part}"` : `\`${part}\``))
    .join(".");
}

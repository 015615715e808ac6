// Values of which the type says that they are texts.
import type { SqlValue } from "./value";

/** A text, or what stands for a number or truth value; empty for NULL and for what has no plain text. */
export function plainText(value: SqlValue | undefined): string {
  if (value === undefined || value === null || typeof value === "object") return "";
  return String(value);
}

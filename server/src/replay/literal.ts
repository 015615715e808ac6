// Values of a witness as SQL, and statements with values for their placeholders.
import type { LineIndex } from "../frontend/sql/text/lines";
import { preLex, withPlaceholders } from "../frontend/sql/text/preLex";
import type { Span } from "../frontend/sql/text/split";
import type { Value } from "../protocol/witness";

/** A literal whose type PostgreSQL infers from its place. */
export function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return value < 0 ? `(${String(value)})` : String(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  const quoted = value.replaceAll("'", "''");
  return value.includes("\\") ? `E'${quoted.replaceAll("\\", "\\\\")}'` : `'${quoted}'`;
}

/** A quoted SQL name. */
export function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A script's statement with values for its placeholders, or the name of a placeholder without one. */
export function bindText(
  lines: LineIndex,
  span: Span,
  anonymous: number,
  valueOf: (name: string) => Value | undefined,
):
  | { readonly ok: true; readonly sql: string; readonly anonymous: number }
  | { readonly ok: false; readonly missing: string } {
  const text = lines.written ?? lines.text;
  const { placeholders, edits } = preLex(lines, span.start, span.end, anonymous);
  const missing = placeholders.find(({ name }) => valueOf(name) === undefined);
  if (missing !== undefined) return { ok: false, missing: missing.name };
  const sql = withPlaceholders(text, span, edits, ({ name, use }) => {
    const value = valueOf(name) ?? null;
    return literal(use === "text" ? String(value) : value);
  });
  const questions = placeholders.filter(({ style }) => style === "question" || style === "percent");
  return { ok: true, sql, anonymous: anonymous + questions.length };
}

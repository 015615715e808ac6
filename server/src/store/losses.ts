// Losses outside of any one statement (an unread part, a call that is not followed) as reasons against a run: it passes over what really
// happens there.
import type { Program } from "../program/program";
import type { Taint } from "../program/precision";
import type { SourceRange } from "../protocol/source";

/**
 * The first loss of a transaction that leaves open what happens, and that does not stand behind all of these places of one file. Places in
 * other files (of a function that it calls) may run before or after it.
 */
export function lossBefore(
  program: Program,
  transaction: string,
  places: readonly SourceRange[],
): Taint | undefined {
  const taint = program.transactions.find(({ id }) => id === transaction)?.taint ?? [];
  return taint.find(
    ({ effect, source }) =>
      (effect === "approx" || effect === "opaque") &&
      !(source !== undefined && places.length > 0 && places.every((each) => isBehind(source, each))), // prettier-ignore
  );
}

function isBehind(one: SourceRange, other: SourceRange): boolean {
  const [{ start }, { start: before }] = [one.range, other.range];
  if (one.file !== other.file) return false;
  return start.line > before.line || (start.line === before.line && start.character > before.character); // prettier-ignore
}

// Losses outside of any one statement (an unread part, a call that is not followed) as reasons against a run: it passes over what really
// happens there.
import type { Program } from "../program/program";
import type { Taint } from "../program/precision";
import type { Statement } from "../program/statement";
import type { Position, SourceRange } from "../protocol/source";

/**
 * The first loss of a transaction that leaves open what happens, and that does not stand behind all of these statements in the
 * transaction's own text. What it calls stands elsewhere, wherever it runs: a statement there counts at its call, a loss there always; and
 * a statement that runs again may run behind what stands behind it.
 */
export function lossBefore(
  program: Program,
  transaction: string,
  statements: readonly Statement[],
  ran: readonly (Statement | undefined)[] = statements,
): Taint | undefined {
  const own = program.transactions.find(({ id }) => id === transaction);
  if (own === undefined) return undefined;
  const places = statements.map(({ source, through = [] }) =>
    [...through.map((call) => call.source), source].find((each) => isWithin(each, own.source)),
  );
  const isAgain = statements.some(({ id }) => ran.filter((each) => each?.id === id).length > 1);
  return own.taint.find(
    ({ effect, source }) =>
      (effect === "approx" || effect === "opaque") &&
      !(
        !isAgain &&
        source !== undefined &&
        isWithin(source, own.source) &&
        places.length > 0 &&
        places.every((each) => each !== undefined && isBehind(source, each))
      ),
  );
}

function isWithin(part: SourceRange, whole: SourceRange): boolean {
  if (part.file !== whole.file) return false;
  const { start, end } = whole.range;
  return !isEarlier(part.range.start, start) && !isEarlier(end, part.range.end);
}

function isBehind(one: SourceRange, other: SourceRange): boolean {
  return isEarlier(other.range.start, one.range.start);
}

function isEarlier(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}

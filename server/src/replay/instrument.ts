// A user's routine with gates: calls before the statements of a witness, where it can be stopped, and records of its queries' results. The
// rest of the text is unchanged, so the server runs the user's own control flow.
import type { Span } from "../frontend/sql/text/split";
import type { Position } from "../protocol/source";
import type { Gates } from "./gates";
import type { LiveRoutine, LiveStatement } from "./routines";

/** A routine to create on the server. */
export interface Instrumentation {
  readonly routine: LiveRoutine;
  readonly sql: string;
  /** The numbers of its gates, which are offsets in the file. */
  readonly gates: readonly number[];
  /** The gate before the statement at this position; undefined if there is none. */
  gateOf(place: Position): number | undefined;
  /** True if its statements begin or end transactions. */
  readonly isOwnTransaction: boolean;
}

/** The routine with gates before the statements at these positions and before its COMMITs. Linear in its text. */
export function instrument(
  routine: LiveRoutine,
  places: readonly Position[],
  gates: Pick<Gates, "call" | "note">,
): Instrumentation {
  const { lines, span, statements } = routine;
  const text = lines.written ?? lines.text;
  const gateOf = (place: Position): number | undefined =>
    statements.findLast(({ from, to }) => !isBefore(place, from) && isBefore(place, to))?.start;
  const ends = statements.filter(({ control }) => control === "end").map(({ start }) => start);
  const named = places.map(gateOf).filter((start) => start !== undefined);
  const gated = [...new Set([...named, ...ends])];
  const notes = statements.flatMap((each) => noteOf(each, text, span.end));
  const { bare } = routine;
  const isBlock = bare !== undefined && notes.length + gated.length > 0;
  const edits = [
    ...(isBlock
      ? [
          { at: bare, order: 0, sql: "BEGIN " },
          { at: endOf(text, span), order: 2, sql: "; END" },
        ]
      : []),
    ...notes.map(({ at, start, fills }) => ({ at, order: 0, sql: ` ${gates.note(start, fills)}` })),
    ...gated.map((at) => ({ at, order: 1, sql: `${gates.call(at)} ` })),
  ].sort((a, b) => a.at - b.at || a.order - b.order);
  let sql = "";
  let done = span.start;
  for (const edit of edits) {
    sql += text.slice(done, edit.at) + edit.sql;
    done = edit.at;
  }
  return {
    routine,
    sql: sql + text.slice(done, span.end),
    gates: gated,
    gateOf,
    isOwnTransaction: statements.some(({ control }) => control !== undefined),
  };
}

/** The end of a text without its semicolon. */
function endOf(text: string, { start, end }: Span): number {
  return start + text.slice(start, end).replace(/[\s;]+$/u, "").length;
}

interface Note {
  readonly at: number;
  readonly start: number;
  readonly fills: readonly string[];
}

/** Inserts a record after the semicolon of a statement that fills variables. */
function noteOf({ start, end, fills }: LiveStatement, text: string, last: number): readonly Note[] {
  const semicolon = text.indexOf(";", end);
  const isInside = semicolon >= 0 && semicolon < last;
  return fills.length > 0 && isInside ? [{ at: semicolon + 1, start, fills }] : [];
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}

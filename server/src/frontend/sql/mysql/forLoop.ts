// FOR of MariaDB: over numbers, the rows of a query, or a cursor.
import {
  endOf,
  isName,
  listUntil,
  peek,
  problem,
  spanOverCase,
  startOf,
  take,
  takeName,
  word,
  type Cursor,
} from "../routine/cursor";
import type { LoopOver } from "./tree";

/** The text between FOR and DO. */
export function takeFor(cursor: Cursor): LoopOver {
  const variable = takeName(cursor) ?? "";
  if (!take(cursor, "in")) problem(cursor, "IN is expected here");
  const reverse = take(cursor, "reverse");
  const start = startOf(cursor);
  if (word(cursor) === "(" && ["select", "with", "("].includes(word(cursor, 1))) {
    const query = spanOverCase(cursor, "do");
    const inner = { start: query.start + 1, end: Math.max(query.start + 1, query.end - 1) };
    return { kind: "query", record: variable, query: inner };
  }
  const dots = findDots(cursor);
  if (dots !== undefined) {
    const end = peek(cursor, dots - 1)?.end ?? start;
    cursor.at += dots + 1;
    take(cursor, ".");
    const after = endOf(cursor);
    // The second dot may have been tokenised as the start of the following number.
    const from = cursor.text[after] === "." ? after + 1 : after;
    const to = { ...spanOverCase(cursor, "do"), start: from };
    return { kind: "count", variable, from: { start, end }, to, reverse };
  }
  if (isName(peek(cursor)) && ["do", "("].includes(word(cursor, 1))) {
    const name = takeName(cursor) ?? "";
    const args = take(cursor, "(") ? listUntil(cursor, "closing") : [];
    take(cursor, ")");
    return { kind: "cursor", record: variable, cursor: name.toLowerCase(), args };
  }
  return { kind: "query", record: variable, query: spanOverCase(cursor, "do") };
}

/** The number of tokens before `..`, undefined if there is none before DO. */
function findDots(cursor: Cursor): number | undefined {
  for (let ahead = 0; ; ahead++) {
    const token = peek(cursor, ahead);
    if (token === undefined || token.word === ";" || token.word === "do") return undefined;
    if (token.word === "." && cursor.text[token.end] === ".") return ahead;
  }
}

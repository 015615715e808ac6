// `@isolens` comments: the user's annotations beside the SQL itself.
import { PRODUCT_LEVELS, findLevel } from "../../../isolation/levels";
import type { Note } from "../../../program/program";
import { rangeOf, type LineIndex } from "../text/lines";
import type { Span } from "../text/split";

export type AnnotationComment = Span &
  (
    | { readonly kind: "transaction"; readonly name: string }
    /** `-- name: X :one` of sqlc and its like: the name of the statement that follows. */
    | { readonly kind: "query"; readonly name: string }
    /** Several transactions that form a unit for the user: statements outside of BEGIN ... COMMIT commit at once. */
    | { readonly kind: "unit"; readonly name: string }
    /** `name` is the level's full name, or the user's text. */
    | { readonly kind: "level"; readonly name: string }
    /** Pairs of parameters that differ in every run. */
    | { readonly kind: "distinct"; readonly pairs: readonly (readonly [string, string])[] }
    | { readonly kind: "invariant"; readonly text: string }
    /** The place in an application of the following statement or transaction: `FILE:LINE`. */
    | { readonly kind: "at"; readonly place: string }
    /** The fewest and the most rows that the following statement read or changed in recorded runs. */
    | { readonly kind: "rows"; readonly least: number; readonly most: number }
    /** The transaction was learnt from recorded runs, with their number. */
    | { readonly kind: "learnt"; readonly text: string }
    /** The reason why the transaction is an approximation. */
    | { readonly kind: "over"; readonly reason: string }
  );

export interface Annotations {
  /** In text order. */
  readonly comments: readonly AnnotationComment[];
  readonly notes: readonly Note[];
}

/** Reads the annotations in these comments of a file. Linear in their text. */
export function readAnnotations(lines: LineIndex, comments: readonly Span[]): Annotations {
  const found: AnnotationComment[] = [];
  const notes: Note[] = [];
  for (const comment of comments) {
    const text = lines.text.slice(comment.start, comment.end);
    const query = QUERY.exec(text)?.[1];
    if (query !== undefined) found.push({ ...comment, kind: "query", name: query });
    if (!text.includes("@")) continue;
    for (const match of text.matchAll(LINE)) {
      const start = comment.start + match.index + (match[1] ?? "").length;
      const written = (match[2] ?? "").replace(/\s*\*\/$/, "").trimEnd();
      const read = readOne(written, start);
      if (read === undefined) continue;
      if (read.comment !== undefined) found.push(read.comment);
      if (read.problem !== undefined) {
        const source = rangeOf(lines, start, start + written.length);
        notes.push({ ...read.problem, source });
      }
    }
  }
  return { comments: found, notes };
}

// The name is the whole first line, without the marks that yesql and aiosql put behind it.
const QUERY =
  /^(?:--+|\/\*+)[ \t]*name:[ \t]*([A-Za-z_][\w-]*)[!?<^$#*]*(?:[ \t]+:[A-Za-z]+)?[ \t]*(?:\*\/|[\r\n]|$)/;

/** The name in `@isolens transaction`, else that of a query, if any. */
export function commentName(comments: readonly AnnotationComment[]): string | undefined {
  const named =
    comments.find(({ kind }) => kind === "transaction" || kind === "unit") ??
    comments.find(({ kind }) => kind === "query");
  return named && "name" in named ? named.name : undefined;
}

// One annotation per line; in a block comment a line may start with `*`.
const LINE = /^([ \t]*(?:(?:--+|\/\*+|\*|#|\/\/)[ \t]*)?)(@(?:isolens|transaction)\b[^\r\n]*)/gm;

type Problem = Omit<Note, "source">;

interface ReadOne {
  readonly comment?: AnnotationComment;
  readonly problem?: Problem;
}

function readOne(written: string, start: number): ReadOne | undefined {
  const span = { start, end: start + written.length };
  const [mark = ""] = /^@(?:transaction|isolens)\b[ \t:]*/.exec(written) ?? [];
  const [first = ""] = mark.startsWith("@isolens")
    ? (/^[\w-]*/.exec(written.slice(mark.length)) ?? [])
    : [];
  const word = mark.startsWith("@transaction") ? "transaction" : first.toLowerCase();
  const rest = written
    .slice(mark.length + first.length)
    .replace(/^[ \t]*:/, "")
    .trim();
  switch (word) {
    case "transaction":
      return rest === ""
        ? { problem: missing("transaction", "a name") }
        : { comment: { ...span, kind: "transaction", name: unquote(rest) } };
    case "unit":
      return rest === ""
        ? { problem: missing("unit", "a name") }
        : { comment: { ...span, kind: "unit", name: unquote(rest) } };
    case "level":
      return readLevel(rest, span);
    case "distinct":
      return readDistinct(rest, span);
    case "invariant":
      return rest === ""
        ? { problem: missing("invariant", "a condition, as account.balance >= 0") }
        : { comment: { ...span, kind: "invariant", text: rest } };
    case "at":
      return rest === ""
        ? { problem: missing("at", "a place, as app/orders.py:12") }
        : { comment: { ...span, kind: "at", place: rest } };
    case "rows":
      return readRows(rest, span);
    case "learnt":
      return rest === ""
        ? { problem: missing("learnt", "a number of runs, as 12 runs") }
        : { comment: { ...span, kind: "learnt", text: rest } };
    case "over":
      return rest === ""
        ? { problem: missing("over", "a reason") }
        : { comment: { ...span, kind: "over", reason: rest } };
    case "ignore":
    case "ignore-file":
      // Suppressions may be anywhere, in code of any language: see suppressions.ts.
      return {};
    case "dialect":
      // Read before the text is split into statements.
      return {};
    default:
      return { problem: unknownWord(word) };
  }
}

function readLevel(rest: string, span: Span): ReadOne {
  const written = unquote(rest.replace(/\s+--.*$/, ""));
  if (written === "") return { problem: missing("level", "the name of a level") };
  const level = findLevel(written);
  const comment = { ...span, kind: "level" as const, name: level?.name ?? written };
  // SQL's own words name a level of the checked product.
  const ofProduct = PRODUCT_LEVELS.some(({ product }) => findLevel(`${product}:${written}`));
  if (level !== undefined || ofProduct) return { comment };
  const message = `There is no isolation level "${written}".`;
  return { comment, problem: { severity: "warning", code: "unknown-level", message } };
}

/** `1`, `1 to 10`. */
function readRows(rest: string, span: Span): ReadOne {
  const [, least, most = least] = /^(\d{1,9})(?: to (\d{1,9}))?$/.exec(rest) ?? [];
  return least === undefined
    ? { problem: missing("rows", "a number, as 1 or 1 to 10") }
    : { comment: { ...span, kind: "rows", least: Number(least), most: Number(most) } };
}

/** `a, b, c`, `a <> b`, `a != b and c <> d`; a name may be prefixed by its transaction. */
function readDistinct(rest: string, span: Span): ReadOne {
  const pairs: (readonly [string, string])[] = [];
  for (const part of rest.split(/\band\b|;/i)) {
    const names = part
      .split(/<>|!=|,/)
      .map((name) =>
        name
          .trim()
          .replace(/^[:@$]/, "")
          .replace(/^.*\./, ""),
      )
      .filter((name) => name !== "");
    names.forEach((left, at) => {
      for (const right of names.slice(at + 1)) pairs.push([left, right]);
    });
  }
  return pairs.length === 0
    ? { problem: missing("distinct", "two parameters") }
    : { comment: { ...span, kind: "distinct", pairs } };
}

function missing(word: string, what: string): Problem {
  const message = `@isolens ${word} needs ${what}.`;
  return { severity: "warning", code: "annotation-incomplete", message };
}

const WORDS = [
  ...["transaction", "unit", "level", "distinct", "invariant", "ignore", "ignore-file"],
  ...["at", "rows", "learnt", "over"],
];

function unknownWord(word: string): Problem {
  const near = nearestName(word, WORDS);
  const hint = near === undefined ? `It may be ${WORDS.join(", ")}.` : `Did you mean "${near}"?`;
  const message = `"@isolens ${word}" is not known. ${hint}`;
  return { severity: "warning", code: "annotation-unknown", message };
}

function unquote(text: string): string {
  return /^(["'`]).*\1$/.test(text) ? text.slice(1, -1) : text;
}

/** The candidate with the smallest edit distance, if that is small for the word's length. */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 2));
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance <= least && (best === undefined || distance < least)) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const same = left[at - 1] === right[to - 1] ? 0 : 1;
      const change = (row[to - 1] ?? 0) + same;
      next.push(Math.min(change, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

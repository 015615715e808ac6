// Loops and lists: runs that differ in the number of rounds of a loop, or of items in a list, are one path, which has one
// round and one item, as loops of code that is read are followed. That there are more is told as a doubt.
import type { RecordedStatement, RowRange } from "../statements";
import type { Path } from "./knowns";
import type { Doubt } from "./program";
import { rowRange } from "./rowRanges";

export interface FoldedPaths {
  readonly paths: readonly Path[];
  readonly doubts: readonly Doubt[];
}

/** The paths with one round of each loop and one item of each list. The same paths give the same result. */
export function foldRepetition(paths: readonly Path[]): FoldedPaths {
  const lists = withoutLists(paths);
  let current = lists.paths;
  const doubts = [...lists.doubts];
  // Loops in loops show when the inner ones are folded.
  for (let depth = 0; depth < DEEPEST; depth++) {
    const loops = loopsOf(current);
    if (loops.length === 0) break;
    doubts.push(...loops.map(loopDoubt));
    current = current.map((path) => withoutRounds(path, loops));
  }
  return { paths: current, doubts };
}

const DEEPEST = 3;

const IN_LIST = /\bin ?\( ?\$\d+(?: ?, ?\$\d+)+ ?\)/gi;
const VALUES_LIST = /(\bvalues ?)(\([^()]*\))((?: ?, ?\([^()]*\))+)/gi;

/** A text with one item in each of its lists. */
function shortText(text: string): string {
  return text
    .replace(IN_LIST, (list) => list.replace(/ ?, ?\$\d+/g, ""))
    .replace(VALUES_LIST, (whole, head: string, first: string, rest: string) => {
      const shape = shapeOf(first);
      const isList = [...rest.matchAll(/\([^()]*\)/g)].every(([each]) => shapeOf(each) === shape);
      return isList ? head + first : whole;
    });
}

/** The same for texts that differ in the lengths of their lists alone. */
export function listKey(text: string): string {
  return shapeOf(shortText(text));
}

function shapeOf(text: string): string {
  return text.replace(/\$\d+/g, "$").replace(/ /g, "");
}

/** The text without its numbers of holes. */
function keyOf({ text, kind, level }: RecordedStatement): string {
  return `${kind} ${level ?? ""} ${text.replace(/\$\d+/g, "$")}`;
}

function withoutLists(paths: readonly Path[]): FoldedPaths {
  const texts = new Map<string, Set<string>>();
  const short = new Map<string, string>();
  for (const path of paths)
    for (const { text } of path) {
      const own = short.get(text) ?? shortText(text);
      short.set(text, own);
      const key = shapeOf(own);
      texts.set(key, (texts.get(key) ?? new Set<string>()).add(text));
    }
  const doubts: Doubt[] = [];
  for (const same of texts.values()) {
    if (same.size < 2) continue;
    const items = [...same].map((text) => holesIn(text) - holesIn(short.get(text) ?? text));
    const [few, most] = [Math.min(...items), Math.max(...items)];
    if (most === 0) continue;
    const lengths = most > few ? "differed in length between runs" : "had several items";
    doubts.push(`a list of ${verbOf([...same][0] ?? "")} ${lengths}; one item is followed`);
  }
  const isList = (text: string): boolean => {
    const own = short.get(text) ?? text;
    return own !== text && (texts.get(shapeOf(own))?.size ?? 0) > 1;
  };
  return {
    paths: paths.map((path) =>
      path.map((each) => (isList(each.text) ? withText(each, short.get(each.text) ?? "") : each)),
    ),
    doubts,
  };
}

function holesIn(text: string): number {
  return [...text.matchAll(/\$\d+/g)].length;
}

/** The statement with some of its holes, numbered anew. */
function withText(statement: RecordedStatement, text: string): RecordedStatement {
  const kept = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1);
  let at = 0;
  return {
    ...statement,
    text: text.replace(/\$\d+/g, () => `$${String(++at)}`),
    arguments: kept.map((index) => statement.arguments[index] ?? null),
    forms: kept.map((index) => statement.forms[index] ?? "parameter"),
  };
}

interface Loop {
  readonly keys: readonly string[];
  /** Its first statement in words for people. */
  readonly what: string;
  readonly rounds: Set<number>;
  /** A round for each row of a result. */
  readonly isOfRows: boolean;
}

/** Statements of a round. */
const LONGEST = 20;

/** Statements that somebody wrote one after another are not as many times the same. */
const MANY = 4;

/** Segments that runs repeat, in differing numbers of rounds or in many. */
function loopsOf(paths: readonly Path[]): readonly Loop[] {
  const found = new Map<string, Loop>();
  for (const path of paths) {
    const keys = path.map(keyOf);
    for (let at = 0; at < keys.length;) {
      const length = periodAt(keys, at);
      const rounds = roundsAt(keys, at, keys.slice(at, at + length));
      const isOfRows = followsRows(path, at, length, rounds);
      if (isOfRows || (length > 0 && rounds > 2)) {
        const own = keys.slice(at, at + length);
        const what = verbOf(path[at]?.text ?? "");
        const before = found.get(own.join("\n"));
        if (before === undefined || (isOfRows && !before.isOfRows))
          found.set(own.join("\n"), { keys: own, what, rounds: new Set(), isOfRows });
      }
      at += Math.max(1, length * rounds);
    }
  }
  const loops = [...found.values()];
  for (const path of paths) eachLoop(path, loops, (loop, rounds) => loop?.rounds.add(rounds));
  return loops.filter(({ rounds }) => rounds.size > 1 || Math.min(...rounds) >= MANY);
}

/** The shortest segment at a place that comes again at once; 0 for none. */
function periodAt(keys: readonly string[], at: number): number {
  for (let length = 1; length <= LONGEST && at + 2 * length <= keys.length; length++)
    if (roundsAt(keys, at, keys.slice(at, at + length)) > 1) return length;
  return 0;
}

function roundsAt(keys: readonly string[], at: number, segment: readonly string[]): number {
  if (segment.length === 0) return 0;
  let rounds = 0;
  while (segment.every((key, index) => keys[at + rounds * segment.length + index] === key))
    rounds++;
  return rounds;
}

/** True if each round has an argument of its own row of a result before: one round for each row. */
function followsRows(path: Path, at: number, length: number, rounds: number): boolean {
  if (rounds < 2) return false;
  const inRound = (round: number): readonly RecordedStatement[] =>
    path.slice(at + round * length, at + (round + 1) * length);
  return path.slice(0, at).some(({ rows, count, columns }) => {
    if (count !== rounds) return false;
    return columns.some((_, column) =>
      rows.slice(0, rounds).every((row, round) => {
        const value = row[column];
        return (
          typeof value === "string" &&
          inRound(round).some(({ arguments: given }) => given.includes(value))
        );
      }),
    );
  });
}

/** Calls with each loop of a path and its rounds, and with each other statement. */
function eachLoop(
  path: Path,
  loops: readonly Loop[],
  take: (loop: Loop | undefined, rounds: number, at: number) => void,
): void {
  const keys = path.map(keyOf);
  for (let at = 0; at < keys.length;) {
    const loop = loops.find(({ keys: own }) => roundsAt(keys, at, own) > 0);
    const rounds = loop === undefined ? 1 : roundsAt(keys, at, loop.keys);
    take(loop, rounds, at);
    at += (loop?.keys.length ?? 1) * rounds;
  }
}

function withoutRounds(path: Path, loops: readonly Loop[]): Path {
  const kept: RecordedStatement[] = [];
  eachLoop(path, loops, (loop, rounds, at) => {
    const length = loop?.keys.length ?? 1;
    // A script has of a result its first row; of attempts, the last one came to an end.
    const from = loop === undefined || loop.isOfRows ? at : at + (rounds - 1) * length;
    for (const [index, each] of path.slice(from, from + length).entries())
      kept.push(
        rounds > 1 ? { ...each, inRounds: rangeIn(path, at + index, length, rounds) } : each,
      );
  });
  return kept;
}

/** The numbers of rows of a statement in all rounds of a loop. */
function rangeIn(path: Path, at: number, length: number, rounds: number): RowRange {
  return rowRange(
    Array.from({ length: rounds }, (_, round) => path[at + round * length]).flatMap(
      (each) => each ?? [],
    ),
  );
}

function loopDoubt({ what, rounds }: Loop): Doubt {
  const [few, most] = [Math.min(...rounds), Math.max(...rounds)];
  const number = few === most ? String(few) : `${String(few)} to ${String(most)}`;
  return `a loop from ${what} on had ${number} rounds in the runs; one round is followed`;
}

/** The first words of a statement: `update account`. */
function verbOf(text: string): string {
  const [, verb = "", table = ""] =
    /^(\w+)\b(?:(?:.*?\b(?:from|into)\b| )\s*["`]?([\w.]*))?/i.exec(text) ?? [];
  return `"${`${verb.toLowerCase()} ${table}`.trim()}"`;
}

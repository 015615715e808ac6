// Serializability for any number of transactions by shortest paths, after Nagar and Jagannathan (CONCUR 2018, section
// 5.2): a shortest cycle has no chords, so that where no path of k dependencies is without chords, and no cycle of up to
// k transactions exists, there is no cycle. A chord is told from its two instances alone (dependencies.ts), so that
// others in between can neither make nor hide one. Sequences of few transactions are asked about one by one, which finds a
// path that does not end soon; all others by one question for each length, in which the transactions are symbolic.
import { neededNames } from "./asker";
import type { Asker } from "./asker";
import { chainOf } from "./chains";
import type { Chain, ChainSession, Step } from "./chains";
import { apartLiteral, dependsLiteral, encodeQuestion } from "./question";
import type { Setting } from "./setting";
import { encodeTyped, typeLiteral } from "./typedQuestion";

export type ShortestPath =
  | { readonly kind: "proved"; readonly length: number; readonly assumed: ReadonlySet<string> }
  /** A path without chords that is as long as was looked for, or a cycle. */
  | { readonly kind: "failed"; readonly chain: Chain }
  /** Too many sequences of transactions. */
  | { readonly kind: "gaveUp" };

export interface PathLimits {
  /** Dependencies on a path, at the most. */
  readonly longest: number;
  /** Sequences of transactions that are asked about one by one. */
  readonly sequences: number;
  /** Operations of all transactions together, at the most, where they are symbolic. */
  readonly operations: number;
}

/** Runs the scheme over these transactions: sequences one by one, and symbolically where these are too many. */
export function proveByShortestPaths(
  asker: Asker,
  setting: Setting,
  transactions: readonly number[],
  limits: PathLimits,
): ShortestPath {
  const operations = transactions.flatMap((at) => setting.flat.transactions[at]?.operations ?? []);
  const isLarge = operations.length > limits.operations;
  const listed = proveBySequences(asker, setting, transactions, limits);
  if (listed.kind !== "gaveUp" || setting.levels.family === "mixed" || isLarge) return listed;
  return proveBySymbols(asker, setting, transactions, limits);
}

/**
 * The same by two questions for each length, about a path and about a cycle, whatever transactions they are of. At one level
 * for all.
 */
export function proveBySymbols(
  asker: Asker,
  setting: Setting,
  transactions: readonly number[],
  { longest }: Pick<PathLimits, "longest">,
): ShortestPath {
  const assumed = new Set<string>();
  const ask = (places: number, closed: boolean): Chain | undefined =>
    symbolicChain(asker, setting, transactions, { places, closed, assumed });
  for (let length = 1; length <= longest; length += 1) {
    const cycle = length > 1 ? ask(length, true) : undefined;
    if (cycle) return { kind: "failed", chain: cycle };
    const path = ask(length + 1, false);
    if (!path) return { kind: "proved", length, assumed };
    if (path.unanswered !== undefined || length === longest) return { kind: "failed", chain: path };
  }
  return { kind: "gaveUp" };
}

/** The scheme by O(n^k) sequences, extended only where the shorter one has a model. */
export function proveBySequences(
  asker: Asker,
  setting: Setting,
  transactions: readonly number[],
  limits: Pick<PathLimits, "longest" | "sequences">,
): ShortestPath {
  const session: ChainSession = {
    setting,
    readersEarly: false,
    refuted: { pairs: 0, triples: 0 },
    assumed: new Set(),
  };
  let asked = 0;
  const ask = (members: readonly number[], closed: boolean): Chain | undefined => {
    asked += 1;
    return withoutChords(asker, session, members, closed);
  };
  const candidates: (readonly number[])[] = [];
  let shortest = 1;
  /** Depth first, so that a path that can go on is found soon. */
  const extend = (path: readonly number[]): ShortestPath | undefined => {
    for (const next of transactions) {
      if (asked >= limits.sequences) return { kind: "gaveUp" };
      const longer = [...path, next];
      const chain = ask(longer, false);
      if (!chain) continue;
      if (path.length >= limits.longest) return { kind: "failed", chain };
      candidates.push(longer);
      shortest = Math.max(shortest, longer.length);
      const end = extend(longer);
      if (end) return end;
    }
    return undefined;
  };
  for (const each of transactions) {
    const end = extend([each]);
    if (end) return end;
  }
  for (const path of candidates) {
    if (asked >= limits.sequences) return { kind: "gaveUp" };
    const cycle = ask(path, true);
    if (cycle) return { kind: "failed", chain: cycle };
  }
  return { kind: "proved", length: shortest, assumed: session.assumed };
}

/** A path, or a cycle, of these transactions in which only neighbours depend on each other, if there may be one. */
function withoutChords(
  asker: Asker,
  session: ChainSession,
  members: readonly number[],
  closed: boolean,
): Chain | undefined {
  const { steps, chords } = shapeOf(members.length, closed);
  const question = encodeQuestion(session.setting, members, [...steps, ...chords]);
  const opened = asker.open(question.text);
  try {
    const wanted = chords.map(([i, j]) => apartLiteral(i, j));
    return chainOf(session, { question, check: opened.ask, members, steps, wanted });
  } finally {
    opened.dispose();
  }
}

/** The dependencies of a path or a cycle of so many places, and all others that would make it shorter. */
function shapeOf(count: number, closed: boolean) {
  const places = Array.from({ length: count }, (_, at) => at);
  const steps = places.flatMap((at): Step[] => {
    const next = at + 1;
    if (next < count) return [[at, next]];
    return closed ? [[at, 0]] : [];
  });
  const isStep = (i: number, j: number): boolean => steps.some(([a, b]) => a === i && b === j);
  const chords = places.flatMap((i) =>
    places.filter((j) => j !== i && !isStep(i, j) && (closed || j > i)).map((j): Step => [i, j]),
  );
  return { places, steps, chords };
}

/** A path, or a cycle, without chords of any of these transactions, if there may be one. */
function symbolicChain(
  asker: Asker,
  setting: Setting,
  transactions: readonly number[],
  {
    places: count,
    closed,
    assumed,
  }: { readonly places: number; readonly closed: boolean; readonly assumed: Set<string> },
): Chain | undefined {
  const { places, steps, chords } = shapeOf(count, closed);
  const question = encodeTyped(setting, transactions, count, [...steps, ...chords]);
  // It stands for many sequences; more work than this is not waited for.
  const opened = asker.open(question.text, transactions.length);
  try {
    const literals = [
      ...question.levels,
      ...steps.map(([a, b]) => dependsLiteral(a, b)),
      ...chords.map(([a, b]) => apartLiteral(a, b)),
    ];
    const asked = [...literals, ...question.assumptions.map(({ literal }) => literal)];
    return opened.ask(asked, (answer): Chain | undefined => {
      if (answer.kind === "impossible") {
        for (const name of neededNames(opened.ask, literals, question.assumptions, answer.core))
          assumed.add(name);
        return undefined;
      }
      if (answer.kind === "unknown")
        return { members: [], edges: [], closed, unanswered: answer.reason };
      const model = answer.model();
      const members = places.flatMap((place) =>
        transactions.filter((_, type) => model.bool(typeLiteral(place, type))),
      );
      return { members, edges: [], closed };
    });
  } finally {
    opened.dispose();
  }
}

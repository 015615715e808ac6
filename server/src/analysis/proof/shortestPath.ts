// Serializability for any number of transactions by shortest paths, after Nagar and Jagannathan (CONCUR 2018, section
// 5.2): a shortest cycle has no chords, so that where no path of k dependencies is without chords, and no cycle of up to
// k transactions exists, there is no cycle. A chord is told from its two instances alone (dependencies.ts), so that
// others in between can neither make nor hide one.
import type { Asker } from "./asker";
import { chainOf } from "./chains";
import type { Chain, ChainSession, Step } from "./chains";
import { apartLiteral, encodeQuestion } from "./question";
import type { Setting } from "./setting";

export type ShortestPath =
  | { readonly kind: "proved"; readonly length: number; readonly assumed: ReadonlySet<string> }
  /** A path without chords that is as long as was looked for, or a cycle. */
  | { readonly kind: "failed"; readonly chain: Chain }
  /** Too many sequences of transactions. */
  | { readonly kind: "gaveUp" };

export interface PathLimits {
  /** Dependencies on a path, at the most. */
  readonly longest: number;
  /** Sequences of transactions that are asked about. */
  readonly sequences: number;
}

/** Runs the scheme over these transactions. O(n^k) sequences, extended only where the shorter one has a model. */
export function proveByShortestPaths(
  asker: Asker,
  setting: Setting,
  transactions: readonly number[],
  limits: PathLimits,
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
  const places = members.map((_, at) => at);
  const steps = places.flatMap((at): Step[] => {
    const next = at + 1;
    if (next < members.length) return [[at, next]];
    return closed ? [[at, 0]] : [];
  });
  const isStep = (i: number, j: number): boolean => steps.some(([a, b]) => a === i && b === j);
  const chords = places.flatMap((i) =>
    places.filter((j) => j !== i && !isStep(i, j) && (closed || j > i)).map((j): Step => [i, j]),
  );
  const question = encodeQuestion(session.setting, members, [...steps, ...chords]);
  const opened = asker.open(question.text);
  try {
    const wanted = chords.map(([i, j]) => apartLiteral(i, j));
    return chainOf(session, { question, check: opened.ask, members, steps, wanted });
  } finally {
    opened.dispose();
  }
}

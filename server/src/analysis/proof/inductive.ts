// Serializability for any number of transactions by induction along arbitration, after Nagar and Jagannathan (CONCUR
// 2018, section 5.3). On any cycle the transaction that is arbitrated first has two predecessors that come after it;
// where no such chain of three and no cycle of two exist, there is no cycle at all.
import type { Level } from "../../isolation/levels";
import type { StaticEdge } from "../encoding/relationalEdges";
import type { Asker } from "./asker";
import { READERS_EARLY, beforeLiteral, dependsLiteral, encodeQuestion } from "./question";
import type { OpenQuestion } from "./question";
import type { Setting } from "./setting";

/** A chain of dependencies that the proof cannot rule out; members are indexes of transactions. */
export interface Chain {
  readonly members: readonly number[];
  /** One dependency for each step, as the model has it. */
  readonly edges: readonly StaticEdge[];
  /** The last one depends on no more: it leads back to the first. */
  readonly closed: boolean;
  /** Why there is no model of it. */
  readonly unanswered?: string;
}

/** What pairs of transactions can do to each other at the levels at hand, whatever else runs. */
export interface PairTable {
  depends(from: number, to: number): boolean;
  /** The first depends on nothing less than that the second is arbitrated before it. */
  reverses(from: number, to: number): boolean;
}

export interface Induction {
  /**
   * Sets of transactions in the order in which they are put aside: whoever depends on one of them is arbitrated after
   * it, directly and over any path among those that are left.
   */
  readonly ordered: readonly (readonly number[])[];
  /** Transactions that are on no cycle with others and could not be put aside. */
  readonly obstacles: readonly Chain[];
  /** Transactions that may lie on a cycle, as far as this scheme can tell. */
  readonly open: readonly number[];
  /** How many chains of two and of three were refuted. */
  readonly refuted: { readonly pairs: number; readonly triples: number };
  readonly readersEarly: boolean;
  /** Names of assumptions that some refutation needed. */
  readonly assumed: ReadonlySet<string>;
}

/** More obstacles are not looked for: one is enough to stop, a few help to see why. */
const MOST_OBSTACLES = 6;

/** Runs the scheme; tries the stronger placement of readers where the plain order leaves obstacles. */
export function proveInductively(asker: Asker, setting: Setting): Induction {
  const plain = induct(asker, setting, false);
  if (plain.open.length === 0 || !setting.axioms.has("prefix")) return plain;
  const early = induct(asker, setting, true);
  return early.open.length === 0 || early.obstacles.length < plain.obstacles.length ? early : plain;
}

function induct(asker: Asker, setting: Setting, readersEarly: boolean): Induction {
  const session = createSession(asker, setting, readersEarly);
  const all = setting.flat.transactions.map((_, at) => at);
  const table = pairTable(session, all);
  const ordered: (readonly number[])[] = [];
  const obstacles: Chain[] = [];
  const open: number[] = [];
  for (const group of cyclicGroups(all, table)) {
    const found = obstaclesAmong(session, table, setting, group);
    if (found.length === 0) continue;
    obstacles.push(...found);
    open.push(...group);
  }
  // The sets are told for programs that are proved: they say who comes first and why the rest is easy.
  let left = all.filter((each) => !open.includes(each));
  for (;;) {
    const now = left;
    const connected = now.filter((a) =>
      now.some((b) => table.depends(a, b) || table.depends(b, a)),
    );
    if (connected.length === 0) break;
    const next = connected.filter((a) => now.every((b) => !table.reverses(a, b)));
    if (next.length === 0 || next.length === connected.length) {
      ordered.push(connected);
      break;
    }
    ordered.push(next);
    left = now.filter((each) => !next.includes(each));
  }
  return {
    ordered,
    obstacles,
    open: open.sort((a, b) => a - b),
    refuted: session.refuted,
    readersEarly,
    assumed: session.assumed,
  };
}

interface Session {
  readonly refuted: { pairs: number; triples: number };
  readonly assumed: Set<string>;
  /** The chain if it is possible, or not known to be impossible. */
  chain(
    members: readonly number[],
    steps: readonly (readonly [number, number])[],
    orders: readonly (readonly [number, number])[],
  ): Chain | undefined;
}

function createSession(asker: Asker, setting: Setting, readersEarly: boolean): Session {
  const refuted = { pairs: 0, triples: 0 };
  const assumed = new Set<string>();
  const pairQuestions = new Map<string, { question: OpenQuestion }>();
  const questionOf = (
    members: readonly number[],
    steps: readonly (readonly [number, number])[],
  ): OpenQuestion => {
    if (members.length > 2) return encodeQuestion(setting, members, steps);
    const key = members.join();
    const known = pairQuestions.get(key);
    if (known) return known.question;
    const question = encodeQuestion(setting, members, [
      [0, 1],
      [1, 0],
    ]);
    pairQuestions.set(key, { question });
    return question;
  };
  return {
    refuted,
    assumed,
    chain: (members, steps, orders) => {
      const question = questionOf(members, steps);
      const asked = [
        ...question.always,
        ...(readersEarly ? [READERS_EARLY] : []),
        ...steps.map(([a, b]) => dependsLiteral(a, b)),
        ...orders.map(([a, b]) => beforeLiteral(a, b)),
      ];
      return asker.ask(question.text, asked, (answer): Chain | undefined => {
        const closed = steps.length === members.length;
        if (answer.kind === "impossible") {
          if (members.length > 2) refuted.triples += 1;
          else refuted.pairs += 1;
          for (const { literal, name } of question.assumptions)
            if (answer.core.includes(literal)) assumed.add(name);
          return undefined;
        }
        if (answer.kind === "unknown")
          return { members, edges: [], closed, unanswered: answer.reason };
        const edges = steps.flatMap(([a, b]) => {
          const shown = question.selectors.filter(
            ({ name, edge }) =>
              edge.from.instance === a && edge.to.instance === b && answer.model.bool(name),
          );
          // The step against arbitration is the one to tell.
          const told = shown.find(({ edge }) => edge.dependency === "rw") ?? shown[0];
          return told ? [told.edge] : [];
        });
        return { members, edges, closed };
      });
    },
  };
}

function pairTable(session: Session, all: readonly number[]): PairTable {
  const cached = (ask: (a: number, b: number) => boolean) => {
    const known = new Map<string, boolean>();
    return (a: number, b: number): boolean => {
      const key = `${String(a)} ${String(b)}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const answer = ask(a, b);
      known.set(key, answer);
      return answer;
    };
  };
  const reverses = cached((a, b) => session.chain([a, b], [[0, 1]], [[1, 0]]) !== undefined);
  const depends = cached(
    (a, b) => reverses(a, b) || session.chain([a, b], [[0, 1]], [[0, 1]]) !== undefined,
  );
  void all;
  return { depends, reverses };
}

/** Transactions that lie on a cycle of the table, by strongly connected parts. */
function cyclicGroups(all: readonly number[], table: PairTable): readonly (readonly number[])[] {
  const reach = new Map<number, ReadonlySet<number>>();
  for (const start of all) {
    const seen = new Set<number>();
    const queue = [start];
    for (let at = queue.pop(); at !== undefined; at = queue.pop())
      for (const next of all)
        if (!seen.has(next) && table.depends(at, next)) {
          seen.add(next);
          queue.push(next);
        }
    reach.set(start, seen);
  }
  const grouped = new Set<number>();
  const groups: (readonly number[])[] = [];
  for (const each of all) {
    if (grouped.has(each) || reach.get(each)?.has(each) !== true) continue;
    const group = all.filter(
      (other) => reach.get(each)?.has(other) === true && reach.get(other)?.has(each) === true,
    );
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups;
}

function obstaclesAmong(
  session: Session,
  table: PairTable,
  setting: Setting,
  group: readonly number[],
): readonly Chain[] {
  const found: Chain[] = [];
  const reversing = group.flatMap((b) =>
    group.filter((c) => table.reverses(b, c)).map((c) => [b, c] as const),
  );
  // Two that depend on each other: the one that is arbitrated later depends on the earlier by missing a write of it.
  for (const [b, c] of reversing) {
    if (!table.depends(c, b)) continue;
    const chain = session.chain(
      [b, c],
      [
        [0, 1],
        [1, 0],
      ],
      [[1, 0]],
    );
    if (chain) found.push(chain);
    if (found.length >= MOST_OBSTACLES) return found;
  }
  const isSnapshot = setting.axioms.has("prefix") && setting.axioms.has("noConflict");
  for (const [b, c] of reversing)
    for (const a of group) {
      if (isSnapshot ? !table.reverses(a, b) : !table.depends(a, b)) continue;
      const chain = session.chain(
        [a, b, c],
        [
          [0, 1],
          [1, 2],
        ],
        [
          [2, 0],
          [2, 1],
        ],
      );
      if (chain) found.push(chain);
      if (found.length >= MOST_OBSTACLES) return found;
    }
  return found;
}

export type { Level };

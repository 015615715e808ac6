// Serializability for any number of transactions where statements see states of their own. Every dependency leaves a
// transaction at a moment before the one at which it comes to the next: with its commit, or with a read of something
// older. If each transaction on a cycle were left later than the one before it, time would run in a circle; so on every
// cycle one is left, by such a read, no later than the one before. Where no chain of three (and no cycle of two) can be
// like this, whatever else runs, there is no cycle.
import type { Levels } from "../../isolation/mixedLevels";
import { levelAt } from "../../isolation/mixedLevels";
import { staticEdges } from "../encoding/relational/edges";
import type { StaticEdge } from "../encoding/relational/edges";
import { writtenColumns } from "../encoding/relational/meeting";
import type { Instance } from "../encoding/relational/instances";
import type { FlatProgram } from "../operations/operation";
import { openInstances } from "./accesses";
import { neededNames } from "./asker";
import type { Answer, Asker } from "./asker";
import type { Chain } from "./chains";
import { readsOlder, viewsOf } from "./moments";
import type { Views } from "./moments";
import { openForm } from "./openForm";
import { encodeSplit } from "./splitQuestion";
import type { OpenSelector } from "./question";
import type { SplitQuestion, Statements } from "./splitQuestion";

interface Splits {
  readonly refuted: { readonly pairs: number; readonly triples: number };
  readonly assumed: ReadonlySet<string>;
  /** Chains that may be like this. */
  readonly obstacles: readonly Chain[];
}

/** The program as this scheme reads it; undefined at levels that it does not speak about. */
export function statementsOf(flat: FlatProgram, levels: Levels): Statements | undefined {
  const all = flat.transactions.map(({ id }) => viewsOf(levelAt(levels, id)));
  const views = all.flatMap((each): readonly Views[] =>
    each && !each.firstUpdaterWins ? [each] : [],
  );
  if (views.length < all.length) return undefined;
  const members = flat.transactions.map((_, at) => at);
  return { flat: openForm(flat), views, written: writtenColumns(flat, members) };
}

/** Asks about all chains of these groups, until so many are in the way, between which no dependencies lead back. O(n^3) questions for n transactions. */
export function proveBySplits(
  asker: Asker,
  statements: Statements,
  groups: readonly (readonly number[])[],
  without: ReadonlySet<string>,
  mostObstacles: number,
): Splits {
  const refuted = { pairs: 0, triples: 0 };
  const assumed = new Set<string>();
  const obstacles: Chain[] = [];
  const { flat, views } = statements;
  const instances = openInstances(
    flat,
    flat.transactions.map((_, at) => at),
  );
  const session: SplitSession = { asker, statements, without, refuted, assumed };
  for (const [first, middle, last] of chainsOf(groups, instances, flat, views)) {
    // Two that depend on each other are the shortest cycle.
    const pair = first === last ? splitChain(session, [first, middle]) : undefined;
    const chain = pair ?? splitChain(session, [first, middle, last]);
    if (chain) obstacles.push(chain);
    if (obstacles.length >= mostObstacles) break;
  }
  return { refuted, assumed, obstacles };
}

/** True if a chain that was in the way is possible in this program. */
export function mayBeSplit(
  asker: Asker,
  statements: Statements,
  members: readonly number[],
  without: ReadonlySet<string>,
): boolean {
  const refuted = { pairs: 0, triples: 0 };
  const session = { asker, statements, without, refuted, assumed: new Set<string>() };
  return splitChain(session, members) !== undefined;
}

interface SplitSession {
  readonly asker: Asker;
  readonly statements: Statements;
  readonly without: ReadonlySet<string>;
  readonly refuted: { pairs: number; triples: number };
  readonly assumed: Set<string>;
}

/** The chain if it is possible, or not known to be impossible. */
function splitChain(
  { asker, statements, without, refuted, assumed }: SplitSession,
  members: readonly number[],
): Chain | undefined {
  const question = encodeSplit(statements, members);
  const assumptions = question.assumptions.filter(({ name }) => !without.has(name));
  const opened = asker.open(question.text);
  try {
    return opened.ask(
      assumptions.map(({ literal }) => literal),
      (answer) => {
        if (answer.kind !== "impossible") return chainFrom(members, question, answer);
        if (members.length > 2) refuted.triples += 1;
        else refuted.pairs += 1;
        for (const name of neededNames(opened.ask, [], assumptions, answer.core)) assumed.add(name);
        return undefined;
      },
    );
  } finally {
    opened.dispose();
  }
}

/** Chains of which the last overwrites what the middle one may have read in an older version. */
function* chainsOf(
  groups: readonly (readonly number[])[],
  instances: readonly Instance[],
  flat: FlatProgram,
  views: readonly Views[],
): Iterable<readonly [number, number, number]> {
  const edges = (from: number, to: number): readonly StaticEdge[] => {
    const [one, other] = [instances[from], instances[to]];
    return one && other ? staticEdges(one, other) : [];
  };
  const isLeft = (middle: number, last: number): boolean => {
    const own = views[middle];
    const transaction = instances[middle]?.transaction;
    if (!own || !transaction) return false;
    return edges(middle, last).some(
      (edge) => edge.dependency === "rw" && readsOlder(flat, own, transaction, edge),
    );
  };
  for (const group of groups)
    for (const middle of group)
      for (const last of group) {
        if (!isLeft(middle, last)) continue;
        for (const first of group) if (edges(first, middle).length > 0) yield [first, middle, last];
      }
}

function chainFrom(
  members: readonly number[],
  { entering, leaving }: SplitQuestion,
  answer: Exclude<Answer, { readonly kind: "impossible" }>,
): Chain {
  const closed = members.length === 2;
  if (answer.kind === "unknown") return { members, edges: [], closed, unanswered: answer.reason };
  const model = answer.model();
  const shown = (selectors: readonly OpenSelector[]): readonly StaticEdge[] => {
    const found = selectors.find(({ name }) => model.bool(name));
    return found ? [found.edge] : [];
  };
  return { members, edges: [...shown(entering), ...shown(leaving)], closed };
}

// The test of the static dependency graph: whether the texts alone rule out the cycles that a level allows. Needs no
// solver. Follows Fekete et al. (TODS 2005) for snapshot isolation, where a transaction needs a dependency on a concurrent
// one on both sides, and Vandevoort et al. (PVLDB 2021) for databases whose writers lock: only what read something older
// leads against the order of commits, and on a cycle some transaction is left by such a read after which, in the order of
// its statements, the cycle came in (`moments.ts`).
import type { Level } from "../../isolation/levels";
import { levelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import { staticEdges } from "../encoding/relational/edges";
import type { StaticEdge } from "../encoding/relational/edges";
import { isPoint } from "../encoding/relational/instances";
import type { Instance, Site } from "../encoding/relational/instances";
import type { FlatProgram } from "../operations/operation";
import { isTrueLiteral } from "../operations/terms";
import { openInstances, uniqueKeyWrites } from "./accesses";
import type { Chain } from "./chains";
import { cyclicGroups } from "./cyclicGroups";
import { findSplit, readsOlder, viewsOf } from "./moments";
import type { Entry, Views } from "./moments";
import { takesGivenKey } from "./reusedKeys";
import { asPaper } from "./setting";

export interface GraphTest {
  readonly isSafe: boolean;
  /** The components in which a cycle is possible; transactions by index. */
  readonly open: readonly (readonly number[])[];
  /** Chains of three that may be part of a cycle if statements have their own snapshots: the last may commit first. */
  readonly chains: readonly Chain[];
}

interface Way extends Entry {
  readonly edge: StaticEdge;
}

/** Possible dependencies of a pair. */
interface PairEdges {
  readonly any: boolean;
  /** The condition that neither sees the other. */
  readonly concurrent: boolean;
  /** True if it may run against the order of commits, or of arbitration. */
  readonly backward: boolean;
  /** Dependencies by which the first may be left against the order of commits. */
  readonly leaving: readonly StaticEdge[];
  /** Dependencies by which the second is entered. */
  readonly entering: readonly Way[];
}

/** Tests a program at its levels. O(n^2) for n transactions, times the product of their accesses. */
export function testGraph(flat: FlatProgram, levels: Levels): GraphTest {
  const all = flat.transactions.map((_, at) => at);
  const own = flat.transactions.map(({ id }) => levelAt(levels, id));
  const rules = own.map(rulesOf);
  if (rules.some((each) => each === undefined)) return { isSafe: false, open: [all], chains: [] };
  const instances = openInstances(flat, all);
  const keepsSnapshots = rules.every((each) => each?.prefix === true && each.noConflict);
  const noConflict = rules.every((each) => each?.noConflict === true);
  const known = new Map<number, PairEdges>();
  const edges = (from: number, to: number): PairEdges => {
    const key = from * all.length + to;
    const before = known.get(key);
    if (before) return before;
    const made = pairEdges(flat, instances[from], instances[to], rules[from], noConflict);
    known.set(key, made);
    return made;
  };
  const groups = cyclicGroups(all, (from, to) => edges(from, to).any);
  const chains: Chain[] = [];
  const open = groups.filter((group) =>
    group.some((middle) => {
      const leaves = group.some((next) => edges(middle, next).backward);
      if (!leaves) return false;
      if (keepsSnapshots) return group.some((previous) => edges(previous, middle).concurrent);
      const views = rules[middle]?.views;
      if (views === undefined) return true;
      const chain = splitChain(flat, edges, group, middle, views);
      if (chain) chains.push(chain);
      return chain !== undefined;
    }),
  );
  return { isSafe: open.length === 0, open, chains };
}

/** A chain through a transaction that a cycle enters later than it leaves it, if there is one. */
function splitChain(
  flat: FlatProgram,
  edges: (from: number, to: number) => PairEdges,
  group: readonly number[],
  middle: number,
  views: Views,
): Chain | undefined {
  const transaction = flat.transactions[middle];
  if (!transaction) return undefined;
  const leaving = group.flatMap((next) =>
    edges(middle, next).leaving.map((edge) => ({ edge, next })),
  );
  const entering = group.flatMap((previous) =>
    edges(previous, middle).entering.map((way) => ({ ...way, previous })),
  );
  const reads = new Set(leaving.map(({ edge }) => edge.from.operation));
  const split = findSplit(flat, transaction, views, reads, entering);
  const left = leaving.find(({ edge }) => edge.from.operation === split?.read);
  if (!split || !left) return undefined;
  const { previous, edge } = split.entry;
  return { members: [previous, middle, left.next], edges: [edge, left.edge], closed: false };
}

/** The direction of a transaction's dependencies at a level. */
interface Rules {
  /** The views of lock-based databases: only a read older than another's commit points to that transaction. */
  readonly views?: Views;
  /** True if every dependency may run against arbitration. */
  readonly unordered: boolean;
  readonly noConflict: boolean;
  readonly prefix: boolean;
}

function rulesOf(level: Level): Rules | undefined {
  if (level.family === "paper") {
    const has = new Set(level.axioms);
    return {
      unordered: !has.has("atomicArbitration") || !has.has("atomicVisibility"),
      noConflict: has.has("noConflict") && has.has("repeatable"),
      prefix: has.has("prefix") && has.has("repeatable"),
    };
  }
  const views = viewsOf(level);
  if (views === undefined) return undefined;
  const isSnapshot = asPaper(level) !== undefined;
  return { views, unordered: false, noConflict: isSnapshot, prefix: isSnapshot };
}

function pairEdges(
  flat: FlatProgram,
  from: Instance | undefined,
  to: Instance | undefined,
  rules: Rules | undefined,
  noConflict: boolean,
): PairEdges {
  const none = { leaving: [], entering: [] };
  if (!from || !to || !rules) return { any: true, concurrent: true, backward: true, ...none };
  const edges = staticEdges(from, to);
  if (rules.unordered) {
    const any = edges.length > 0;
    return { any, concurrent: any, backward: any, ...none };
  }
  const missed = new Set(
    edges.filter(
      (edge) => edge.dependency === "rw" && !(noConflict && alsoWrites(flat, from, edge)),
    ),
  );
  const { views } = rules;
  const older = new Set(
    views === undefined
      ? missed
      : [...missed].filter((edge) => readsOlder(flat, views, from.transaction, edge)),
  );
  // Key checks look at the newest rows.
  const isUnseen = ({ from: giver, to: taker }: StaticEdge): boolean =>
    views !== undefined && takesGivenKey(flat, giver, taker);
  return {
    any: edges.length > 0,
    concurrent: missed.size > 0 || edges.some(isUnseen),
    backward: older.size > 0,
    leaving: [...older],
    entering: edges.map((edge) => ({
      edge,
      operation: edge.to.operation,
      overwrites: edge.dependency === "rw",
      older: older.has(edge),
    })),
  };
}

/**
 * True if the reader changes the row that it reads whenever it exists: then of it and a writer of the row one sees the other. An insertion
 * by the other is of a row that does not exist.
 */
function alsoWrites(flat: FlatProgram, reader: Instance, { from, to }: StaticEdge): boolean {
  if (insertsAlways(flat, from)) return true;
  if (to.operation.kind === "insert" || !isPoint(flat, from.operation)) return false;
  const key = JSON.stringify(from.operation.key);
  const guard = JSON.stringify(from.operation.guard);
  return reader.sites.some(({ operation }) => {
    const { kind, table, undone = [], caught = [] } = operation;
    if (kind !== "update" && kind !== "delete") return false;
    if (table !== from.operation.table || !isPoint(flat, operation)) return false;
    if (undone.length > 0 || caught.length > 0 || !isTrueLiteral(operation.where)) return false;
    const runs = isTrueLiteral(operation.guard) || JSON.stringify(operation.guard) === guard;
    return runs && JSON.stringify(operation.key) === key;
  });
}

/** True for an insertion whose failure aborts the transaction: it reads only the row that it writes. */
function insertsAlways(flat: FlatProgram, site: Site): boolean {
  const { kind, onDuplicate, undone = [], caught = [] } = site.operation;
  const isFinal = undone.length === 0 && caught.length === 0;
  const isAlone = uniqueKeyWrites(flat, site).length === 0;
  return kind === "insert" && onDuplicate === "error" && isFinal && isAlone;
}

// The test of the static dependency graph: whether the texts alone rule out the cycles that a level allows. Needs no
// solver. Follows Fekete et al. (TODS 2005) for snapshot isolation, where a transaction needs a dependency on a concurrent
// one on both sides, and Vandevoort et al. (PVLDB 2021) for statements with snapshots of their own, where only reads of
// a snapshot lead against the order of commits.
import type { Level } from "../../isolation/levels";
import { levelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import { staticEdges } from "../encoding/relationalEdges";
import type { StaticEdge } from "../encoding/relationalEdges";
import { EXISTENCE, isPoint } from "../encoding/relationalInstances";
import type { Instance, Site } from "../encoding/relationalInstances";
import type { FlatProgram } from "../operations/operation";
import { columnsIn, isTrueLiteral } from "../operations/terms";
import { openInstances, uniqueKeysWritten } from "./accesses";
import { cyclicGroups } from "./cyclicGroups";
import { asPaper } from "./setting";

export interface GraphTest {
  readonly isSafe: boolean;
  /** Parts of the graph in which some cycle may be; transactions by index. */
  readonly open: readonly (readonly number[])[];
}

/** What dependencies of a pair there may be. */
interface PairEdges {
  readonly any: boolean;
  /** Between transactions of which neither sees the other. */
  readonly concurrent: boolean;
  /** Against the order of commits, or of arbitration. */
  readonly backward: boolean;
}

/** Tests a program at its levels. O(n^2) for n transactions, times the product of their accesses. */
export function testGraph(flat: FlatProgram, levels: Levels): GraphTest {
  const all = flat.transactions.map((_, at) => at);
  const own = flat.transactions.map(({ id }) => levelAt(levels, id));
  const rules = own.map(rulesOf);
  if (rules.some((each) => each === undefined)) return { isSafe: false, open: [all] };
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
  const open = groups.filter((group) =>
    group.some((middle) => {
      const leaves = group.some((next) => edges(middle, next).backward);
      if (!leaves || !keepsSnapshots) return leaves;
      return group.some((previous) => edges(previous, middle).concurrent);
    }),
  );
  return { isSafe: open.length === 0, open };
}

/** How dependencies of a transaction at a level run. */
interface Rules {
  /** Locks and current rows count: only what a snapshot gave can be older than another's commit. */
  readonly locks: boolean;
  /** Every dependency may run against the order of arbitration. */
  readonly unordered: boolean;
  readonly noConflict: boolean;
  readonly prefix: boolean;
}

function rulesOf(level: Level): Rules | undefined {
  if (level.family === "paper") {
    const has = new Set(level.axioms);
    return {
      locks: false,
      unordered: !has.has("atomicArbitration") || !has.has("atomicVisibility"),
      noConflict: has.has("noConflict") && has.has("repeatable"),
      prefix: has.has("prefix") && has.has("repeatable"),
    };
  }
  // Elsewhere plain reads and changes of one transaction see different states, or what is not committed.
  if (level.plainRead !== "snapshot" || level.candidates !== "snapshot") return undefined;
  if (level.conflict === "none") return undefined;
  const isSnapshot = asPaper(level) !== undefined;
  return { locks: true, unordered: false, noConflict: isSnapshot, prefix: isSnapshot };
}

function pairEdges(
  flat: FlatProgram,
  from: Instance | undefined,
  to: Instance | undefined,
  rules: Rules | undefined,
  noConflict: boolean,
): PairEdges {
  if (!from || !to || !rules) return { any: true, concurrent: true, backward: true };
  const edges = staticEdges(from, to);
  if (rules.unordered) {
    const any = edges.length > 0;
    return { any, concurrent: any, backward: any };
  }
  const missed = edges.filter(
    (edge) => edge.dependency === "rw" && !(noConflict && alsoWrites(flat, from, edge)),
  );
  return {
    any: edges.length > 0,
    concurrent: missed.length > 0,
    backward: missed.some((edge) => !rules.locks || readsSnapshot(flat, edge)),
  };
}

/**
 * Whether the reader changes the row that it reads whenever that exists: then of it and a writer of the row one sees
 * the other. An insertion by the other is of a row that does not exist.
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

/** An insertion whose failure ends the transaction reads no row but the one that it writes. */
function insertsAlways(flat: FlatProgram, site: Site): boolean {
  const { kind, onDuplicate, undone = [], caught = [] } = site.operation;
  const isFinal = undone.length === 0 && caught.length === 0;
  const isAlone = uniqueKeysWritten(flat, site).length === 0;
  return kind === "insert" && onDuplicate === "error" && isFinal && isAlone;
}

/** Whether what the reader takes from the row may be older than the other's commit. */
function readsSnapshot(flat: FlatProgram, { from, to }: StaticEdge): boolean {
  const { operation } = from;
  // An insertion that goes on without its row keeps no lock on the row that is there.
  if (operation.kind === "insert")
    return operation.onDuplicate === "nothing" || (operation.caught ?? []).length > 0;
  if (operation.kind === "read" && operation.lock === "none") return true;
  if (operation.keyLock === true) return true;
  // A locking statement looks for its rows in its snapshot, and then acts on them as they are now.
  const condition = new Set(columnsIn(operation.where));
  if (operation.orderBy) condition.add(operation.orderBy.column);
  const looked = [...to.writes].some((column) => condition.has(column));
  const comes = to.operation.kind === "insert" || !isPoint(flat, operation);
  return looked || (comes && comesAndGoes(to));
}

function comesAndGoes({ writes }: Site): boolean {
  return writes.has(EXISTENCE);
}

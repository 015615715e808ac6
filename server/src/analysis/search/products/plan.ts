// The tuples to search at a product's level: commit orders whose text allows a cycle.
import type { ProductLevel } from "../../../isolation/levels";
import { productLevelAt } from "../../../isolation/mixedLevels";
import type { Levels } from "../../../isolation/mixedLevels";
import { mayDepend, mayMissUnheld } from "../../encoding/product/edges";
import { mayHandOn, mayPassKeys, mayRefuse } from "../../encoding/product/keys";
import { catchesDuplicate, makeTuple, overlooksReads } from "../../encoding/product/tuple";
import type { Access } from "../../encoding/product/tuple";
import type { FlatProgram, FlatTransaction } from "../../operations/operation";
import { likelihood } from "../likelihood";
import type { Unit } from "../unit";
import { compareWorth, worthOf } from "../worth";

/**
 * The commit orders of `size` transactions that may have a cycle at their levels. Sorted by suspicion against cost; then fully understood
 * before others, which are rarely confirmed; then short before long; then by likelihood. Only snapshot reads point against the commit
 * order, so every cycle needs one, and SERIALIZABLE throughout has none. Orders ruled out by `may` are skipped. O(n^size).
 */
export function planProduct(
  flat: FlatProgram,
  levels: Levels,
  size: number,
  may: (transactions: readonly number[]) => boolean = () => true,
): readonly Unit[] {
  if (size < 2) return [];
  const own = flat.transactions.map(({ id }) => productLevelAt(levels, id));
  const certified = flat.transactions.map((each) => isCertified(levels, each));
  const count = flat.transactions.length;
  const use = flat.transactions.map(tableUse);
  const known = new Map<number, Pair>();
  const pair = (first: number, second: number): Pair => {
    const key = first * count + second;
    const found = known.get(key) ?? makePair(first, second);
    known.set(key, found);
    return found;
  };
  const makePair = (first: number, second: number): Pair => {
    const shared = meetingTables(use[first] ?? NO_TABLES, use[second] ?? NO_TABLES);
    return shared.size > 0 ? pairOf(flat, levels, first, second, shared) : APART;
  };
  const isUnit = flat.transactions.map(({ parts }) => parts !== undefined);
  const passes = (transactions: readonly number[]): boolean =>
    transactions.some((second, at) =>
      transactions.slice(0, at).some((first) => pair(first, second).passesKeys),
    );
  const open = sequences(count, size).filter(
    (transactions) =>
      (transactions.some((each) => !certified[each]) || passes(transactions)) &&
      // With units, all commit orders form one question.
      (!transactions.some((each) => isUnit[each]) || isAscending(transactions)) &&
      may(transactions),
  );
  const worth = worthOf(flat);
  const units = open.map((transactions) => ({
    transactions,
    worth: worth(transactions),
    score: score(pair, transactions, {
      isSnapshot: transactions.every(
        (each) => own[each] !== undefined && isSnapshotIsolation(own[each]),
      ),
      isUnit,
    }),
    likely: transactions.every((each) => own[each]?.snapshot !== "statement")
      ? likelihood(flat, transactions)
      : 0,
  }));
  return units
    .filter((each) => each.score > 0)
    .sort((a, b) => b.likely - a.likely || compareWorth(a.worth, b.worth) || b.score - a.score)
    .map(({ transactions }) => ({ transactions }));
}

/**
 * True if the transactions form no cycle, by the guarantees of their levels. PostgreSQL's SSI does not track the reuse of a unique key that
 * another transaction gave up (measured: litmus program L63).
 */
export function areCertified(
  levels: Levels,
  tables: FlatProgram["tables"],
  transactions: readonly FlatTransaction[],
): boolean {
  const watched = transactions.filter(({ id }) => productLevelAt(levels, id).ssi === true);
  return transactions.every((each) => isCertified(levels, each)) && !mayPassKeys(tables, watched);
}

/** As `areCertified`, for a transaction that takes over no key. */
function isCertified(levels: Levels, transaction: FlatTransaction): boolean {
  const level = productLevelAt(levels, transaction.id);
  if (transaction.parts) return false;
  return level.serializable && !overlooksReads(level, transaction);
}

/** True if plain reads at the level may see uncommitted rows. */
export function readsDirty(level: ProductLevel): boolean {
  return level.plainRead === "newest-uncommitted";
}

/**
 * True if writing a row that changed since the snapshot fails: whatever a transaction saw or overwrote was committed before its snapshot.
 */
function isSnapshotIsolation(level: ProductLevel): boolean {
  return (
    level.plainRead === "snapshot" &&
    level.candidates === "snapshot" &&
    level.snapshot !== "statement" &&
    level.conflict === "first-updater-wins"
  );
}

interface Pair {
  /** Static dependencies from the first committer to the second. */
  readonly forward: number;
  /** Static dependencies from the second to the first. */
  readonly backward: number;
  /**
   * True if the first may read what the second changes without either waiting for the other, or if the second may meet what the first has
   * written although its snapshot does not contain it.
   */
  readonly missing: boolean;
  /** True if the second may take over a unique key that the first gave up, both at levels that do not track it. */
  readonly passesKeys: boolean;
  readonly operations: number;
}

/** A pair that shares no written table. */
const APART: Pair = { forward: 0, backward: 0, missing: false, passesKeys: false, operations: 0 };

interface TableUse {
  readonly touched: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
}

const NO_TABLES: TableUse = { touched: new Set(), written: new Set() };

function tableUse({ operations }: FlatTransaction): TableUse {
  return {
    touched: new Set(operations.map(({ table }) => table)),
    written: new Set(operations.flatMap(({ kind, table }) => (kind === "read" ? [] : [table]))),
  };
}

/** The tables that both touch and at least one writes. */
function meetingTables(one: TableUse, other: TableUse): ReadonlySet<string> {
  const meets = ({ written }: TableUse, { touched }: TableUse): readonly string[] =>
    [...written].filter((table) => touched.has(table));
  return new Set([...meets(one, other), ...meets(other, one)]);
}

function pairOf(
  flat: FlatProgram,
  levels: Levels,
  first: number,
  second: number,
  shared: ReadonlySet<string>,
): Pair {
  const members = [first, second];
  const sizes = members.map((each) => operationsOn(flat.transactions[each], shared));
  const operations = sizes.reduce((sum, each) => sum + each, 0);
  if (sizes.every((each) => each > 0) && sizes.reduce((all, each) => all * each, 1) > LARGEST) {
    const both = members.flatMap((each) => flat.transactions[each] ?? []);
    const isWatched = both.every(({ id }) => productLevelAt(levels, id).ssi === true);
    const passesKeys = isWatched && mayPassKeys(flat.tables, both);
    return { ...ANYTHING, passesKeys, operations };
  }
  // Other tables do not affect the dependencies.
  const tuple = makeTuple(flat, levels, members, members, undefined, (table) => shared.has(table));
  const [a = [], b = []] = tuple.accesses;
  const [ofFirst, ofSecond] = [byTable(a), byTable(b)];
  const meeting = (x: Access, others: ReadonlyMap<number, readonly Access[]>): readonly Access[] =>
    others.get(x.table.id) ?? [];
  const count = (
    from: readonly Access[],
    to: ReadonlyMap<number, readonly Access[]>,
    forward: boolean,
  ): number =>
    from.reduce((sum, x) => {
      const found = meeting(x, to).filter(
        (y) => mayDepend(x, y, forward) || (forward && (mayHandOn(x, y) || mayRefuse(x, y))),
      );
      return sum + found.length;
    }, 0);
  const dirty = tuple.levels.some(readsDirty)
    ? count(a, ofSecond, true) + count(b, ofFirst, true)
    : 0;
  const passesKeys = a.some((x) => meeting(x, ofSecond).some((y) => mayHandOn(x, y)));
  const looksAtNewest = (each: Access): boolean =>
    catchesDuplicate(each) || each.operation.mustMiss === true;
  const meetsNewest = (): boolean =>
    a.some((x) =>
      meeting(x, ofSecond).some(
        (y) => (looksAtNewest(y) && mayDepend(x, y, true)) || mayRefuse(x, y),
      ),
    );
  const misses = (): boolean =>
    a.some((x) => meeting(x, ofSecond).some((y) => mayMissUnheld(x, y)));
  return {
    forward: count(a, ofSecond, true) + dirty,
    backward: count(b, ofFirst, false) + dirty,
    // Checks of keys and references look at the newest rows, whatever the snapshot.
    missing: passesKeys || meetsNewest() || misses(),
    passesKeys: passesKeys && tuple.levels.every(({ ssi }) => ssi === true),
    operations,
  };
}

/** Limit of compared pairs of operations: beyond it, planning would take longer than the queries that it saves. */
const LARGEST = 1_000;

/** The result for long transactions that share a table: everything is assumed possible. */
const ANYTHING = { forward: 1, backward: 1, missing: true } as const;

function operationsOn(
  transaction: FlatTransaction | undefined,
  tables: ReadonlySet<string>,
): number {
  return transaction?.operations.filter(({ table }) => tables.has(table)).length ?? 0;
}

function byTable(accesses: readonly Access[]): ReadonlyMap<number, readonly Access[]> {
  const groups = new Map<number, Access[]>();
  for (const each of accesses) {
    const own = groups.get(each.table.id);
    if (own) own.push(each);
    else groups.set(each.table.id, [each]);
  }
  return groups;
}

/**
 * 0 if there is no possible cycle through all; else higher for pairs that miss each other's writes, and for short ones. Under snapshot
 * isolation the step into the first committer is an anti-dependency, and so is the step before it (Fekete et al. 2005): anything that
 * transaction saw or overwrote would make it see the first.
 */
function score(
  pairAt: (first: number, second: number) => Pair,
  transactions: readonly number[],
  { isSnapshot, isUnit }: { readonly isSnapshot: boolean; readonly isUnit: readonly boolean[] },
): number {
  const hasUnits = transactions.some((each) => isUnit[each]);
  const pair = (a: number, b: number): Pair => pairAt(transactions[a] ?? 0, transactions[b] ?? 0);
  const leads = (from: number, to: number): boolean =>
    from < to || hasUnits ? pair(from, to).forward > 0 : pair(to, from).backward > 0;
  const misses = (from: number, to: number): boolean =>
    from < to ? pair(from, to).missing : leads(from, to);
  const extend = (path: readonly number[]): boolean => {
    const last = path.at(-1) ?? 0;
    if (path.length === transactions.length)
      return leads(last, 0) && (!isSnapshot || hasUnits || misses(path.at(-2) ?? 0, last));
    return transactions.some(
      (_, next) => !path.includes(next) && leads(last, next) && extend([...path, next]),
    );
  };
  if (!extend([0])) return 0;
  const all = transactions.flatMap((_, b) => transactions.slice(0, b).map((__, a) => pair(a, b)));
  const backward = all.reduce((sum, each) => sum + each.backward, 0);
  const operations = all.reduce((sum, each) => sum + each.operations, 0);
  const same = new Set(transactions).size < transactions.length ? 1 : 0;
  return 1 + same + backward / (1 + operations);
}

function isAscending(transactions: readonly number[]): boolean {
  return transactions.every((each, at) => at === 0 || (transactions[at - 1] ?? 0) <= each);
}

function sequences(count: number, size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  const shorter = sequences(count, size - 1);
  return shorter.flatMap((each) => Array.from({ length: count }, (_, next) => [...each, next]));
}

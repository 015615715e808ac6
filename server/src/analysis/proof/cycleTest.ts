// Static test of which transactions may form a cycle at levels with a snapshot per statement: for any number of rounds, weakened values,
// and units. `moments.ts` has the argument; docs/proofs.md explains it.
import { levelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import { staticEdges } from "../encoding/relational/edges";
import { tableOf } from "../encoding/relational/instances";
import type { Instance } from "../encoding/relational/instances";
import type {
  FlatPart,
  FlatProgram,
  FlatTransaction,
  Operation,
  Term,
} from "../operations/operation";
import { NULL, TRUE } from "../operations/terms";
import { deferredKeysOf } from "../operations/tables";
import { openInstances } from "./accesses";
import { findSplit, readsOlder, viewsOf } from "./moments";
import type { Entry, Views } from "./moments";

export interface CycleTest {
  /** True if these transactions, each a separate instance, may form a cycle through all of them. */
  may(members: readonly number[]): boolean;
  /** True if no instance of the transaction is on a cycle of at most `largest` instances. */
  isApart(member: number, largest: number): boolean;
}

/** Ways from one transaction to another. */
interface Link {
  /** The operations by which the first is left; `older` if it read something older than the other's commit. */
  readonly leaving: readonly { readonly operation: Operation; readonly older: boolean }[];
  readonly entering: readonly Entry[];
}

const NO_LINK: Link = { leaving: [], entering: [] };

/** Limit of compared pairs of operations: beyond it everything is assumed possible. */
const MOST_PAIRS = 20_000;

/** A test of a program in which two rounds represent all of a loop. Needs no solver. */
export function createCycleTest(exact: FlatProgram, levels: Levels): CycleTest {
  const flat = coarse(exact);
  const all = flat.transactions.map((_, at) => at);
  const views = flat.transactions.map((each) => viewsOf(levelAt(levels, each.id)));
  const isTold = flat.transactions.map((each, at) => speaksOf(exact, each, views[at]));
  const instances = openInstances(flat, all);
  const tables = instances.map(tableUse);
  const links = new Map<number, Link | "any">();
  const link = (from: number, to: number): Link | "any" => {
    const key = from * all.length + to;
    const known = links.get(key);
    if (known !== undefined) return known;
    const meet = mayMeet(tables[from], tables[to]);
    const made = meet ? linkOf(flat, instances[from], instances[to], views[from]) : NO_LINK;
    links.set(key, made);
    return made;
  };
  const leads = (from: number, to: number): boolean => {
    const found = link(from, to);
    return found === "any" || found.entering.length > 0;
  };
  const splits = new Map<number, boolean>();
  const apart = new Map<string, boolean>();
  const isSplit = (previous: number, middle: number, next: number): boolean => {
    const key = (previous * all.length + middle) * all.length + next;
    const known = splits.get(key);
    if (known !== undefined) return known;
    const made = splitAt(flat, middle, views[middle], link(previous, middle), link(middle, next));
    splits.set(key, made);
    return made;
  };
  /** True if the sequence is a cycle on which some transaction is left too early. */
  const closes = (path: readonly number[]): boolean => {
    const at = (place: number): number => path[(place + path.length) % path.length] ?? 0;
    if (!leads(at(-1), at(0))) return false;
    return path.some(
      (middle, n) => isTold[middle] !== true || isSplit(at(n - 1), middle, at(n + 1)),
    );
  };
  return {
    may: (members) => {
      const extend = (path: readonly number[], rest: readonly number[]): boolean =>
        rest.length === 0
          ? closes(path)
          : rest.some(
              (next, n) =>
                leads(path.at(-1) ?? 0, next) && extend([...path, next], rest.toSpliced(n, 1)),
            );
      return extend(members.slice(0, 1), members.slice(1));
    },
    isApart: (member, largest) => {
      const key = `${String(member)} ${String(largest)}`;
      const known = apart.get(key);
      if (known !== undefined) return known;
      const extend = (path: readonly number[]): boolean =>
        (path.length > 1 && closes(path)) ||
        (path.length < largest &&
          all.some((next) => leads(path.at(-1) ?? 0, next) && extend([...path, next])));
      const made = isTold[member] === true && !extend([member]);
      apart.set(key, made);
      return made;
    },
  };
}

/** True if the test covers the transaction: all of its accesses are known, and when they look at rows. */
function speaksOf(
  exact: FlatProgram,
  transaction: FlatTransaction,
  views: Views | undefined,
): boolean {
  if (views === undefined || views.firstUpdaterWins) return false;
  const { operations, parts = [], uncovered = [], isPartial } = transaction;
  if (isPartial === true || uncovered.length > 0) return false;
  if (parts.some(({ level }) => level !== undefined)) return false;
  return operations.every((operation) => {
    if (operation.precision === "opaque" || operation.precision === "approx") return false;
    return deferredKeysOf(operation, tableOf(exact, operation.table)).length === 0;
  });
}

/** Widens every access of a weakened transaction to all rows and columns of its table. */
function coarse(flat: FlatProgram): FlatProgram {
  const widened = (operation: Operation): Operation => {
    const { primaryKey, columns } = tableOf(flat, operation.table);
    const own = columns.map(({ name }) => name).filter((name) => !primaryKey.includes(name));
    const where: Term = {
      kind: "apply",
      name: "any row",
      type: "bool",
      strict: false,
      arguments: own.map((column) => ({ kind: "column", column })),
    };
    const set = Object.fromEntries([
      ...own.map((column) => [column, NULL] as const),
      ...Object.entries(operation.set),
    ]);
    return {
      ...operation,
      where: own.length === 0 ? TRUE : where,
      ...(operation.kind !== "insert" && { key: {} }),
      ...(operation.kind === "update" && { set }),
      ...(operation.update && { update: { ...set, ...operation.update } }),
    };
  };
  const transactions = flat.transactions.map((each) =>
    each.losses.length === 0 && each.operations.every(({ precision }) => precision === "exact")
      ? each
      : { ...each, operations: each.operations.map(widened) },
  );
  return { ...flat, transactions };
}

interface TableUse {
  readonly touched: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
}

function tableUse({ sites }: Instance): TableUse {
  return {
    touched: new Set(sites.map(({ operation }) => operation.table)),
    written: new Set(
      sites.flatMap(({ operation }) => (operation.kind === "read" ? [] : [operation.table])),
    ),
  };
}

function mayMeet(one: TableUse | undefined, other: TableUse | undefined): boolean {
  if (!one || !other) return false;
  return (
    [...one.written].some((table) => other.touched.has(table)) ||
    [...other.written].some((table) => one.touched.has(table))
  );
}

function linkOf(
  flat: FlatProgram,
  from: Instance | undefined,
  to: Instance | undefined,
  views: Views | undefined,
): Link | "any" {
  if (!from || !to) return NO_LINK;
  if (from.sites.length * to.sites.length > MOST_PAIRS || views === undefined) return "any";
  const leaving = new Map<string, Link["leaving"][number]>();
  const entering = new Map<string, Entry>();
  for (const edge of staticEdges(from, to)) {
    const older = edge.dependency === "rw" && readsOlder(flat, views, from.transaction, edge);
    const overwrites = edge.dependency === "rw";
    const [first, second] = [edge.from.operation, edge.to.operation];
    leaving.set(`${String(first.index)} ${String(older)}`, { operation: first, older });
    entering.set(`${String(second.index)} ${String(overwrites)} ${String(older)}`, {
      operation: second,
      overwrites,
      older,
    });
  }
  return { leaving: [...leaving.values()], entering: [...entering.values()] };
}

/** True if the transaction may be left at a moment before the one at which it is entered. */
function splitAt(
  flat: FlatProgram,
  middle: number,
  views: Views | undefined,
  before: Link | "any",
  behind: Link | "any",
): boolean {
  const transaction = flat.transactions[middle];
  if (!transaction || !views || before === "any" || behind === "any") return true;
  const { parts, operations } = transaction;
  if (!parts) {
    const reads = new Set(
      behind.leaving.filter(({ older }) => older).map((each) => each.operation),
    );
    return findSplit(flat, transaction, views, reads, before.entering) !== undefined;
  }
  const partOf = partsByStep(parts);
  const lastEntered = Math.max(...before.entering.map(({ operation }) => partOf(operation)));
  // An earlier part has committed when a later one begins.
  if (behind.leaving.some(({ operation }) => partOf(operation) < lastEntered)) return true;
  return parts.some((_, part) => {
    const own = operations.filter((each) => partOf(each) === part);
    const reads = behind.leaving.filter((each) => each.older && partOf(each.operation) === part);
    const entering = before.entering.filter((each) => partOf(each.operation) === part);
    const alone = { ...transaction, operations: own };
    const left = new Set(reads.map(({ operation }) => operation));
    return findSplit(flat, alone, views, left, entering) !== undefined;
  });
}

/** The number of the part that an operation's statement stands in. */
function partsByStep(parts: readonly FlatPart[]): (operation: Operation) => number {
  return ({ step }) => parts.findIndex(({ from, to }) => from <= step && step < to);
}

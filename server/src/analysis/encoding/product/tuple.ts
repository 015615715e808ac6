// Static facts of a tuple of transactions: which columns change, what each operation reads and writes, and which statements need their own
// snapshot.
import { ERRORS } from "../../../program/errors";
import type { ProductLevel } from "../../../isolation/levels";
import { productLevelAt } from "../../../isolation/mixedLevels";
import type { Levels } from "../../../isolation/mixedLevels";
import { ownEntry } from "../../../protocol/dictionary";
import type {
  FlatPart,
  FlatProgram,
  FlatTable,
  FlatTransaction,
  Operation,
  Term,
} from "../../operations/operation";
import { askedTables } from "../../operations/flatInvariant";
import { TRUE, and, columnsIn, subterms } from "../../operations/terms";
import { ofNode } from "../../../query/nodes";
import { operationsOf, partTransaction } from "./parts";
import type { Member } from "./parts";

/**
 * The versions that a read sees: its snapshot, the newest committed ones, those committed when it looks at the (unlocked) row, or the
 * newest ones including uncommitted.
 */
export type View = "snapshot" | "current" | "look" | "dirty";

/** The pseudo column for a row's existence. */
export const EXISTS = "@";

export interface TupleTable {
  readonly table: FlatTable;
  /** Small number for naming symbols. */
  readonly id: number;
  /** Columns that some operation of the tuple changes; includes EXISTS if rows are inserted or deleted. */
  readonly mutable: ReadonlySet<string>;
  /** Columns that updates (not insertions) change. */
  readonly updated: ReadonlySet<string>;
  /** True if some operation searches it: only the rows that the encoding names exist. */
  readonly closed: boolean;
  /** True if some transaction tests for a row, searches, or inserts or deletes rows. */
  readonly missed: boolean;
  /** Columns that some transaction compares with NULL, or sets to it. */
  readonly nullable: ReadonlySet<string>;
}

export interface Access {
  readonly instance: number;
  readonly operation: Operation;
  readonly table: TupleTable;
  /** The condition under which it is executed. */
  readonly guard: Term;
  /** True for a read without a lasting lock: it sees its `view` and nothing else. */
  readonly plain: boolean;
  /** The view in which it selects rows. */
  readonly view: View;
  /** The view of its results: for locked rows the newest, since nobody changes them. */
  readonly shows: View;
  /** True if it accesses at most one row. */
  readonly point: boolean;
  /** Mutable columns that its result depends on. */
  readonly reads: ReadonlySet<string>;
  /** The columns among them that decide which rows match; they are read on rows that do not match as well. */
  readonly tests: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  /**
   * True for an insertion that a row in its snapshot prevents from doing anything, locking included: ON CONFLICT DO NOTHING, or a caught
   * failure. The latter looks at the newest rows, which is the same where every statement has its own snapshot.
   */
  readonly skips: boolean;
  /** True if its effect depends on the snapshot, or the moment, at which its statement begins. */
  readonly needsSnapshot: boolean;
}

export interface ProductTuple {
  readonly flat: FlatProgram;
  /** Transactions in commit order. A unit occurs once for each of its transactions; `units` groups them. */
  readonly transactions: readonly FlatTransaction[];
  /** The instances of each transaction or unit, in their commit order. */
  readonly units: readonly (readonly number[])[];
  /** Per instance the first one of its unit, which holds the arguments. */
  readonly leads: readonly number[];
  /** Per instance of a unit, its part. */
  readonly parts: readonly (FlatPart | undefined)[];
  /** Per instance. */
  readonly levels: readonly ProductLevel[];
  readonly accesses: readonly (readonly Access[])[];
  readonly tables: ReadonlyMap<string, TupleTable>;
}

/**
 * Builds the tuple of these transactions (indexes into the program's), in commit order; tables are described by what the tuple and its
 * `company` do to them. Units count as one transaction, unless `order` says how theirs commit. `only` restricts the tables. Linear in their
 * operations.
 */
export function makeTuple(
  flat: FlatProgram,
  levels: Levels,
  members: readonly number[],
  company: readonly number[] = members,
  order: readonly Member[] = members.map((_, unit) => ({ unit })),
  only: (table: string) => boolean = () => true,
): ProductTuple {
  const wholes = members.flatMap((index) => flat.transactions[index] ?? []);
  const instances = order.flatMap(({ unit, part }) => {
    const whole = wholes[unit];
    if (!whole) return [];
    const transaction = part === undefined ? whole : partTransaction(whole, part);
    return [{ unit, part, transaction, operations: operationsOf(whole, part) }];
  });
  const transactions = instances.map(({ transaction }) => transaction);
  const units = wholes.map((_, unit) =>
    instances.flatMap((each, instance) => (each.unit === unit ? [instance] : [])),
  );
  const present = company.flatMap((index) => flat.transactions[index] ?? []);
  const operations = transactions.flatMap((each) => each.operations);
  const tables = new Map<string, TupleTable>();
  for (const operation of operations) {
    if (tables.has(operation.table) || !only(operation.table)) continue;
    const table = ownEntry(flat.tables, operation.table);
    if (table) tables.set(table.name, describeTable(table, tables.size, present));
  }
  for (const name of askedTables(flat, new Set(tables.keys()))) {
    const table = ownEntry(flat.tables, name);
    if (table) tables.set(name, describeTable(table, tables.size, present));
  }
  const accesses = transactions.map((transaction, instance) => {
    const writing = stepsThatWrite(transaction);
    return (instances[instance]?.operations ?? []).flatMap((operation) => {
      const table = tables.get(operation.table);
      const level = productLevelAt(levels, transaction.id, declaredAt(transaction, operation));
      return table
        ? [makeAccess(instance, operation, table, level, writing.has(operation.step))]
        : [];
    });
  });
  const parts = instances.map(({ part, transaction }) =>
    part === undefined ? undefined : transaction.parts?.[part],
  );
  return {
    flat,
    transactions,
    units,
    leads: instances.map(({ unit }, instance) => units[unit]?.[0] ?? instance),
    parts,
    levels: transactions.map(({ id }, at) => productLevelAt(levels, id, parts[at]?.level)),
    accesses,
    tables,
  };
}

/** The level declared by the unit's transaction that the operation belongs to. */
function declaredAt({ parts }: FlatTransaction, { step }: Operation): string | undefined {
  return parts?.find(({ from, to }) => step >= from && step < to)?.level;
}

/** The levels of a transaction, or of a unit's transactions. */
export function levelsWithin(
  levels: Levels,
  { id, parts }: FlatTransaction,
): readonly ProductLevel[] {
  const all = (parts ?? [undefined]).map((part) => productLevelAt(levels, id, part?.level));
  return [...new Set(all)];
}

/** True if the instance takes a snapshot per statement. */
export function hasOwnSnapshots(tuple: ProductTuple, instance: number): boolean {
  return tuple.levels[instance]?.snapshot === "statement";
}

/** True if the instance may read a snapshot older than its own row changes. */
export function mayReadStale(tuple: ProductTuple, instance: number): boolean {
  const level = tuple.levels[instance];
  return level?.snapshot !== "statement" && level?.candidates === "current";
}

/** True if the server's conflict detection misses a read of the transaction: that of an insertion skipped because of an existing row. */
export function overlooksReads(level: ProductLevel, { operations }: FlatTransaction): boolean {
  return level.overlooks === "skipped-inserts" && operations.some(mayDoNothing);
}

/** True for an insertion that continues if the row exists: ON CONFLICT DO NOTHING, or a handler of its failure. */
export function mayDoNothing({ kind, onDuplicate, caught = [] }: Operation): boolean {
  return kind === "insert" && (onDuplicate === "nothing" || caught.includes(ERRORS.duplicate));
}

/** Statements that write: at some levels their reads lock as well. */
function stepsThatWrite(transaction: FlatTransaction): ReadonlySet<number> {
  const writes = transaction.operations.filter((each) => each.kind !== "read");
  return new Set(writes.map((each) => each.step));
}

/**
 * True if a read locks what it finds: by its own clause, or because InnoDB locks what a writing statement scans. "perhaps" if it may never
 * be executed.
 */
function locksOf(level: ProductLevel, operation: Operation, writing: boolean): boolean | "perhaps" {
  const { lock, perhaps } = operation;
  const locks =
    lock !== "none" || level.plainRead === "locking" || (level.locks === "scanned" && writing);
  if (!locks || perhaps !== true) return locks;
  return isLockedInAdvance(level, operation, writing) ? true : "perhaps";
}

/** True if a row with a known key is locked before a change begins. */
function isLockedInAdvance(level: ProductLevel, operation: Operation, writing: boolean): boolean {
  return writing && isNamed(level, operation);
}

/** True for one row with a known key, at a level that keeps it locked. */
export function isNamed({ locksNamed }: ProductLevel, { kind, pick, key }: Operation): boolean {
  const isKnown = (term: Term): boolean => ["int", "bool", "parameter"].includes(term.kind);
  return locksNamed && kind === "read" && pick === "point" && Object.values(key).every(isKnown);
}

/** True for an insertion whose duplicate error is caught. */
export function catchesDuplicate({ operation }: Access): boolean {
  return operation.kind === "insert" && operation.caught?.includes(ERRORS.duplicate) === true;
}

/** True if it takes the transaction's snapshot; a constraint's search does not. */
export function opensSnapshot({ plain, view }: Access): boolean {
  return plain && view === "snapshot";
}

/** True if it locks rows, certainly or perhaps. */
export function mayWait({ plain, operation }: Access): boolean {
  return !plain || operation.perhaps === true;
}

/** True if the operation may create a version of a row. */
export function isWrite(access: Access): boolean {
  return access.operation.kind !== "read";
}

function describeTable(
  table: FlatTable,
  id: number,
  transactions: readonly FlatTransaction[],
): TupleTable {
  const own = transactions.flatMap((each) =>
    each.operations.filter((op) => op.table === table.name),
  );
  const resized = own.some((each) => each.kind === "insert" || each.kind === "delete");
  const updated = new Set(
    own.flatMap((each) =>
      each.kind === "update"
        ? Object.keys(each.set)
        : each.kind === "insert"
          ? Object.keys(each.update ?? {})
          : [],
    ),
  );
  const inserted = own.some((each) => each.kind === "insert");
  const columns = table.columns.map((column) => column.name);
  const mutable = new Set(inserted ? columns : updated);
  for (const column of table.primaryKey) mutable.delete(column);
  if (resized) mutable.add(EXISTS);
  const checksOther = [...table.uniqueKeys, ...(table.deferredKeys ?? [])].some((key) =>
    own.some((each) => mayTake(each, key)),
  );
  const closed = checksOther || own.some((each) => each.kind !== "insert" && each.pick !== "point");
  const asked = transactions.some((each) => asksOf(each).rows.has(table.name));
  return {
    table,
    id,
    mutable,
    updated,
    closed,
    missed: closed || asked || resized,
    nullable: nullableColumns(table, transactions),
  };
}

/** True for an insertion that may collide with another on this key: its values are not generated. */
export function bindsVisibly(operation: Operation, key: readonly string[]): boolean {
  if (operation.kind !== "insert") return false;
  return key.every((column) => {
    const value = ownEntry(operation.set, column);
    return value !== undefined && value.kind !== "null" && !isMadeUp(value);
  });
}

/** True if the operation may give a row a key that another one has. */
function mayTake(operation: Operation, key: readonly string[]): boolean {
  if (operation.kind === "insert" && bindsVisibly(operation, key)) return true;
  const { kind, set, update = {} } = operation;
  const changed = kind === "update" ? set : update;
  return key.some((column) => Object.hasOwn(changed, column));
}

function isMadeUp(term: Term): boolean {
  return term.kind === "parameter" && term.name.startsWith("#");
}

/** Columns that some transaction compares with NULL or sets to it. */
function nullableColumns(
  table: FlatTable,
  transactions: readonly FlatTransaction[],
): ReadonlySet<string> {
  const asked = new Set(
    transactions.flatMap((each) => [...(asksOf(each).nulls.get(table.name) ?? [])]),
  );
  const columns = table.columns.filter((each) => each.nullable && asked.has(each.name));
  return new Set(columns.map((each) => each.name));
}

/** The tests of a transaction, by table. */
interface Asks {
  /** Tables in which it tests for a row. */
  readonly rows: ReadonlySet<string>;
  /** Columns that it compares with NULL, or sets to it. */
  readonly nulls: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Memo: a transaction is in many tuples and has many terms. */
/** Linear in the transaction's terms, once per transaction. */
const asksOf = ofNode((transaction: FlatTransaction): Asks => {
  const rows = new Set<string>();
  const nulls = new Map<string, Set<string>>();
  const add = (table: string | undefined, column: string): void => {
    if (table === undefined) return;
    const columns = nulls.get(table) ?? new Set();
    nulls.set(table, columns.add(column));
  };
  for (const { kind, table, where, set } of transaction.operations) {
    for (const term of subterms(where, ...Object.values(set)))
      if (term.kind === "isNull" && term.operand.kind === "column") add(table, term.operand.column);
    if (kind === "update")
      for (const [column, term] of Object.entries(set))
        if (term.kind === "null") add(table, column);
  }
  for (const term of subterms(...roots(transaction))) {
    const asked = term.kind === "isNull" ? term.operand : term;
    if (term.kind === "isNull" && (asked.kind === "output" || asked.kind === "joined")) {
      const source = transaction.operations[asked.operation];
      const output = ownEntry(source?.outputs, asked.name);
      if (output?.kind === "column") add(source?.table, output.column);
    }
    const asks = asked.kind === "found" || asked.kind === "count" || asked.kind === "over";
    if (asks || (term.kind === "isNull" && asked.kind === "output")) {
      const table = transaction.operations[asked.operation]?.table;
      if (table !== undefined) rows.add(table);
    }
  }
  return { rows, nulls };
});

/** All row-free terms of a transaction. */
export function roots(transaction: FlatTransaction): readonly Term[] {
  return [
    transaction.aborts,
    ...(transaction.exceeds ? [transaction.exceeds] : []),
    ...transaction.returns,
    ...(transaction.steps ?? []).map((each) => each.guard),
    ...transaction.operations.flatMap((each) => [
      each.guard,
      ...(each.asked ? [each.asked] : []),
      each.where,
      ...Object.values(each.key),
      ...Object.values(each.set),
    ]),
  ];
}

/** The columns that tell which rows an operation is about. */
const columnsOfRows = ofNode(({ where }: Operation) => columnsIn(where));

/** The columns of which an operation uses the values. */
const columnsOfValues = ofNode((operation: Operation) => {
  const { kind, set, outputs, update, updateWhere, aggregate } = operation;
  if (kind === "insert")
    return columnsIn(...Object.values(update ?? {}), ...(updateWhere ? [updateWhere] : []));
  const operand = aggregate?.operand ? [aggregate.operand] : [];
  return columnsIn(...Object.values(set), ...Object.values(outputs), ...operand);
});

/** The guard of an operation that locks nothing in advance. */
const guardOnTime = ofNode(({ guard, asked = TRUE }: Operation) => and(guard, asked));

function makeAccess(
  instance: number,
  operation: Operation,
  table: TupleTable,
  level: ProductLevel,
  writing: boolean,
): Access {
  const changes = (columns: Iterable<string>): readonly string[] =>
    [...columns].filter((column) => table.mutable.has(column));
  const checks = operation.mustMiss === true;
  const locks = operation.kind !== "read" || locksOf(level, operation, writing);
  const plain = checks || locks !== true;
  const inAdvance = locks === true && isLockedInAdvance(level, operation, writing);
  const view = checks ? "look" : viewOf(level, locks);
  const isInsert = operation.kind === "insert";
  // FOR KEY SHARE lets others change the row and returns the snapshot's version; a foreign key check only requests the lock.
  const yields = operation.lock === "key-share" && view === "snapshot" && !operation.mustFind;
  const shows = plain || yields ? view : "current";
  const caught = isInsert && operation.caught?.includes(ERRORS.duplicate) === true;
  const skips =
    isInsert &&
    view === "snapshot" &&
    (operation.onDuplicate === "nothing" || (caught && level.snapshot === "statement"));
  const depends = !isInsert || caught || operation.onDuplicate !== "error";
  const existence = depends && table.mutable.has(EXISTS) ? [EXISTS] : [];
  const tests = new Set([...existence, ...changes(columnsOfRows(operation))]);
  const { orderBy } = operation;
  const reads = new Set([
    ...tests,
    ...changes(columnsOfValues(operation)),
    ...changes(orderBy ? [orderBy.column] : []),
  ]);
  return {
    instance,
    operation,
    table,
    guard: inAdvance ? operation.guard : guardOnTime(operation),
    plain,
    view,
    shows,
    point: isInsert || operation.pick === "point",
    reads,
    tests,
    writes: writtenColumns(operation, table),
    skips,
    needsSnapshot:
      plain || yields
        ? view !== "dirty" && reads.size > 0
        : view !== "current" && (!isInsert || skips) && tests.size > 0,
  };
}

function viewOf(level: ProductLevel, locks: boolean | "perhaps"): View {
  // If executed, it reads as a locking operation does.
  if (locks === "perhaps")
    return level.candidates === "snapshot" && level.conflict === "first-updater-wins"
      ? "snapshot"
      : "look";
  if (!locks && level.plainRead === "newest-uncommitted") return "dirty";
  if (!locks) return level.plainRead === "snapshot" ? "snapshot" : "look";
  if (level.candidates === "snapshot") return "snapshot";
  return level.locks === "matching" ? "look" : "current";
}

function writtenColumns(operation: Operation, table: TupleTable): ReadonlySet<string> {
  switch (operation.kind) {
    case "read":
      return new Set();
    case "update":
      return new Set(Object.keys(operation.set));
    case "insert":
    case "delete":
      return new Set([EXISTS, ...table.mutable]);
  }
}

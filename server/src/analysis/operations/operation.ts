// The analysis' view of a transaction: a straight line of guarded accesses to single tables. Branches became guards, loops were unrolled,
// joins and subqueries were split, variables were substituted. Both encoders (encoding/) read this form only.
import type { AggregateFunction, ValueType } from "../../program/expression";
import type { RowLock } from "../../program/rowLocks";
import type { TableLock } from "../../program/tableLocks";
import type { OutsideFunction } from "../../program/program";
import type { Precision } from "../../protocol/report";
import type { StatementId } from "../../program/statement";

/**
 * A value or condition over one instance. Text, time and other non-numbers are integers by `interned`
 * (equality only); every term may be NULL, comparisons follow SQL's three-valued logic.
 */
export type Term =
  | { readonly kind: "int"; readonly value: number }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "null" }
  | { readonly kind: "parameter"; readonly name: string }
  /** The named result of an earlier operation of the same transaction; NULL if it found no row. */
  | { readonly kind: "output"; readonly operation: number; readonly name: string }
  /** True if that operation found (read) or changed (write) a row. Never NULL. */
  | { readonly kind: "found"; readonly operation: number }
  /** How many rows it found or changed; only for `pick: "all"` with `count`, else 0 or 1. Never NULL. */
  | { readonly kind: "count"; readonly operation: number }
  /** True if it raised this error (an SQLSTATE among its `caught`). Never NULL. */
  | { readonly kind: "failed"; readonly operation: number; readonly code: string }
  /** A column of the current row; only in `where`, `set` and `outputs`. */
  | { readonly kind: "column"; readonly column: string }
  | {
      readonly kind: "add" | "subtract" | "multiply" | "divide" | "modulo";
      readonly left: Term;
      readonly right: Term;
    }
  | { readonly kind: "negate"; readonly operand: Term }
  | {
      readonly kind: "compare";
      readonly operator: "=" | "<" | "<=";
      readonly left: Term;
      readonly right: Term;
    }
  | { readonly kind: "and" | "or"; readonly operands: readonly Term[] }
  | { readonly kind: "not"; readonly operand: Term }
  | { readonly kind: "isNull"; readonly operand: Term }
  | {
      readonly kind: "conditional";
      readonly condition: Term;
      readonly then: Term;
      readonly otherwise: Term;
    }
  /**
   * An uninterpreted function: equal arguments give equal values, in all instances and on all rows. If `strict`, a NULL argument gives
   * NULL; otherwise it is never NULL.
   */
  | {
      readonly kind: "apply";
      readonly name: string;
      readonly type: ValueType;
      readonly strict: boolean;
      readonly arguments: readonly Term[];
    }
  /**
   * A value over the rows that an earlier operation of the same statement selected (a read of `all` rows or of one, or a deletion) and that
   * satisfy `where`: whether there is one, the sum of `value` (0 without any, ignoring NULLs), its minimum or maximum, or that of the first
   * row. Their columns are `joined`, by the operation's outputs.
   */
  | {
      readonly kind: "over";
      readonly operation: number;
      readonly function: "exists" | "total" | "min" | "max" | "first";
      readonly where: Term;
      readonly value: Term;
    }
  /** The operation's result for the current row of the enclosing `over`. */
  | { readonly kind: "joined"; readonly operation: number; readonly name: string }
  /** An unknown value, the same for the same id within one instance. */
  | { readonly kind: "unknown"; readonly id: string; readonly type: ValueType };

/**
 * The selection of rows among those that match `key` and `where`. `point`: the key is complete (at most one row); `some`: one
 * representative row for the set; `first`: the row with the least (or greatest) `orderBy` column, ties unresolved; `all`: every row
 * (writes, count, sum).
 */
export type Pick = "point" | "some" | "first" | "all";

export interface Operation {
  /** Index in its transaction. */
  readonly index: number;
  /** Zero-based index of its statement: operations of one step share a snapshot and are atomic. */
  readonly step: number;
  readonly statement: StatementId;
  readonly table: string;
  readonly kind: "read" | "update" | "insert" | "delete";
  /** The row lock of a read. For writes "none": their locks follow from their kind. */
  readonly lock: "none" | RowLock;
  /** True if it locks only the row that it returns among those that match (LIMIT, EXISTS, MIN and MAX). */
  readonly locksChosen?: true;
  /** True if it passes by rows that others have locked: its condition says which. */
  readonly skipsLocked?: true;
  /**
   * True if it may never be executed although its guard holds: it belongs to a row that may be absent, or to a case that may not hold. Its
   * locks are uncertain.
   */
  readonly perhaps?: true;
  /** A further condition of its execution: its result matters nowhere else. */
  readonly asked?: Term;
  /** Executed iff this is true (NULL counts as false). */
  readonly guard: Term;
  /** Equalities on primary key columns. For an insert all of them. */
  readonly key: Readonly<Record<string, Term>>;
  /** A further condition on the row; may mention any column. */
  readonly where: Term;
  readonly pick: Pick;
  readonly orderBy?: { readonly column: string; readonly descending: boolean };
  /** For `all` reads: the aggregate over the matching rows. */
  readonly aggregate?: {
    readonly function: AggregateFunction;
    readonly operand?: Term;
    readonly output: string;
  };
  /** Terms over the selected row, by name: over its version before an update or delete, after an insert. */
  readonly outputs: Readonly<Record<string, Term>>;
  /** update, insert: new values; columns refer to the row's current version. An insert has every column. */
  readonly set: Readonly<Record<string, Term>>;
  /** insert: the behaviour if the key exists. `error`: such histories do not commit. */
  readonly onDuplicate: "error" | "nothing" | "update";
  /** insert with `onDuplicate: "update"`: new values of the existing row (columns are its current version) ... */
  readonly update?: Readonly<Record<string, Term>>;
  /** ... if it satisfies this. */
  readonly updateWhere?: Term;
  /** True for a read that must find a row (a foreign key's parent), else the run is excluded. */
  readonly mustFind: boolean;
  /**
   * True for a read that must find no row (one that refers to what is deleted), else the run is excluded. At products' levels it reads the
   * newest rows, locks nothing, and takes no snapshot.
   */
  readonly mustMiss?: true;
  /**
   * SQLSTATEs of errors that do not exclude the run; `failed` says whether one occurred. Its effects are then undone, except for an
   * insertion that fails for a duplicate, which has none.
   */
  readonly caught?: readonly string[];
  /**
   * For a lock that its session holds beyond the transaction: the step that may give it up, in a later transaction of the unit; the unit's
   * end if absent.
   */
  readonly session?: { readonly until?: number };
  /** True for a lock that is not waited for: its statement begins, with its snapshot, when it is free. */
  readonly asksFree?: true;
  /** The table that LOCK TABLE locks, and how; the operation is a read of the row that stands for that. */
  readonly tableLock?: {
    readonly table: string;
    readonly mode: TableLock;
    /** The transaction may have no snapshot by then. */
    readonly isFirst: boolean;
  };
  /** True if a return to a savepoint, or a handler, may release a read's locks before the transaction ends. */
  readonly unlocks?: true;
  /** True if a return to a savepoint before its transaction's first statement may undo it, which ends all that InnoDB holds. */
  readonly reopens?: true;
  /**
   * Conditions under which its write is undone: statements of its transaction from step `from` on do not see it, and other transactions
   * never do.
   */
  readonly undone?: readonly { readonly when: Term; readonly from: number }[];
  readonly precision: Precision;
}

export interface FlatTransaction {
  readonly id: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: ValueType;
    readonly fresh: boolean;
    /** The same in all instances of the transaction. */
    readonly constant?: boolean;
    /** A setting of the process: usually the same in all instances of all transactions. */
    readonly isSetting?: true;
    /** True if it may be NULL and that matters. */
    readonly nullable?: true;
    /** The function that it is a result of: equal calls give equal values. */
    readonly of?: OutsideFunction;
  }[];
  /** Conditions over parameters. */
  readonly preconditions: readonly Term[];
  /** The statements in order, with their guards; the index is `step`. */
  readonly steps?: readonly FlatStep[];
  readonly operations: readonly Operation[];
  /** The transaction rolls back iff this holds; its writes are then undone. */
  readonly aborts: Term;
  /** Terms that the caller receives, besides `visible` outputs. */
  readonly returns: readonly Term[];
  /** Outputs that reach the caller directly (SELECT of a script, RETURNING): operation and name. */
  readonly visible: readonly { readonly operation: number; readonly name: string }[];
  /** The transactions of a unit in program order; together they contain all of its statements. */
  readonly parts?: readonly FlatPart[];
  /** Results of its statements and numbers of changed rows, whether or not they are used; by default, what operations read. */
  readonly observed?: readonly Term[];
  /** Loops that may have more rounds than are represented, by id, with the represented number; likewise tests over rows. */
  readonly uncovered?: readonly { readonly loop: string; readonly rounds: number }[];
  /** True iff one of those loops continues: such a run is not represented. */
  readonly exceeds?: Term;
  /**
   * Havoc by loops of which two rounds represent all: from this operation on, other rounds may have changed these columns of these tables
   * (`EVERY_COLUMN`: also which rows exist), as far as the transaction itself sees.
   */
  readonly forgotten?: readonly {
    readonly from: number;
    readonly columns: Readonly<Record<string, readonly string[]>>;
  }[];
  /** Losses of flattening, for people. */
  readonly losses: readonly string[];
  /** True if accesses were left out; `losses` says which. */
  readonly isPartial?: boolean;
  /** Over-approximations: they hide nothing, but a finding may rest on them. */
  readonly guesses?: readonly string[];
}

/** One of a unit's transactions. */
export interface FlatPart {
  /** Its first statement, and the first one after it. */
  readonly from: number;
  readonly to: number;
  /** True for a statement outside of every `atomic` command, which commits by itself. */
  readonly single: boolean;
  /** The name of its declared level. */
  readonly level?: string;
  /** The condition that it begins; one that does not begin does not commit. */
  readonly guard: Term;
  /** The condition that it is rolled back. */
  readonly undone: Term;
}

/** Represents all columns of a table and the set of its rows. */
export const EVERY_COLUMN = "*";

export interface FlatStep {
  readonly statement: StatementId;
  readonly guard: Term;
  /** The statement whose snapshot it reads: steps with the same name share one. */
  readonly snapshotOf?: string;
}

/**
 * Prefix of internal names: a row's identity in a table without a key, generated values, and the rows that represent table and advisory
 * locks.
 */
export const HIDDEN = "#";

export interface FlatTable {
  readonly name: string;
  readonly primaryKey: readonly string[];
  readonly columns: readonly {
    readonly name: string;
    readonly type: ValueType;
    readonly nullable: boolean;
  }[];
  readonly uniqueKeys: readonly (readonly string[])[];
  /** Keys that are only checked at commit; none if absent. */
  readonly deferredKeys?: readonly (readonly string[])[];
  /** References to rows of other tables; none if absent. */
  readonly foreignKeys?: readonly {
    readonly columns: readonly string[];
    readonly table: string;
    readonly referenced: readonly string[];
    /** True if initial rows may violate it. */
    readonly isUnvalidated?: true;
  }[];
  /** Conditions that every initial row satisfies, over its columns. */
  readonly checks: readonly Term[];
}

/**
 * An invariant, as states that no combination of initial rows (one per table) has: those in which `broken` is true without a row as
 * required by `exists`. A column of the n-th row is `rowColumn(n, name)`; the row required by `exists` comes last.
 */
export interface FlatInvariant {
  /** The text of the program's invariant that it is a part of. */
  readonly text: string;
  readonly tables: readonly string[];
  readonly broken: Term;
  readonly exists?: {
    readonly table: string;
    /** Equalities on key columns; complete if the row is known beforehand. */
    readonly key: Readonly<Record<string, Term>>;
    readonly where: Term;
  };
}

/** The name of a column of an invariant's n-th row. */
export function rowColumn(row: number, column: string): string {
  return `${String(row)}.${column}`;
}

/** The inverse of `rowColumn`. */
export function fromRowColumn(name: string): { readonly row: number; readonly column: string } {
  const dot = name.indexOf(".");
  return { row: Number(name.slice(0, dot)), column: name.slice(dot + 1) };
}

export interface FlatProgram {
  readonly tables: Readonly<Record<string, FlatTable>>;
  readonly transactions: readonly FlatTransaction[];
  /** The program's invariants that have an exact flat form. */
  readonly invariants?: readonly FlatInvariant[];
  /** Non-numeric literals: `interned[n]` is the text represented by the integer `INTERNED_BASE + n`. */
  readonly interned: readonly string[];
}

export const INTERNED_BASE = 1_000_000;

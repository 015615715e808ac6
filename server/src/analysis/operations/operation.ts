// The analysis' view of a transaction: a straight line of guarded accesses to single tables.
// Branches became guards, loops were unrolled, joins and subqueries were split; variables were substituted.
// Both encoders (encoding/) read this form and nothing else of the program.
import type { AggregateFunction, ValueType } from "../../program/expression";
import type { RowLock } from "../../program/rowLocks";
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
  /** Result of an earlier operation of the same transaction under that name; NULL when it found no row. */
  | { readonly kind: "output"; readonly operation: number; readonly name: string }
  /** True if that operation found (read) or changed (write) a row. Never NULL. */
  | { readonly kind: "found"; readonly operation: number }
  /** How many rows it found or changed; only for `pick: "all"` with `count`, else 0 or 1. Never NULL. */
  | { readonly kind: "count"; readonly operation: number }
  /** True if it met that error (an SQLSTATE among its `caught`). Never NULL. */
  | { readonly kind: "failed"; readonly operation: number; readonly code: string }
  /** A column of the row at hand; only in `where`, `set` and `outputs`. */
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
   * A function that is not known: equal arguments give equal values, in all instances and on all rows. NULL for a NULL
   * argument where it is `strict`, else never NULL.
   */
  | {
      readonly kind: "apply";
      readonly name: string;
      readonly type: ValueType;
      readonly strict: boolean;
      readonly arguments: readonly Term[];
    }
  /**
   * Over the rows that an earlier operation of the same statement found (a read of `all` rows or of one, or a deletion)
   * and for which `where` is true: whether there is one, the sum of `value` (0 without any, NULLs left out), its least
   * or greatest, or that of the first row. Their columns are `joined`, by the operation's outputs.
   */
  | {
      readonly kind: "over";
      readonly operation: number;
      readonly function: "exists" | "total" | "min" | "max" | "first";
      readonly where: Term;
      readonly value: Term;
    }
  /** Result of the operation for the row at hand of an `over` around this term. */
  | { readonly kind: "joined"; readonly operation: number; readonly name: string }
  /** Any value, the same for the same id within one instance. */
  | { readonly kind: "unknown"; readonly id: string; readonly type: ValueType };

/**
 * How the rows of an operation are chosen among those that match `key` and `where`:
 * `point`: the key is complete (at most one row); `some`: one representative row stands for the set;
 * `first`: the row with the least (or greatest) `orderBy` column, ties by nothing; `all`: every row (writes, count, sum).
 */
export type Pick = "point" | "some" | "first" | "all";

export interface Operation {
  /** Position in its transaction. */
  readonly index: number;
  /** Which executed statement it belongs to (0-based): operations of one step share a snapshot and are atomic. */
  readonly step: number;
  readonly statement: StatementId;
  readonly table: string;
  readonly kind: "read" | "update" | "insert" | "delete";
  /** For reads: the row lock that it takes. Of writes, "none": what they lock follows from their kind. */
  readonly lock: "none" | RowLock;
  /** True if it locks the row that it chooses among those that it finds, and goes no further (LIMIT, EXISTS, MIN and MAX). */
  readonly locksChosen?: true;
  /**
   * It may never be asked although its guard holds: it belongs to a row that may not come, or to a case that may not
   * hold. What it locks, if anything, is not certain.
   */
  readonly perhaps?: true;
  /** It is asked only where this holds as well: what it finds matters nowhere else. */
  readonly asked?: Term;
  /** Executed iff this is true (NULL counts as false). */
  readonly guard: Term;
  /** Equalities on primary key columns. For an insert all of them. */
  readonly key: Readonly<Record<string, Term>>;
  /** Further condition on the row; may mention any column. */
  readonly where: Term;
  readonly pick: Pick;
  readonly orderBy?: { readonly column: string; readonly descending: boolean };
  /** For `all` reads: what the aggregate over the matching rows is. */
  readonly aggregate?: {
    readonly function: AggregateFunction;
    readonly operand?: Term;
    readonly output: string;
  };
  /** Terms over the chosen row, by name: its version before an update or delete, after an insert. */
  readonly outputs: Readonly<Record<string, Term>>;
  /** update, insert: new values; columns of the row mean its current version. An insert gives every column. */
  readonly set: Readonly<Record<string, Term>>;
  /** insert: what happens when the key exists. `error`: such histories do not commit. */
  readonly onDuplicate: "error" | "nothing" | "update";
  /** insert with `onDuplicate: "update"`: new values of the existing row (columns are its current version) ... */
  readonly update?: Readonly<Record<string, Term>>;
  /** ... if it satisfies this. */
  readonly updateWhere?: Term;
  /** A read whose absence excludes the run (a foreign key's parent). */
  readonly mustFind: boolean;
  /**
   * A read that excludes the run where it finds a row (one that refers to what is deleted). It goes to the newest rows at
   * databases' levels, locks nothing, and opens no snapshot.
   */
  readonly mustMiss?: true;
  /**
   * SQLSTATEs of errors that do not exclude the run: `failed` says that there was one. Its effects are then undone,
   * but for an insertion that fails for a duplicate, which has none.
   */
  readonly caught?: readonly string[];
  /** True if a return to a savepoint, or a handler, may give a locking read's lock up before the transaction ends. */
  readonly unlocks?: true;
  /**
   * Where one of these conditions holds, what it wrote is undone: statements of its transaction from step `from` on do
   * not see it, and nobody else ever does.
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
    /** It may be NULL, and that matters. */
    readonly nullable?: true;
    /** It is what a function gives of others: the same for the same. */
    readonly of?: OutsideFunction;
  }[];
  /** Conditions over parameters. */
  readonly preconditions: readonly Term[];
  /** The statements in order, with the condition under which each runs; position is `step`. */
  readonly steps?: readonly FlatStep[];
  readonly operations: readonly Operation[];
  /** The transaction rolls back iff this holds; its writes are then undone. */
  readonly aborts: Term;
  /** Terms that the caller receives, besides `visible` outputs. */
  readonly returns: readonly Term[];
  /** Outputs that reach the caller directly (SELECT of a script, RETURNING): operation and name. */
  readonly visible: readonly { readonly operation: number; readonly name: string }[];
  /** The transactions of a unit in program order, which contain all of its statements. */
  readonly parts?: readonly FlatPart[];
  /** Results of its statements and numbers of rows that they change, whoever uses it; else what operations read. */
  readonly observed?: readonly Term[];
  /** Loops that may have more rounds than are represented, by their ids, with the rounds that are; questions about rows as well. */
  readonly uncovered?: readonly { readonly loop: string; readonly rounds: number }[];
  /** Holds iff one of those loops goes on after them: what such a run does is not represented. */
  readonly exceeds?: Term;
  /**
   * Where two rounds stand for all of a loop: from this operation on, rounds that are not represented may have changed
   * these columns of these tables (`EVERY_COLUMN`: and which rows there are), for all that the transaction itself sees.
   */
  readonly forgotten?: readonly {
    readonly from: number;
    readonly columns: Readonly<Record<string, readonly string[]>>;
  }[];
  /** Losses of flattening, for people. */
  readonly losses: readonly string[];
  /** Accesses were left out, which `losses` tells. */
  readonly isPartial?: boolean;
  /** Where it left more open than there is: nothing is missed for it, but what is found may rest on it. */
  readonly guesses?: readonly string[];
}

/** One of a unit's transactions. */
export interface FlatPart {
  /** Its statements: the first, and the first behind it. */
  readonly from: number;
  readonly to: number;
  /** A statement outside of every `atomic` command, which commits by itself. */
  readonly single: boolean;
  /** The name of the level that it declares, where it does. */
  readonly level?: string;
  /** It begins iff this holds; one that does not begin does not commit either. */
  readonly guard: Term;
  /** It is undone iff this holds. */
  readonly undone: Term;
}

/** Stands for all columns of a table and for which rows it has. */
export const EVERY_COLUMN = "*";

export interface FlatStep {
  readonly statement: StatementId;
  readonly guard: Term;
  /** Its statement's: steps of one name read one snapshot. */
  readonly snapshotOf?: string;
}

/**
 * Names that begin with "#" are ours, not the user's: a row's identity where a table has no key, values that the
 * database makes up, and the rows that stand for table and advisory locks.
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
  /** Those that hold when a transaction commits, and not before; absent means none. */
  readonly deferredKeys?: readonly (readonly string[])[];
  /** Its rows refer to rows of other tables; absent means that none do. */
  readonly foreignKeys?: readonly {
    readonly columns: readonly string[];
    readonly table: string;
    readonly referenced: readonly string[];
    /** Rows at the start may break it. */
    readonly isUnvalidated?: true;
  }[];
  /** Conditions that every initial row satisfies, over its columns. */
  readonly checks: readonly Term[];
}

/**
 * States that no combination of rows at the start has, one row of each table: make `broken` true without a row as
 * `exists` asks for. A column of the n-th row is `rowColumn(n, name)`; the row sought by `exists` comes last.
 */
export interface FlatInvariant {
  /** The text of the program's invariant that it is a part of. */
  readonly text: string;
  readonly tables: readonly string[];
  readonly broken: Term;
  readonly exists?: {
    readonly table: string;
    /** Equalities on key columns; complete where the row is known beforehand. */
    readonly key: Readonly<Record<string, Term>>;
    readonly where: Term;
  };
}

/** How a term of an invariant names a column of its n-th row. */
export function rowColumn(row: number, column: string): string {
  return `${String(row)}.${column}`;
}

/** The row and the column that `rowColumn` named. */
export function fromRowColumn(name: string): { readonly row: number; readonly column: string } {
  const dot = name.indexOf(".");
  return { row: Number(name.slice(0, dot)), column: name.slice(dot + 1) };
}

export interface FlatProgram {
  readonly tables: Readonly<Record<string, FlatTable>>;
  readonly transactions: readonly FlatTransaction[];
  /** The program's invariants that have an exact flat form. */
  readonly invariants?: readonly FlatInvariant[];
  /** Non-numeric literals: `interned[n]` is the text that the integer `INTERNED_BASE + n` stands for. */
  readonly interned: readonly string[];
}

export const INTERNED_BASE = 1_000_000;

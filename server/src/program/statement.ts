// Statements and commands of the abstract representation: the possible actions of one transaction, in order.
import type { SourceRange } from "../protocol/source";
import type { DeclaredLevel } from "./declaredLevel";
import type { Expression, Relation, Output, Query } from "./expression";
import type { Taint } from "./precision";
import type { RowLock } from "./rowLocks";

/** Unique in a program and stable under edits elsewhere: `<transaction>/<ordinal>`. */
export type StatementId = string;

export interface Assignment {
  readonly column: string;
  /** The new value; it may read columns of the row itself. DEFAULT is written out, so `value` is never undefined. */
  readonly value: Expression;
  /** True if a client omits the column from the statement when its value is unchanged. */
  readonly mayBeLeftOut?: true;
}

export interface OnConflict {
  /** Columns of the arbiter key; empty for any key. */
  readonly target: readonly string[];
  readonly action: "nothing" | "update" | "replace";
  readonly set: readonly Assignment[];
  readonly where?: Expression;
}

export interface Returning {
  readonly into: string;
  readonly outputs: readonly Output[];
}

/** A call in application code, with its function as written there; or a statement at which a trigger fires. */
export interface CallPlace {
  readonly name: string;
  /** A call if absent. */
  readonly kind?: "trigger";
  readonly source: SourceRange;
}

interface StatementBase {
  readonly id: StatementId;
  /** The statement itself, without trailing semicolon. */
  readonly source: SourceRange;
  /** The user's text of that range. */
  readonly text: string;
  /**
   * The name of the group that shares a snapshot with it: the variable for the value of a STABLE function (its statements and the
   * calling statement), or the first part of a statement that changes several tables.
   */
  readonly snapshotOf?: string;
  /** The calls and triggers that lead from the transaction to this statement, outermost first. */
  readonly through?: readonly CallPlace[];
  /** Learnt from runs in all of which it had rows, or in all of which it had none: the program behind the other case is not known. */
  readonly seenRows?: "some" | "none";
  readonly taint: readonly Taint[];
}

export interface SelectStatement extends StatementBase {
  readonly kind: "select";
  readonly query: Query;
  /** The result's name for `field` and `size`; unique in its transaction. */
  readonly into: string;
  /** True for PERFORM, or a SELECT whose rows nobody receives. */
  readonly discarded: boolean;
  /** The values that its variables keep where it finds no row: the caller sees those, not the row. */
  readonly kept?: readonly Output[];
}

export interface InsertStatement extends StatementBase {
  readonly kind: "insert";
  readonly table: string;
  /** Rows of VALUES, or the query of INSERT ... SELECT with its columns in order. */
  readonly rows:
    | readonly (readonly Assignment[])[]
    | { readonly columns: readonly string[]; readonly query: Query };
  readonly onConflict?: OnConflict;
  readonly returning?: Returning;
  /** Code around it may say what a taken key means, or tries again. */
  readonly isAnswered?: true;
}

export interface UpdateStatement extends StatementBase {
  readonly kind: "update";
  readonly relation: Relation;
  readonly from: readonly Relation[];
  /** The lock on rows of those relations. */
  readonly lock?: RowLock;
  readonly set: readonly Assignment[];
  readonly where: Expression;
  readonly returning?: Returning;
}

export interface DeleteStatement extends StatementBase {
  readonly kind: "delete";
  readonly relation: Relation;
  readonly using: readonly Relation[];
  /** The lock on rows of those relations. */
  readonly lock?: RowLock;
  readonly where: Expression;
  readonly returning?: Returning;
  /**
   * TRUNCATE, after a table lock: transactions with an older snapshot see no rows either. With `cascade` the referencing tables are emptied
   * as well; reading a program writes those out.
   */
  readonly truncates?: "alone" | "cascade";
  /** True if statements before it did what ON DELETE asks of the rows that refer to its own. */
  readonly leavesNoChildren?: true;
}

/** LOCK TABLE or an advisory lock. */
export interface LockStatement extends StatementBase {
  readonly kind: "lock";
  readonly table?: string;
  readonly mode: string;
  readonly key?: Expression;
  /** Its session holds it beyond the end of the transaction. */
  readonly outlives?: true;
  /** The argument that says whether it is granted: a request that may be refused, since somebody has the lock. */
  readonly granted?: string;
  /** It gives up the session's locks of this key, or all of them, instead of taking one. */
  readonly releases?: true;
  /** A routine locks the table: the statement that calls it has taken its snapshot before. */
  readonly isCalled?: true;
}

/** Not understood: touches `tables`, and may write them if `writes`. */
export interface OpaqueStatement extends StatementBase {
  readonly kind: "opaque";
  readonly tables: readonly string[];
  readonly writes: boolean;
}

export type Statement =
  | SelectStatement
  | InsertStatement
  | UpdateStatement
  | DeleteStatement
  | LockStatement
  | OpaqueStatement;

export type LoopRange =
  /** Once per row of an earlier result, in order; the row is `field` with `at: { loop }`. */
  | { readonly kind: "rows"; readonly result: string }
  /** A counting loop; `variable` is the counter. */
  | {
      readonly kind: "count";
      readonly variable: string;
      readonly from: Expression;
      readonly to: Expression;
      readonly step: number;
      /** True if its list is, or may be, sorted by the code in the same order in every run. */
      readonly isSorted?: true;
    }
  | { readonly kind: "while"; readonly condition: Expression }
  /** Not understood: any number of rounds. */
  | { readonly kind: "unknown" }
  /** A call of a function within itself, deeper than calls are followed: runs that reach it are not searched. Its body is empty. */
  | { readonly kind: "recursion"; readonly of: string };

/** Control flow of a transaction's body. */
export type Command =
  | { readonly kind: "sequence"; readonly commands: readonly Command[] }
  | { readonly kind: "statement"; readonly statement: Statement }
  | {
      readonly kind: "assign";
      readonly variable: string;
      readonly value: Expression;
      readonly source: SourceRange;
    }
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly then: Command;
      readonly otherwise?: Command;
      readonly source: SourceRange;
    }
  | {
      readonly kind: "loop";
      readonly id: string;
      readonly over: LoopRange;
      readonly body: Command;
      readonly source: SourceRange;
    }
  /** Leaves (`exit`) or continues (`continue`) the named loop. */
  | { readonly kind: "exit" | "continue"; readonly loop: string; readonly source: SourceRange }
  /**
   * Ends and undoes the transaction: ROLLBACK, or with the SQLSTATE `code` an error of the program (RAISE, SIGNAL, an uncaught throw),
   * which an enclosing handler may catch. In a unit it undoes the enclosing `atomic` command, if any, and ends the unit; earlier commits
   * stay. With `leaves` control continues after that `atomic` command (ROLLBACK without a return).
   */
  | {
      readonly kind: "rollback";
      readonly why: string;
      readonly code?: string;
      readonly leaves?: "atomic";
      readonly source: SourceRange;
    }
  /** Ends and commits the transaction; in a unit, commits the enclosing `atomic` command and ends the unit. */
  | { readonly kind: "return"; readonly value?: Expression; readonly source: SourceRange }
  /** A block whose errors run `handler` (BEGIN ... EXCEPTION, DECLARE EXIT HANDLER). */
  | {
      readonly kind: "try";
      readonly body: Command;
      readonly handler: Command;
      /** The SQLSTATEs ("23505") and classes ("23") that it catches; every error if absent. */
      readonly catches?: readonly string[];
      /** The extent that is undone before the handler runs: the block (default, PL/pgSQL), or the failed statement (MySQL). */
      readonly undoes?: "block" | "statement";
      /** The variable with the error's SQLSTATE while the handler runs. */
      readonly error?: string;
      readonly source: SourceRange;
    }
  /**
   * In a unit only: a transaction from BEGIN to COMMIT. It commits at its end and when control leaves it by `return`, `exit` or `continue`;
   * an error or `rollback` that no inner handler catches undoes it, and continues in an outer handler or ends the unit. Inner savepoints
   * and handlers do not reach out of it. Never nested.
   */
  | {
      readonly kind: "atomic";
      readonly body: Command;
      /** The level of this transaction, if it differs from the unit's. */
      readonly level?: DeclaredLevel;
      /** True if the statements before it run after its BEGIN, on other connections. */
      readonly afterBegin?: true;
      readonly source: SourceRange;
    }
  | {
      readonly kind: "savepoint" | "release" | "rollbackTo";
      readonly name: string;
      readonly source: SourceRange;
    };

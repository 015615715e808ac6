// Statements and commands of the abstract representation: what one transaction may do, in order.
import type { SourceRange } from "../protocol/source";
import type { DeclaredLevel } from "./declaredLevel";
import type { Expression } from "./expression";
import type { Taint } from "./precision";
import type { RowLock } from "./rowLocks";

/** Unique in a program and stable over edits elsewhere: `<transaction>/<ordinal>`. */
export type StatementId = string;

export interface Relation {
  /** The name that columns use; unique in its query. */
  readonly alias: string;
  readonly table: string;
  /** `derived`: a subquery or CTE given by `query`; `opaque`: not understood (function in FROM, ...). */
  readonly kind: "base" | "derived" | "opaque";
  readonly query?: Query;
  readonly join: "inner" | "left" | "right" | "full" | "cross";
  readonly on?: Expression;
  /** Its query may name columns of the relations before it, and is answered for each of their rows. */
  readonly lateral?: true;
}

export interface LockClause {
  readonly strength: RowLock;
  /** Aliases; empty means all relations. */
  readonly of: readonly string[];
  readonly wait: "block" | "nowait" | "skip-locked";
}

export interface Output {
  readonly name: string;
  readonly value: Expression;
}

export interface Query {
  readonly relations: readonly Relation[];
  /** `literal true` when absent. */
  readonly where: Expression;
  readonly outputs: readonly Output[];
  readonly groupBy: readonly Expression[];
  readonly having?: Expression;
  readonly orderBy: readonly { readonly value: Expression; readonly descending: boolean }[];
  readonly limit?: Expression;
  readonly offset?: Expression;
  readonly distinct: boolean;
  /** DISTINCT ON, only where `distinct`: of the rows that agree in all of these, the first one in the query's order. */
  readonly distinctOn?: readonly Expression[];
  /** UNION and friends with further queries; the first query is this one. */
  readonly setOperations: readonly {
    readonly operator: "union" | "union all" | "intersect" | "except";
    readonly query: Query;
  }[];
  readonly lock?: LockClause;
}

export interface Assignment {
  readonly column: string;
  /** May mention columns of the row itself: an implicit read. `undefined` in `value` never occurs: DEFAULT is spelled out. */
  readonly value: Expression;
  /** A client leaves it out of the statement wherever the value is the column itself. */
  readonly mayBeLeftOut?: true;
}

export interface OnConflict {
  /** Columns of the arbiter key; empty means any key. */
  readonly target: readonly string[];
  readonly action: "nothing" | "update" | "replace";
  readonly set: readonly Assignment[];
  readonly where?: Expression;
}

export interface Returning {
  readonly into: string;
  readonly outputs: readonly Output[];
}

/** A call in application code, as its function is written there; or a statement at which a trigger fires. */
export interface CallPlace {
  readonly name: string;
  /** Absent: a call. */
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
   * The variable for the value of a STABLE function that it is a part of: all of that function's statements, and the one
   * that calls it, read one snapshot.
   */
  readonly snapshotOf?: string;
  /** The calls of application code, and the triggers, that lead from the transaction to this, outermost first. */
  readonly through?: readonly CallPlace[];
  readonly taint: readonly Taint[];
}

export interface SelectStatement extends StatementBase {
  readonly kind: "select";
  readonly query: Query;
  /** The result's name, by which `field` and `size` refer to it; unique in its transaction. */
  readonly into: string;
  /** PERFORM, or a SELECT whose rows are returned to nobody. */
  readonly discarded: boolean;
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
}

export interface UpdateStatement extends StatementBase {
  readonly kind: "update";
  readonly relation: Relation;
  readonly from: readonly Relation[];
  /** The lock that it takes on rows of those. */
  readonly lock?: RowLock;
  readonly set: readonly Assignment[];
  readonly where: Expression;
  readonly returning?: Returning;
}

export interface DeleteStatement extends StatementBase {
  readonly kind: "delete";
  readonly relation: Relation;
  readonly using: readonly Relation[];
  /** The lock that it takes on rows of those. */
  readonly lock?: RowLock;
  readonly where: Expression;
  readonly returning?: Returning;
  /**
   * TRUNCATE, behind a lock of the table: transactions that took their snapshot before it see no rows either. With
   * `cascade` the tables that refer to this one are emptied as well, which reading a program spells out.
   */
  readonly truncates?: "alone" | "cascade";
}

/** LOCK TABLE or an advisory lock. */
export interface LockStatement extends StatementBase {
  readonly kind: "lock";
  readonly table?: string;
  readonly mode: string;
  readonly key?: Expression;
}

/** Not understood: touches `tables`, may write them when `writes`. */
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
  /** Once per row of an earlier result, in its order; the row is `field` with `at: { loop }`. */
  | { readonly kind: "rows"; readonly result: string }
  /** An integer loop; `variable` holds the counter. */
  | {
      readonly kind: "count";
      readonly variable: string;
      readonly from: Expression;
      readonly to: Expression;
      readonly step: number;
      /** Its list is, or may be, in an order that the code has given it, the same in every run. */
      readonly isSorted?: true;
    }
  | { readonly kind: "while"; readonly condition: Expression }
  /** Not understood: any number of times. */
  | { readonly kind: "unknown" };

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
  /** Leaves (`exit`) or restarts (`continue`) the named loop. */
  | { readonly kind: "exit" | "continue"; readonly loop: string; readonly source: SourceRange }
  /**
   * Ends the transaction and undoes it: ROLLBACK, or with the SQLSTATE `code` an error of the program's own (RAISE,
   * SIGNAL, an uncaught throw), which a handler around it may catch. In a unit it undoes the `atomic` command around it,
   * if there is one, and ends the unit; what was committed before stays. With `leaves` control goes on behind that
   * `atomic` command instead (ROLLBACK without a return).
   */
  | {
      readonly kind: "rollback";
      readonly why: string;
      readonly code?: string;
      readonly leaves?: "atomic";
      readonly source: SourceRange;
    }
  /** Ends the transaction, which commits; a unit's `atomic` command around it commits, and the unit ends. */
  | { readonly kind: "return"; readonly value?: Expression; readonly source: SourceRange }
  /** A block whose errors run `handler` instead (BEGIN ... EXCEPTION, DECLARE EXIT HANDLER). */
  | {
      readonly kind: "try";
      readonly body: Command;
      readonly handler: Command;
      /** The SQLSTATEs ("23505") and classes of them ("23") that it is for; absent: every error. */
      readonly catches?: readonly string[];
      /** Extent that is undone before the handler runs: the block (absent, PL/pgSQL), or the statement that failed (MySQL). */
      readonly undoes?: "block" | "statement";
      /** The variable that holds the SQLSTATE of the error while the handler runs. */
      readonly error?: string;
      readonly source: SourceRange;
    }
  /**
   * Only in a unit: a transaction of its own, from BEGIN to COMMIT. It commits at its end and wherever control leaves it
   * by `return`, `exit` or `continue`; an error or `rollback` inside that no handler inside is for undoes it, and goes on
   * in a handler around it, or ends the unit. Savepoints and handlers inside do not reach out of it. Never nested.
   */
  | {
      readonly kind: "atomic";
      readonly body: Command;
      /** The level of this transaction, where it is not the unit's. */
      readonly level?: DeclaredLevel;
      /** The statements before it run after its BEGIN, on other connections. */
      readonly afterBegin?: true;
      readonly source: SourceRange;
    }
  | {
      readonly kind: "savepoint" | "release" | "rollbackTo";
      readonly name: string;
      readonly source: SourceRange;
    };

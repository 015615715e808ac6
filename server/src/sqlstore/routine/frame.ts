// Frame of a routine: its variables, and the statement or session around it.
import type { Reply, Request } from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import type { QueryColumn, UserVariables } from "../compile/node";
import type { SqlError } from "../sqlError";
import type { SqlQuery } from "../tree";
import type { DeclaredType, SqlType } from "../values/types";
import type { SqlRow, SqlValue } from "../values/value";
import type { SqlStatement } from "../statementTree";

export type Steps<T> = Generator<Request, T, Reply>;

export interface Argument {
  readonly type: SqlType;
  readonly value: SqlValue;
}

export interface RoutineResult {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly SqlRow[];
  /** Rows that were given, or found by a change. */
  readonly count: number;
  /** Rows that a procedure of MySQL has selected. */
  readonly sets?: readonly RoutineResult[];
}

/** Carries out the statements of a routine, in a session or inside of a statement that is evaluated. */
export interface RoutineHost {
  readonly dialect: Dialect;
  readonly parse: (text: string) => readonly SqlStatement[];
  readonly run: (
    statement: SqlStatement,
    locals: Locals,
    parameters: readonly unknown[],
  ) => Steps<RoutineResult>;
  readonly columns: (query: SqlQuery) => readonly QueryColumn[];
  /** Columns of a table; undefined where there is none of that name. */
  readonly table: (
    name: string,
  ) => readonly { readonly name: string; readonly declared: DeclaredType }[] | undefined;
  /** A type as MySQL's declarations write it. */
  readonly declared: (type: string) => DeclaredType;
  /** Variables of MySQL's users. */
  readonly variables: UserVariables;
  readonly notice: (level: string, message: string) => void;
  /** A condition of MySQL that is no error. */
  readonly warn: (code: number, message: string) => void;
  /** Begins a part that can be undone; undefined where that cannot be. */
  readonly mark: () => Mark | undefined;
}

export interface Mark {
  /** Undoes what was written since; false where the transaction is over. */
  readonly undo: () => boolean;
  readonly end: () => void;
}

export interface Local {
  readonly declared: DeclaredType;
  value: SqlValue;
}

/** Variables by their names; fields of records as `record.field`. */
export type Locals = Map<string, Local>;

/** How a list of statements ended. */
export type Flow =
  | { readonly kind: "next" }
  | { readonly kind: "exit" | "continue"; readonly label: string | undefined }
  | { readonly kind: "return" };

export interface Frame {
  readonly host: RoutineHost;
  readonly text: string;
  readonly locals: Locals;
  /** Names of variables that hold whole rows. */
  readonly records: Set<string>;
  /** Rows of RETURN NEXT and RETURN QUERY. */
  readonly rows: SqlRow[];
  /** Value of RETURN; in a trigger the name of the row. */
  returned: SqlValue;
  /** The row of a trigger that goes on, by its name; `null` for none. */
  returnedRow: string | undefined;
  /** The error that a handler is for. */
  error: SqlError | undefined;
  /** Rows that the last statement found or changed. */
  count: number;
  /** Type to which RETURN converts. */
  readonly returns: DeclaredType | undefined;
}

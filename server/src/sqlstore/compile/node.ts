// Compiled expressions: closures over an environment, with the type of what they give.
import type { RangeLimit, RangePart, ReadRequest } from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import type { Catalog, Routine, Table } from "../catalog";
import type { AdvisoryLocks } from "../advisoryLocks";
import type { SqlCall, SqlChange, SqlExpression, SqlQuery, SqlWindow } from "../tree";
import { failure } from "../sqlError";
import { converter, isTrue } from "../values/cast";
import { isImplicit, isText, postgresName, type DeclaredType, type SqlType } from "../values/types";
import type { SqlRow, SqlValue } from "../values/value";
import type { SqlStatement } from "../statementTree";
import type { Compare } from "../values/compare";
import type { Diagnostic } from "../sessionDiagnostics";
import type { Slices } from "./slices";

/** One key by which rows are ordered. */
export interface Sort {
  readonly node: Node;
  readonly compare: Compare;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** A query, or a change with RETURNING, that can be run. */
export interface CompiledQuery {
  readonly columns: readonly QueryColumn[];
  /** Its rows; `env` is that of the query around. */
  readonly run: (env: Env) => readonly SqlRow[];
  /** The same in slices; absent for what is quick. */
  readonly slices?: (env: Env) => Slices<readonly SqlRow[]>;
  /** It may give something else each time: it numbers, draws or assigns. */
  readonly volatile: boolean;
}

/** Description of a column for clients, beside its type. */
export interface ColumnOrigin {
  readonly declared: DeclaredType;
  /** Absent for what is computed. */
  readonly table?: string;
  /** Among the table's columns, from one. */
  readonly position?: number;
}

/** Properties of values that a type does not say. */
export interface Shape {
  /** The fields of rows. */
  readonly fields?: readonly { readonly name: string; readonly type: SqlType }[];
  /** Number of the first element of an array, if it is not 1. */
  readonly first?: number;
}

export interface QueryColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly origin?: ColumnOrigin;
  readonly shape?: Shape;
  /** How it was written, if it is a column that `*` stands for. */
  readonly shown?: string;
}

/** A query of a WITH clause, as it can be referred to. */
export interface WithQuery {
  readonly number: number;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  readonly query: CompiledQuery;
}

/** Variables of MySQL's users (`@x`), each with the type of the value that it was given last. */
export type UserVariables = Map<string, { readonly type: SqlType; readonly value: SqlValue }>;

/** The state of a statement while it runs; `run/work.ts` makes it. */
export interface Work {
  /** The n-th parameter (from one) as a value of a type. */
  readonly parameter: (number: number, type: SqlType) => SqlValue;
  /** Microseconds since 1970: the transaction's start in PostgreSQL, the statement's in MySQL. */
  readonly now: number;
  readonly random: () => number;
  /** A division by zero is an error in MySQL too: the statement changes rows. */
  readonly changes: boolean;
  readonly nextValue: (sequence: string) => number;
  /** Sets the value that a sequence has given last, or else will give next; null where MariaDB goes back to none. */
  readonly setValue: (sequence: string, value: number, isCalled: boolean) => number | null;
  readonly currentValue: (sequence: string | undefined) => number | undefined;
  readonly rows: (read: TableRead) => readonly SqlRow[];
  /** As `rows`, in slices. */
  readonly rowsInTurns: (read: TableRead) => Slices<readonly SqlRow[]>;
  /** The part in which the first rows in the order of a column are, or the request for it. */
  readonly page: (
    read: TableRead,
    column: number,
    most: RangeLimit,
  ) => RangePart | ReadRequest | undefined;
  /** The request for all that is not there of these, so that rows that are joined come at once. */
  readonly lacking: (reads: readonly TableRead[]) => ReadRequest | undefined;
  /** The newest version of a row that was read, if rows are judged again there; undefined when it is gone. */
  readonly newest: (table: Table, row: SqlRow) => SqlRow | undefined;
  /** The request for those that are not there. */
  readonly lackingNewest: (rows: readonly SqlRow[]) => ReadRequest | undefined;
  /** Rows of WITH queries that were computed, by their number. */
  readonly withRows: Map<number, readonly SqlRow[]>;
  /** Where the query stands that a WITH clause belongs to. */
  readonly withEnvs: Map<number, Env>;
  readonly variables: UserVariables;
  /** Rows of functions that have run before the statement. */
  readonly called?: ReadonlyMap<SqlCall, readonly SqlRow[]> | undefined;
  /** Values of the variables of the routine around. */
  readonly locals?: ReadonlyMap<string, { readonly value: SqlValue }> | undefined;
  /** Fails for a name that there is not; NULL where it is optional. */
  readonly setting: (name: string, isOptional?: boolean) => SqlValue;
  readonly session: SessionFacts;
  readonly locks: AdvisoryLocks;
  readonly parse: (text: string) => readonly SqlStatement[];
  readonly notice: (level: string, message: string) => void;
  /** A condition that does not end the statement, for MySQL's SHOW WARNINGS. */
  readonly warn: (diagnostic: Diagnostic) => void;
  /** True if others should have their turn. */
  readonly isDue: () => boolean;
  /** Others hear of it when the transaction is committed. */
  readonly notify: (channel: string, payload: string) => void;
}

/** Functions that tell about the session. */
export interface SessionFacts {
  readonly database: string;
  readonly user: string;
  readonly identifier: number;
  readonly version: string;
  readonly rowCount: number;
  readonly lastInsert: number;
  readonly foundRows: number;
  /** Names of open cursors. */
  readonly cursors?: () => readonly string[];
  /** Names of the server's other databases. */
  readonly databases?: () => readonly string[];
  /** Sets a setting, until the end of the transaction where it is `local`. */
  readonly keepSetting?: (name: string, text: string, local: boolean) => void;
  /** Gives up what a session runs, or ends the session; false where none has that number. */
  readonly interrupt?: (session: number, what: "statement" | "session") => boolean;
}

/** Places in the order of a column's type, both ends included. */
export interface ColumnRange {
  readonly from: number;
  readonly to: number;
}

/** Which rows of a table are read. */
export interface TableRead {
  readonly table: Table;
  /** Values that columns may have, by their positions; columns that are absent may have any. */
  readonly fixed: ReadonlyMap<number, readonly SqlValue[]>;
  /** Parts of their orders that columns are in, by their positions. */
  readonly ranges?: ReadonlyMap<number, ColumnRange>;
  /** The newest versions, as locking reads see them. */
  readonly current: boolean;
}

/** A part of a table's rows, in the order of a column. */
export interface Page {
  readonly source: number;
  readonly column: number;
  readonly most: RangeLimit;
  /** The rest that the parts before have left. */
  readonly rest: ColumnRange;
  /** The part that was read; undefined where all rows were. */
  part: RangePart | undefined;
}

/** One row of each relation of a query, and what was computed for it; `up` is that of the query around. */
export interface Env {
  readonly work: Work;
  readonly tuple: readonly (SqlRow | undefined)[];
  readonly up: Env | undefined;
  readonly aggregates: readonly SqlValue[];
  readonly windows: readonly SqlValue[];
  /** Rows of one relation that are read in parts. */
  readonly page?: Page;
  /** Places of the expressions that are not in the set that the group is of. */
  readonly absent?: ReadonlySet<number>;
}

export interface Node {
  readonly type: SqlType;
  readonly run: (env: Env) => SqlValue;
  /** It gives the same for every row: literals, parameters and what is made of them. */
  readonly constant: boolean;
  /** The conversion of literals and parameters whose type the context decides. */
  readonly coerce?: (type: SqlType) => Node;
  /** The text for it in results: names of objects that are known by number. */
  readonly shown?: Node;
  /** The origin of a plain column, or of what was cast to a type with limits. */
  readonly origin?: ColumnOrigin;
  readonly shape?: Shape;
  /** The text of a literal, for what must be known before a statement runs. */
  readonly literal?: string;
  /** The date moved by one of MySQL's intervals, which are no values. */
  readonly dated?: (date: Node, sign: 1 | -1) => Node;
}

/** Types for outputs of which the text says none; `open`: what is around the query decides it. */
export type Targets = readonly SqlType[] | "open";

/** The compiler of expressions and queries wherever they stand. */
export interface Recursion {
  readonly expression: (expression: SqlExpression, scope: Scope) => Node;
  readonly query: (
    query: SqlQuery,
    compiler: Compiler,
    parent: Scope | undefined,
    withs: ReadonlyMap<string, WithQuery>,
    targets: Targets,
  ) => CompiledQuery;
}

/** Shared parts of all parts of the compiler for one statement. */
export interface Compiler {
  readonly dialect: Dialect;
  readonly catalog: Catalog;
  /** Variables of the routine around, by their names; fields of records as `record.field`. */
  readonly locals?: ReadonlyMap<string, SqlType>;
  /** Types of parameters as far as they are known; PostgreSQL's come from the context. */
  readonly parameters: Map<number, SqlType>;
  /** The highest number of a parameter that occurs. */
  highestParameter: number;
  /** Numbers for WITH queries. */
  withs: number;
  /** How deep what is compiled is nested. */
  depth: number;
  readonly recursion: Recursion;
  /** Compiles a change inside WITH; given by the statement, which knows how changes are made. */
  readonly change: (change: SqlChange, withs: ReadonlyMap<string, WithQuery>) => CompiledQuery;
  /** Rows that a routine of the user returns. */
  readonly routine: (
    routine: Routine,
    args: readonly { readonly type: SqlType; readonly value: SqlValue }[],
    env: Env,
  ) => readonly SqlRow[];
}

export function constant(type: SqlType, value: SqlValue): Node {
  return { type, run: () => value, constant: true };
}

export function isPostgres(compiler: Compiler): boolean {
  return compiler.dialect === "postgres";
}

/** A node as one of another type, by an implicit conversion. Fails where PostgreSQL has none. */
export function coerceNode(node: Node, type: SqlType, compiler: Compiler): Node {
  if (node.type === type) return node;
  if (node.coerce !== undefined && isPostgres(compiler)) return node.coerce(type);
  if (isPostgres(compiler) && !isImplicit(node.type, type)) {
    throw failure(
      "typeMismatch",
      `an expression of type ${postgresName(node.type)} stands where ${postgresName(type)} is expected`,
    );
  }
  return convertNode(node, type, compiler);
}

/** A node as one of another type, by any conversion that there is. */
export function convertNode(node: Node, type: SqlType, compiler: Compiler): Node {
  if (node.type === type) return node;
  if (node.shown !== undefined && isText(type)) return convertNode(node.shown, type, compiler);
  if (node.coerce !== undefined) return node.coerce(type);
  const convert = converter(node.type, type, compiler.dialect);
  if (convert === undefined) {
    throw failure(
      "typeMismatch",
      `cannot cast type ${postgresName(node.type)} to ${postgresName(type)}`,
    );
  }
  const { run } = node;
  return { type, run: (env) => convert(run(env)), constant: node.constant };
}

/** A literal or parameter of which nothing is known is text. */
export function defaultToText(node: Node): Node {
  return node.type === "unknown" && node.coerce !== undefined ? node.coerce("text") : node;
}

/** The value true, false or neither. */
export type Truth = (env: Env) => boolean | null;

/** A node as a condition. PostgreSQL wants a truth value, MySQL takes any. */
export function truth(node: Node, compiler: Compiler, what: string): Truth {
  if (isPostgres(compiler)) {
    if (node.type !== "bool" && node.type !== "unknown") {
      throw failure(
        "typeMismatch",
        `argument of ${what} must be type boolean, not type ${postgresName(node.type)}`,
      );
    }
    const { run } = coerceNode(node, "bool", compiler);
    return (env) => {
      const value = run(env);
      return typeof value === "boolean" ? value : null;
    };
  }
  const { run, type } = node;
  return (env) => {
    const value = run(env);
    return value === null ? null : isTrue(value, type);
  };
}

export interface ScopeColumn {
  readonly name: string;
  readonly type: SqlType;
  /** How it was written where it was defined. */
  readonly shown?: string;
  readonly origin?: ColumnOrigin;
  readonly shape?: Shape;
}

/** A relation that the query reads. */
export interface Source {
  readonly alias: string;
  readonly columns: readonly ScopeColumn[];
  /** Columns that `*` leaves out, because a join merges them with others. */
  readonly merged: Set<number>;
  /** Positions of the primary key of a table, which decide all its other columns. */
  readonly key?: readonly number[];
  /** Positions of columns by which rows are found. */
  readonly indexed?: ReadonlySet<number>;
  /** Not found without its alias: `excluded`. */
  readonly onlyQualified?: boolean;
}

export interface Grouping {
  /** Columns by which rows are grouped: source and position. */
  readonly columns: readonly { readonly source: number; readonly column: number }[];
  /** Other expressions by which rows are grouped, as texts of their trees. */
  readonly expressions: ReadonlySet<string>;
  /** All of them in their order. */
  readonly all: readonly {
    readonly text: string;
    readonly column: { readonly source: number; readonly column: number } | undefined;
  }[];
  /** Sets of them, by their places, where there is more than one. */
  readonly sets?: readonly (readonly number[])[];
}

export interface Scope {
  readonly compiler: Compiler;
  readonly sources: Source[];
  readonly parent: Scope | undefined;
  readonly withs: Map<string, WithQuery>;
  /** Merged columns of USING and NATURAL joins. */
  readonly using: Map<string, Node>;
  /** Aliases of outputs, which MySQL knows in GROUP BY, HAVING and ORDER BY. */
  aliases: ReadonlyMap<string, SqlExpression>;
  readonly windows: Map<string, SqlWindow>;
  readonly aggregateSlots: AggregateSlot[];
  readonly windowSlots: WindowSlot[];
  /** Relations of the functions of outputs that give rows, by the texts of their trees. */
  sets: ReadonlyMap<string, number>;
  /** Set while what is compiled sees groups instead of rows. */
  grouping: Grouping | undefined;
  /** `allowed` where aggregates may stand, `nested` inside one, else the clause that takes none. */
  aggregates: string;
  /** Sources that were referred to since it was set. */
  used: Set<number> | undefined;
}

/** One aggregate of a query: what goes in for each row, and what takes it. */
export interface AggregateSlot {
  readonly inputs: readonly Node[];
  readonly filter: Truth | undefined;
  readonly distinct: boolean;
  readonly sorts: readonly Sort[];
  readonly start: (env: Env) => Accumulator;
  /** Rows in which the first input is NULL do not count. */
  readonly skipsNull: boolean;
}

/** One call over a window: its value for every row of a partition in order. */
export interface WindowSlot {
  readonly partitionBy: readonly Node[];
  readonly sorts: readonly Sort[];
  readonly compute: (partition: Partition) => readonly SqlValue[];
}

export interface Partition {
  readonly rows: readonly Env[];
  /** For each row the first and last row that the order does not tell from it. */
  readonly peers: readonly (readonly [number, number])[];
}

export interface Accumulator {
  readonly add: (values: readonly SqlValue[]) => void;
  readonly result: () => SqlValue;
}

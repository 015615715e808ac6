// Interface of a library of database access: what its imports, types, members and calls mean. Libraries know nothing of
// each other; `libraries.ts` lists them.
import type { Expression } from "../../../program/expression";
import type { Dialect } from "../../../program/dialect";
import type { Table } from "../../../program/schema";
import type { Command, Statement } from "../../../program/statement";
import type { FileId, SourceRange } from "../../../protocol/source";
import type { DeclaringCall } from "../workspace/declarationCalls";
import type { HirClass, HirExpression, HirFunction, HirModule } from "../hir";
import type { ModuleCall } from "../modules/references";
import type {
  Connection,
  HandleValue,
  ObjectValue,
  ResultColumns,
  RowsValue,
  RowValue,
  Scope,
  Value,
} from "../values";
import type { UndoRule } from "../evaluate/errors/errorClass";

export interface Library {
  /** As in package.json or an import. */
  readonly name: string;
  /** Modules that are it: `pg`, `mysql2/promise`; Java: packages (`java.sql`). */
  readonly modules: readonly string[];
  /** Further modules that are it, where schema files say so (`models` of this library): clients that tools generate. */
  readonly isModule?: (from: string, file: FileId, models: unknown) => boolean;
  /** The value of an import of one of its modules (`default`, `*` or a name); undefined: a plain handle by the name. */
  readonly imported?: (name: string, module: string, tools: Tools) => Value | undefined;
  /**
   * The value of something declared with that type (without type arguments): a parameter, a field. `of`: what the names
   * of its type arguments are.
   */
  readonly typed?: (type: string, tools: Tools, of?: readonly Value[]) => Value | undefined;
  /** An object of a class of the workspace that extends one of its classes. */
  readonly extended?: (superclass: string, tools: Tools) => Value | undefined;
  /** `handle.property`; undefined: a handle with the property added to its path. */
  readonly member?: (handle: HandleValue, property: string, tools: Tools) => Value | undefined;
  /** True if a handle has a property, which code may ask to tell handles apart; undefined: not known. */
  readonly has?: (handle: HandleValue, property: string, tools: Tools) => boolean | undefined;
  /** The library's implementation of an interface of the workspace (Java). */
  readonly implemented?: (declared: ClassValue, tools: Tools) => Value | undefined;
  /** A call of a handle (`path` ends with the method), or `new`. Undefined: not known, which is a loss. */
  readonly call: (handle: HandleValue, call: Call, tools: Tools) => Value | undefined;
  /** One of two handles of the library, as a condition says, as one; undefined: both are kept. */
  readonly joined?: (
    then: HandleValue,
    otherwise: HandleValue,
    condition: Expression,
  ) => HandleValue | undefined;
  /** Result of a handle when it is awaited: a query builder runs then. */
  readonly awaited?: (handle: HandleValue, tools: Tools) => Value | undefined;
  /**
   * True if a method of an object that extends one of its classes runs by itself: the library calls it, in a transaction
   * of its own, and what calls it besides is how the library is driven.
   */
  readonly standsAlone?: (self: ObjectValue, method: string) => boolean;
  /**
   * The rows of a loop whose test is the call of a handle that goes to the next row (`while (results.next())`), and
   * how the rows' owner hears of the row at hand.
   */
  readonly cursor?: (
    handle: HandleValue,
    tools: Tools,
  ) => { readonly rows: Value; readonly enter: (row: Value) => void } | undefined;
  /** The table that a handle or a class declares, as a schema in code does. */
  readonly declares?: (declared: HandleValue | ClassValue, tools: Tools) => Table | undefined;
  /** A static method that a class of the workspace has from this library. */
  readonly classMember?: (of: ClassValue, property: string, tools: Tools) => Value | undefined;
  /** Writes what the code changed in memory, before the transaction of the connection commits. */
  readonly committed?: (
    connection: Connection,
    options: Pick<TransactionOptions, "readOnly"> & { readonly source: SourceRange },
    tools: Tools,
  ) => void;
  /** Forgets what the code changed in memory: the transaction of the connection is undone. */
  readonly undone?: (connection: Connection | undefined, tools: Tools) => void;
  /** As `committed` where a round of a loop ends: for what the round made. `row`: the one that it was about. */
  readonly rounded?: (
    round: { readonly start: number; readonly row?: RowValue; readonly source: SourceRange },
    tools: Tools,
  ) => void;
  /** A tagged template whose tag is a handle. */
  readonly tagged?: (handle: HandleValue, template: Template, tools: Tools) => Value | undefined;
  /**
   * A method called on a row or rows, or on an object of a class, that this library gave it (`save()`, `increment()`);
   * called on a part of a row of which nothing is known, `part.save`.
   */
  readonly rowCall?: (
    row: Extract<Value, { kind: "row" | "rows" | "object" }>,
    method: string,
    call: Call,
    tools: Tools,
  ) => Value | undefined;
  /** The methods of rows and objects that run a statement, and give a promise. */
  readonly statementsOfRows?: ReadonlySet<string>;
  /** Properties of a row beside its fields: its class, and the getters of its class. */
  readonly rowMember?: (
    row: RowValue,
    property: string,
    source: SourceRange,
    tools: Tools,
  ) => Value | undefined;
  /**
   * The meaning of an unknown receiver by the shape of a call alone (`x.query("SELECT ...")`). `known`: libraries whose
   * modules the workspace imports.
   */
  readonly shaped?: (shape: Shape, tools: Tools) => HandleValue | undefined;
  /** True if `shaped` may know a call by how it is written. Errs on the side of yes. */
  readonly asks?: (call: ModuleCall, workspace: Asking) => boolean;
  /** True if something of its making, without a connection, is a table: who is given it may run statements on it. */
  readonly isTable?: (data: unknown) => boolean;
  /** Tables that code declares in functions, or without a name. */
  readonly tables?: (tools: Tools) => readonly Table[];
  /** True if a method or function with these annotations runs in a transaction of its own (Spring, Nest). */
  readonly boundary?: (
    of: {
      readonly function: HirFunction;
      readonly file: FileId;
      readonly class?: HirClass;
      /** The types that the class extends and implements. */
      readonly above?: () => readonly HirClass[];
      /** An object calls it on itself, which what stands around objects does not see. */
      readonly isOwnCall?: boolean;
      /** Kind of a name of its module. */
      readonly named: (name: string) => Value | undefined;
    },
    tools: Tools,
  ) => TransactionOptions | undefined;
}

/** The library of a handle. Only libraries make handles. */
export function libraryOf({ library }: Pick<HandleValue, "library">): Library {
  if (!isLibrary(library)) throw new Error(`${library.name} is no library`);
  return library;
}

function isLibrary(library: HandleValue["library"]): library is Library {
  return "call" in library;
}

export type ClassValue = Extract<Value, { kind: "class" }>;

export interface Call {
  readonly arguments: readonly Value[];
  readonly isNew: boolean;
  readonly typeArguments: readonly string[];
  readonly source: SourceRange;
}

export interface Template {
  /** The text with the values as holes. */
  readonly text: Value;
  readonly values: readonly Value[];
  readonly source: SourceRange;
}

export interface Shape {
  readonly receiver: Value;
  /** The receiver as written: `this.db`. */
  readonly name: string;
  readonly method: string;
  readonly arguments: readonly Value[];
  /** The libraries whose modules the workspace imports somewhere. */
  readonly used: ReadonlySet<string>;
}

/** Facts about a workspace before anything of it is evaluated. */
export interface Asking {
  readonly used: ReadonlySet<string>;
  readonly models: (library: string) => unknown;
}

export interface TransactionOptions {
  /** A level's name as the code gives it (`Serializable`, `REPEATABLE READ`), or undefined for the default. */
  readonly level?: string;
  readonly readOnly?: boolean;
  /** It does not join an open one, which waits meanwhile. */
  readonly isNew?: boolean;
  /** In an open one it is a savepoint, to which errors go back. */
  readonly isNested?: boolean;
  /** It is none: where one is open, that one waits meanwhile. */
  readonly isOutside?: boolean;
  /** Errors that it is undone for; absent: all of them. */
  readonly undoes?: UndoRule;
  /** It holds what runs on any connection. */
  readonly isAny?: boolean;
  readonly source?: SourceRange;
}

/** Effect of one SQL text. */
export interface SqlOutcome {
  /** The rows that came back, where any can. */
  readonly rows?: Extract<Value, { kind: "rows" }>;
  /** Instead of the rows, where the text was one of two: the rows of one or the other. */
  readonly choice?: Value;
  /** Rows returned or changed. */
  readonly count: Value;
  /** The number that an INSERT made. */
  readonly insertId?: Value;
  readonly kind: "select" | "change" | "control" | "none";
}

export interface SqlParameters {
  /** By position, for `$1`, `?`, `%s`. */
  readonly positional?: readonly Value[];
  /** By position, counted from one, where not all of them are in a list. */
  readonly at?: (position: number) => Value | undefined;
  /** By name, for `:name`, `@name`. */
  readonly named?: (name: string) => Value | undefined;
  /** The value of all others that are not told one by one. */
  readonly rest?: Value;
  /** The schema of names without one. */
  readonly schema?: string | undefined;
}

/** Facts that calls of methods of those names declare, wherever they stand in the workspace. */
export interface Declaration<Facts> {
  readonly names: ReadonlySet<string>;
  /** The facts while `read` asks for itself. */
  readonly none: Facts;
  /** Runs when the facts are asked for first; who asks depends on what that looked at. */
  readonly read: (calls: readonly DeclaringCall[], tools: Tools) => Facts;
}

/** The calls themselves. */
export function callsOf(...names: readonly string[]): Declaration<readonly DeclaringCall[]> {
  return { names: new Set(names), none: [], read: (calls) => calls };
}

/** A statement without what the evaluator gives it. */
export type StatementDraft = Statement extends infer Each
  ? Each extends Statement
    ? Omit<Each, "id" | "source" | "text" | "taint"> & { readonly taint?: readonly string[] }
    : never
  : never;

/** The actions of libraries. Valid during one call. */
export interface Tools {
  readonly dialect: Dialect;
  readonly table: (name: string) => Table | undefined;
  /** The schema in files of an ORM, by the library that asks. */
  readonly models: (library: string) => unknown;

  /** Result of one of two ways, by a condition. */
  readonly either: (condition: Expression, then: () => Value, otherwise: () => Value) => Value;
  /** Runs SQL text on a connection; transaction control in it begins and ends transactions. */
  readonly sql: (
    connection: Connection | undefined,
    text: Value,
    parameters: SqlParameters,
    source: SourceRange,
  ) => SqlOutcome;
  /** Runs a statement of the library's own making; gives its id. */
  readonly statement: (
    connection: Connection | undefined,
    draft: StatementDraft,
    source: SourceRange,
  ) => string;
  /** Adds any command: `if`, `assign`, `rollback`. */
  readonly emit: (command: Command) => void;
  /** The commands that `run` adds, which are not added here. */
  readonly collected: (run: () => void) => Command;
  /** A fresh name: of a result (`r`), variable or loop. */
  readonly fresh: (prefix: string) => string;

  /** A new connection or pool. */
  readonly connection: (isPool: boolean) => Connection;
  /** True if a transaction is open on it. */
  readonly isOpen: (connection: Connection | undefined) => boolean;
  /** True if a constructor runs: what it does with transactions stands in none of the commands. */
  readonly isMaking: () => boolean;
  /** The file of the function at hand. */
  readonly file: () => FileId;
  readonly begin: (connection: Connection | undefined, options: TransactionOptions) => void;
  readonly commit: (connection: Connection | undefined, source: SourceRange) => void;
  readonly rollback: (connection: Connection | undefined, source: SourceRange) => void;
  /** Lets libraries write what was changed in memory: a transaction commits here. */
  readonly committed: (connection: Connection, source: SourceRange) => void;
  /** Runs what a callback does in a transaction; what it throws undoes it. */
  readonly inTransaction: (
    connection: Connection,
    options: TransactionOptions & { readonly source: SourceRange },
    run: () => Value,
  ) => Value;
  /** Ends the function with an error unless the condition holds. */
  readonly require: (condition: Expression, why: string, source: SourceRange) => void;
  /** A call may throw for reasons that are not known, which matters where a handler does something about it. */
  readonly mayFail: (name: string, source: SourceRange) => void;
  /** True if something outside of the code is so, decided anew each time. */
  readonly decidedOutside: (what: string) => Expression;

  /** The value of an expression of the code that stands outside of functions: an argument of a decorator. */
  readonly evaluate: (expression: HirExpression, scope: Scope) => Value;
  readonly module: (file: FileId) => HirModule | undefined;
  /** Facts that the workspace declares, the same whenever they are asked for in one reading. */
  readonly declared: <Facts>(declaration: Declaration<Facts>) => Facts;
  /** The names at the top of a file. */
  readonly top: (file: FileId) => Scope | undefined;
  /** Calls a function value. */
  readonly call: (callee: Value, args: readonly Value[], source: SourceRange) => Value;
  /** Runs what is deferred. */
  readonly settle: (value: Value) => Value;
  /** The value as an expression of the AR. What cannot be one is an unknown, which taints what it is used in. */
  readonly expression: (value: Value) => Expression;
  /** The value as a condition, as the language tells true from false. */
  readonly condition: (value: Value) => Expression;
  /** True if two values are the same, as the language has it. */
  readonly isSame: (left: Value, right: Value) => Expression;
  /** `value.property`, as the code would get it. */
  readonly member: (value: Value, property: string) => Value;
  /** The same without asking whether there is anything to have it. */
  readonly field: (value: Value, property: string) => Value;
  /** Sets a field of a record or row, as the code would. */
  readonly assign: (value: Value, property: string, written: Value) => void;
  /** The named fields of a value, where all of them are known. */
  readonly fields: (value: Value) => ReadonlyMap<string, Value> | undefined;
  /** The items of a list, where all of them are known. */
  readonly items: (value: Value) => readonly Value[] | undefined;
  /** A list that branches added to, as one of several lists of known items; other values as they are. */
  readonly spelledOut: (value: Value) => Value;
  /** Those of the rows, or the first of them, for which a condition holds. */
  readonly those: (rows: RowsValue, test: (row: RowValue) => Expression) => Value;
  readonly firstOf: (rows: RowsValue, test: (row: RowValue) => Expression) => Value;
  /** True if an expression is one of the items of a list that rows make; undefined where that cannot be asked. */
  readonly isAmong: (operand: Expression, list: Value) => Expression | undefined;
  /** The same for what a value is looked for in: of a list that is an argument its first items, which may be absent. */
  readonly members: (value: Value) => readonly Value[] | undefined;
  /** Runs something for each item of a list, in a loop where the items are not known one by one. */
  readonly each: (list: Value, source: SourceRange, run: (item: Value) => void) => void;
  readonly object: (fields: Readonly<Record<string, Value>>) => Value;
  readonly list: (items: readonly Value[]) => Value;
  readonly rows: (result: string, columns: ResultColumns, data?: unknown) => Value;
  readonly firstRow: (rows: Value) => Value;
  readonly handle: (path: string, data?: unknown, connection?: Connection) => HandleValue;
  /** Says that something of the transaction was lost outside of its statements. */
  readonly lose: (reason: string, source: SourceRange, effect?: "over" | "opaque") => void;
}

// Abstract values of application code: expressions of the AR where they are scalars, and structured values where they
// are rows, records, lists, functions or parts of a library.
import type { Expression, ValueType } from "../../program/expression";
import type { FileId } from "../../protocol/source";
import { fewReads } from "./roots/provenance";
import type { HirClass, HirFunction, TextRun } from "./hir";

/** A place whose value can change. Writes go through the state's trail, so that branches can be undone. */
export interface Cell {
  /** Absent: nothing is there. */
  value: Value | undefined;
  /** Rising with time: what is older than a loop and written in it is carried from round to round. */
  readonly birth: number;
  /** Additions to a list, which only grows. */
  readonly isGrown?: boolean;
  /** The time at which a field's record was made. It is taken to be older, since it may be there behind what made it. */
  readonly made?: number;
  /** The value of a field that is read where nothing was written yet. */
  readonly unset?: Value;
  /** Functions find in it what others left: what the tops of modules leave there says nothing. */
  readonly isLiving?: true;
}

/** When there was first something that has the cell. */
export function ageOf({ birth, made = birth }: Cell): number {
  return made;
}

/** Where a name of the code is looked up. */
export interface Scope {
  readonly bindings: Map<string, Cell>;
  readonly parent?: Scope;
  readonly self?: Value;
  readonly module: ModuleScope;
}

/** The top of a module; its names are evaluated when they are asked for. */
export interface ModuleScope {
  readonly file: FileId;
  /** The value of a name at the top of the module or imported by it. */
  readonly lookup: (name: string) => Value | undefined;
  /** The place of a variable at the top of the module that the code assigns. */
  readonly variable?: (name: string) => Cell | undefined;
  /** Classes and functions of the module by name, methods with their class. */
  readonly scope: Scope;
}

export type TextPart =
  | { readonly kind: "run"; readonly run: TextRun; readonly file: FileId }
  | { readonly kind: "hole"; readonly value: Value };

/** The columns of a result by their names in it; `order` for reading by position. */
export interface ResultColumns {
  readonly order: readonly string[];
  readonly types: ReadonlyMap<string, ValueType>;
  /** Those that are never NULL in a row. */
  readonly required?: ReadonlySet<string>;
  /** Those that the driver may give as something else than a number, though it is one. */
  readonly wide?: ReadonlySet<string>;
  /** The code's names for them, where these are others: fields of a model by their columns. */
  readonly renamed?: ReadonlyMap<string, string>;
  /** The case that the columns are declared with is not known. */
  readonly foldsCase?: boolean;
  /** Values that were read along with the first row: related rows and counts, by the names that the code uses. */
  readonly related?: ReadonlyMap<string, Value>;
  /** Values that were read along with all rows: which of them belong to each. */
  readonly relatedTo?: ReadonlyMap<string, (row: RowValue) => Value>;
}

/** The rows of a result, all or one of them. */
export interface ResultReference {
  readonly result: string;
  readonly columns: ResultColumns;
  /** The count of births when it was read; absent where that is not known. */
  readonly born?: number;
  /** The fields of its rows that were assigned since, by where these are: shared by all who hold some of them. */
  readonly assigned?: Map<string, Map<string, Cell>>;
}

export type Value =
  | {
      readonly kind: "scalar";
      readonly expression: Expression;
      readonly type?: ValueType;
      /** A column that may be NULL, as it was read. */
      readonly mayBeNull?: true;
      /** A number that the driver may give as something else. */
      readonly isWide?: true;
      /** Where this does not hold, it is `undefined`, which NULL stands for. Absent: it always is something. */
      readonly where?: Expression;
      /** Members of a function's result that gives nothing at times. */
      readonly whole?: Value;
      readonly foreign?: Foreign;
      /** A set of its items, where it is a list. */
      readonly isOnce?: true;
    }
  /** A string as far as it can be recovered. */
  | { readonly kind: "text"; readonly parts: readonly TextPart[] }
  /** Absent: a record has no such field at all, not even one that holds `undefined`. */
  | { readonly kind: "undefined"; readonly isAbsent?: true }
  /**
   * A value from outside: an argument of the function or a part of one, by its path (`req.body.amount`). As a
   * scalar it is a parameter of the transaction.
   */
  | {
      readonly kind: "input";
      readonly path: string;
      readonly origin: "argument" | "constant";
      readonly type?: string;
      /** Meaning of the name of its type, where that is one of the workspace's. */
      readonly standsFor?: string;
      /** Callers need not give it. */
      readonly mayLack?: boolean;
      /** Nothing checks that callers give it, though its type says so. */
      readonly isUnchecked?: boolean;
      /** The declared type of a member: a client, an argument of a type of its own. */
      readonly members?: (property: string) => Value | undefined;
      /** The types that its own type gives to a function that is its argument, by the places of both. */
      readonly gives?: (argument: number, parameter: number) => Value | undefined;
      /** The file that names its type, where members are told by that. */
      readonly holder?: FileId;
      /** The array whose element it is (a part of), and the element's index, counted from one. */
      readonly element?: {
        readonly array: string;
        readonly field: string;
        readonly index: Expression;
      };
      /** A set of its items. */
      readonly isOnce?: true;
      /** All arguments from some on, of which nobody knows how many there are. */
      readonly isRest?: boolean;
      readonly foreign?: Foreign;
      /** When the round of a loop began that took it from its array. */
      readonly born?: number;
    }
  | RowValue
  | RowsValue
  | ObjectValue
  | ListValue
  /**
   * A list whose items are made from another's when they are asked for: `map` and `filter` without statements, the same
   * items in some order, the items of its items.
   */
  | {
      readonly kind: "derived";
      readonly from: Value;
      readonly how: "map" | "filter" | "order" | "flat";
      readonly by: Value;
      /** Its order is one of its items, whatever that of `from` is. */
      readonly isSorted?: true;
      /** True of a set, which has one of items that are alike. */
      readonly isOnce?: true;
      /** The fields of its items that were assigned since they were made for the first time. */
      readonly assigned?: Map<string, Cell>;
    }
  /** A list that holds others' items one after the other: `[first, ...rows]`. */
  | {
      readonly kind: "joined";
      readonly parts: readonly Value[];
      /** The first part is what a list held before branches added the others. */
      readonly isGrowth?: boolean;
    }
  | {
      readonly kind: "function";
      readonly function: HirFunction;
      readonly scope: Scope;
      readonly self?: Value;
      readonly name?: string;
      /** The functions that were open where it was put aside: it runs later, and none of them begins anew in it. */
      readonly within?: readonly string[];
      /** The key of the root that it is, where others are the same function with other values around it. */
      readonly made?: string;
      /** Its calls run where their promises are settled. */
      readonly isLater?: boolean;
    }
  | {
      readonly kind: "class";
      readonly class: HirClass;
      readonly scope: Scope;
      /** Its static fields that the code changes. */
      readonly statics?: ReadonlyMap<string, Cell>;
    }
  | HandleValue
  /** A function of the language's own library, by its name; `self` is what it was taken from. */
  | {
      readonly kind: "builtin";
      readonly name: string;
      readonly self?: Value;
      /** A set of its items, where it is a list. */
      readonly isOnce?: true;
    }
  /** All that a module exports. */
  | { readonly kind: "namespace"; readonly lookup: (name: string) => Value | undefined }
  /** A function of an unknown library, or an object that reaches the database in ways that are not read. */
  | {
      readonly kind: "external";
      readonly name: string;
      readonly isDataAccess?: boolean;
      /** The module that it comes from, as imports name it. */
      readonly module?: string;
      /** True of a package that has nothing to do with a database, told by its name. */
      readonly isOfOthers?: boolean;
    }
  /** Runs when it is awaited, returned or given to something that awaits it. */
  | { readonly kind: "deferred"; readonly run: () => Value; readonly data?: unknown }
  | {
      readonly kind: "choice";
      readonly condition: Expression;
      readonly then: Value;
      readonly otherwise: Value;
    }
  | {
      readonly kind: "unknown";
      /** For people: no meaning depends on it. */
      readonly why: string;
      readonly dependsOn: readonly Expression[];
      /** It is one of several things that the code keeps, and nobody knows which: items of a list, or others. */
      readonly among?: "items" | "others";
    };

/** An object that something unknown made for the code, or a part of one. */
export interface Foreign {
  /** The whole object now: what it was made as until the code changes it. */
  readonly now: Cell;
  /** The path of the whole where that is an input, else what it was made by. */
  readonly path: string;
}

/**
 * One row; `at` as in a field of the AR, or the first or last row for which a condition holds on the row that `loop` has
 * at hand. Without a row its fields are NULL; asking for them is an error of the code.
 */
export interface RowValue extends ResultReference {
  readonly kind: "row";
  readonly at: "first" | { readonly loop: string } | SearchedRow;
  /** The library's knowledge of it: its model, for one. */
  readonly data?: unknown;
  /** Fields that were assigned since. */
  readonly overlay: Map<string, Cell>;
}

/** All rows of a result. */
export interface RowsValue extends ResultReference {
  readonly kind: "rows";
  readonly data?: unknown;
}

interface SearchedRow {
  readonly loop: string;
  readonly where: Expression;
  readonly which: "first" | "last";
}

/** A field of a row as it was read. */
export function fieldExpression({ result, at }: RowValue, field: string): Expression {
  if (at === "first" || !("where" in at)) return { kind: "field", result, field, at };
  const { loop, where, which } = at;
  const value: Expression = { kind: "field", result, field, at: { loop } };
  return { kind: "among", result, loop, function: which, where, value };
}

export interface ObjectValue {
  readonly kind: "object";
  readonly fields: Map<string, Cell>;
  /** The count of births when it was made; absent where that is not known. */
  readonly born?: number;
  /** The source of the fields that are not named: a spread of something without known fields. */
  readonly rest?: Value;
  readonly class?: { readonly class: HirClass; readonly scope: Scope };
  /** A `Map` of JavaScript: its keys are fields, and it has the methods of one. */
  readonly isMap?: boolean;
  /** The entries of a map whose keys are only known when it runs: a list of pairs. */
  readonly pairs?: Value;
}

export interface ListValue {
  readonly kind: "list";
  readonly items: Cell[];
  /** Additions of loops, in order, whose rounds can be run again. */
  readonly grown: Cell;
  /** A set of its items, of which some may be alike. */
  readonly isOnce?: true;
}

/** A library by its name; `libraryOf` gives its meaning. */
export interface LibraryReference {
  readonly name: string;
}

/** A part of a library: a connection, a builder, a method. Its library gives it meaning by `path`. */
export interface HandleValue {
  readonly kind: "handle";
  readonly library: LibraryReference;
  /** Its meaning, and how it was reached from there: `pool`, `client.query`, `prisma.user.findMany`. */
  readonly path: string;
  /** Data of the library's own making; never changed, only replaced. */
  readonly data?: unknown;
  /** The connection that statements run on; handles that share it are in the same transaction. */
  readonly connection?: Connection;
}

/** A connection or a pool. */
export interface Connection {
  readonly id: string;
  /** A pool runs each statement by itself, whatever transaction is open elsewhere. */
  readonly isPool: boolean;
  /** That it is a pool is told by its name alone, or it keeps a session of its own. */
  readonly mayBeOne?: boolean;
  /** The function got it from its caller, who may have begun a transaction on it. */
  readonly isGiven?: boolean;
  /** It may be any: what runs while a transaction is open on it is a part of that. */
  readonly isAny?: boolean;
}

export const UNDEFINED: Value = { kind: "undefined" };
/** Content of a record under a name that it does not have. */
export const ABSENT: Value = { kind: "undefined", isAbsent: true };

/** A scalar of an expression. */
export function scalar(expression: Expression, type?: ValueType): Value {
  return type === undefined ? { kind: "scalar", expression } : { kind: "scalar", expression, type };
}

/** A scalar of a constant; a string is a text without a place. */
export function constant(value: number | string | boolean | null): Value {
  if (typeof value === "string") return textOf(value);
  const type =
    typeof value === "number"
      ? Number.isInteger(value)
        ? "int"
        : "decimal"
      : value === null
        ? "other"
        : "bool";
  const expression: Expression = { kind: "literal", value, type };
  return type === "other" ? { kind: "scalar", expression } : { kind: "scalar", expression, type };
}

/** A text that stands nowhere in a file. */
export function textOf(text: string): Value {
  const run = { text, start: -1 };
  return { kind: "text", parts: [{ kind: "run", run, file: NOWHERE }] };
}

/** The file of texts that stand nowhere. */
// No file of a workspace has an empty name.
export const NOWHERE = "" as FileId;

/** A value that is not known, with the reads that it came from. */
export function unknown(why: string, dependsOn: readonly Expression[] = []): Value {
  return { kind: "unknown", why, dependsOn: fewReads(dependsOn) };
}

/** One of several things that the code keeps (values of rounds, paths or keys), of which nobody knows which. */
export function oneOfSeveral(
  why: string,
  dependsOn: readonly Expression[] = [],
  among: "items" | "others" = "others",
): Value {
  return { kind: "unknown", why, dependsOn: fewReads(dependsOn), among };
}

/** One of the items of a list. */
export function unknownItem(why: string, dependsOn: readonly Expression[] = []): Value {
  return oneOfSeveral(why, dependsOn, "items");
}

/** Arguments of a handler: an object of which nothing is known. */
export const AN_ERROR: Value = {
  kind: "object",
  fields: new Map(),
  rest: unknown("what an error says"),
};

/** True if it is an argument that is declared as an array. */
export function isArray(value: Value): boolean {
  return value.kind === "input" && /\[\]$|^(?:Readonly)?Array</u.test(value.type?.trim() ?? "");
}

/** The string that a text is, undefined where it has holes. */
export function constantText(value: Value | undefined): string | undefined {
  if (value?.kind !== "text") return undefined;
  let text = "";
  for (const part of value.parts) {
    if (part.kind === "run") text += part.run.text;
    else {
      const inner = constantText(part.value) ?? constantScalar(part.value)?.toString();
      if (inner === undefined) return undefined;
      text += inner;
    }
  }
  return text;
}

/** The constant that a scalar or text is; undefined where it is none. */
export function constantScalar(
  value: Value | undefined,
): number | string | boolean | null | undefined {
  if (value?.kind === "scalar" && value.expression.kind === "literal")
    return value.expression.value;
  return constantText(value);
}

/** The name of a part of an input; parts of one that has no name (a parameter that is taken apart) go by their own. */
export function partPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

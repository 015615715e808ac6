// Abstract values of application code: AR expressions for scalars, and structured values for rows, records, lists, functions and parts of
// libraries.
import type { Expression, ValueType } from "../../program/expression";
import type { FileId } from "../../protocol/source";
import { fewReads } from "./roots/provenance";
import type { HirClass, HirFunction, TextRun } from "./hir";
import type { Type } from "./typeTree";

/** A mutable location. Writes are recorded on the state's trail so that branches can be undone. */
export interface Cell {
  /** Absent if nothing has been stored. */
  value: Value | undefined;
  /** Increases with time: a cell that is older than a loop and written in it is carried from iteration to iteration. */
  readonly birth: number;
  /** Additions to a list, which only grows. */
  readonly isGrown?: boolean;
  /**
   * The time at which the field's record was created. The field counts as that old, since it may already have existed behind its creator.
   */
  readonly made?: number;
  /** The value read from a field that has not been written yet. */
  readonly unset?: Value;
  /** The cell outlives a call: functions find in it what others left, so its initial value at the top of a module says nothing. */
  readonly isLiving?: true;
}

/** The time since which an object with this cell has existed. */
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

/** The top level of a module; its names are evaluated on demand. */
export interface ModuleScope {
  readonly file: FileId;
  /** The value of a top-level or imported name. */
  readonly lookup: (name: string) => Value | undefined;
  /** The cell of a top-level variable that the code assigns. */
  readonly variable?: (name: string) => Cell | undefined;
  /** Classes and functions of the module by name; methods with their class. */
  readonly scope: Scope;
}

export type TextPart =
  | { readonly kind: "run"; readonly run: TextRun; readonly file: FileId }
  | { readonly kind: "hole"; readonly value: Value };

/** The columns of a result by name; `order` for access by position. */
export interface ResultColumns {
  readonly order: readonly string[];
  readonly types: ReadonlyMap<string, ValueType>;
  /** Columns that are never NULL in a row. */
  readonly required?: ReadonlySet<string>;
  /** Numeric columns that the driver may return as something other than a number. */
  readonly wide?: ReadonlySet<string>;
  /** The code's names for columns, if they differ: fields of a model by column. */
  readonly renamed?: ReadonlyMap<string, string>;
  /** The declared case of the columns is not known. */
  readonly foldsCase?: boolean;
  /** Values that were loaded along with the first row (related rows and counts), by their names in the code. */
  readonly related?: ReadonlyMap<string, Value>;
  /** Values that were loaded along with all rows, as functions that select those of one row. */
  readonly relatedTo?: ReadonlyMap<string, (row: RowValue) => Value>;
}

/** The rows of a result: all or one of them. */
export interface ResultReference {
  readonly result: string;
  readonly columns: ResultColumns;
  /** The time at which it was read; absent if that is not known. */
  readonly born?: number;
  /** Fields of its rows that were assigned later, by row; shared by all values that hold some of the rows. */
  readonly assigned?: Map<string, Map<string, Cell>>;
}

/** An item of an array among the arguments, or a part of one, by the item's index, counted from one. */
export interface ArgumentElement {
  readonly array: string;
  readonly field: string;
  readonly index: Expression;
}

/** The place of a part of an argument: its path, and the array item that it is of. */
export interface ArgumentPlace {
  readonly path: string;
  readonly element?: ArgumentElement;
  /** The time at which the loop iteration began that took it from its array. */
  readonly born?: number;
}

/** A part of what stands there. */
export function partPlace(place: ArgumentPlace, property: string): ArgumentPlace {
  const { path, element, born } = place;
  const field = element === undefined || element.field === "" ? property : `${element.field}.${property}`; // prettier-ignore
  return {
    path: partPath(path, property),
    ...(element && { element: { ...element, field } }),
    ...(born !== undefined && { born }),
  };
}

export type Value =
  | {
      readonly kind: "scalar";
      readonly expression: Expression;
      readonly type?: ValueType;
      /** The column may be NULL in the row that was read. */
      readonly mayBeNull?: true;
      /** The driver may return this number as something else. */
      readonly isWide?: true;
      /** Where this condition does not hold, the value is `undefined`, represented by NULL. Absent if there always is a value. */
      readonly where?: Expression;
      /** Members of a function's result that gives nothing at times. */
      readonly whole?: Value;
      readonly foreign?: Foreign;
      /** For a list: a set of its items. */
      readonly isOnce?: true;
    }
  /** A string as far as it could be recovered. */
  | { readonly kind: "text"; readonly parts: readonly TextPart[] }
  /** Absent: a record has no such field, not even one that holds `undefined`. */
  | { readonly kind: "undefined"; readonly isAbsent?: true }
  /**
   * A value from outside: an argument of the function or a part of one, by its path (`req.body.amount`). As a scalar it is a parameter of
   * the transaction.
   */
  | {
      readonly kind: "input";
      readonly path: string;
      readonly origin: "argument" | "constant";
      readonly type?: string;
      /** The declared type of what it is a part of. */
      readonly ofType?: string;
      /** The resolved name of its type, if that is one of the workspace's. */
      readonly standsFor?: string;
      /** Callers may omit it. */
      readonly mayLack?: boolean;
      /** Its type requires it, but nothing checks that callers pass it. */
      readonly isUnchecked?: boolean;
      /** Looks up members by the declared type: a client, an argument of a type of its own. */
      readonly members?: (property: string) => Value | undefined;
      /** The value of an item by the declared type, if it is a list. */
      readonly item?: (place: ArgumentPlace) => Value | undefined;
      /** The types that its own type gives to the parameters of a callback, by the positions of both. */
      readonly gives?: (argument: number, parameter: number) => Value | undefined;
      /** The file that names its type, if its members are looked up by type. */
      readonly holder?: FileId;
      /** The array that it is an element (or part of an element) of, and the element's index, counted from one. */
      readonly element?: ArgumentElement;
      /** A set of its items. */
      readonly isOnce?: true;
      /** All arguments from a position on; their number is not known. */
      readonly isRest?: boolean;
      readonly foreign?: Foreign;
      /** The time at which the loop iteration began that took it from its array. */
      readonly born?: number;
    }
  | RowValue
  | RowsValue
  | ObjectValue
  | ListValue
  /** A list whose items are computed on demand from another list's: `map` and `filter` without statements, reordering, flattening. */
  | {
      readonly kind: "derived";
      readonly from: Value;
      readonly how: "map" | "filter" | "order" | "flat";
      readonly by: Value;
      /** It is sorted by its items, whatever the order of `from`. */
      readonly isSorted?: true;
      /** For a set: it has no duplicates. */
      readonly isOnce?: true;
      /** The fields of its items that were assigned after the items were first computed. */
      readonly assigned?: Map<string, Cell>;
    }
  /** A concatenation of lists: `[first, ...rows]`. */
  | {
      readonly kind: "joined";
      readonly parts: readonly Value[];
      /** The first part is the list before branches appended the others. */
      readonly isGrowth?: boolean;
    }
  | {
      readonly kind: "function";
      readonly function: HirFunction;
      readonly scope: Scope;
      readonly self?: Value;
      readonly name?: string;
      /** The functions that were active when it was stored: it runs later, and does not enter any of these again. */
      readonly within?: readonly string[];
      /** The key of the root, if other roots are the same function with another closure. */
      readonly made?: string;
      /** Its calls run when their promises are settled. */
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
  /** A built-in function, by name; `self` is its receiver. */
  | {
      readonly kind: "builtin";
      readonly name: string;
      readonly self?: Value;
      /** A set of its items, where it is a list. */
      readonly isOnce?: true;
    }
  /** All exports of a module. */
  | { readonly kind: "namespace"; readonly lookup: (name: string) => Value | undefined }
  /** A function of an unknown library, or an object whose access to the database is not analyzed. */
  | {
      readonly kind: "external";
      readonly name: string;
      readonly isDataAccess?: boolean;
      /** The module that it comes from, as imported. */
      readonly module?: string;
      /** The package has nothing to do with a database, judging by its name. */
      readonly isOfOthers?: boolean;
    }
  /** A deferred call: runs when it is awaited, returned or passed to something that awaits it. */
  | {
      readonly kind: "deferred";
      readonly run: () => Value;
      readonly data?: unknown;
      /** It runs already: awaiting it says what became of it. */
      readonly started?: StartedPromise;
    }
  | {
      readonly kind: "choice";
      readonly condition: Expression;
      readonly then: Value;
      readonly otherwise: Value;
    }
  | {
      readonly kind: "unknown";
      /** For display only. */
      readonly why: string;
      readonly dependsOn: readonly Expression[];
      /** It is one of several values that the code keeps, and it is not known which: items of a list, or others. */
      readonly among?: "items" | "collections" | "others";
      /** The declared type of what such a collection holds. */
      readonly items?: Type;
    };

/** A promise of something that runs already, and may have failed where nobody awaited it yet. */
export interface StartedPromise {
  /** The value that it gives; absent where only awaiting tells. */
  readonly value?: Value;
  /** The condition that it was rejected; undefined where nothing in it was caught. */
  readonly isRejected: () => Expression | undefined;
  /** It is awaited beside others, which go on where it fails. */
  readonly failsAlone: (isInLoop: boolean) => void;
  /** Nobody awaits it. */
  readonly swallow: () => void;
}

/** An object (or a part of one) that unknown code created. */
export interface Foreign {
  /** The current value of the whole object: as it was created until the code changes it. */
  readonly now: Cell;
  /** The path of the whole object if it is an input, else its creator. */
  readonly path: string;
}

/**
 * One row; `at` as in a field of the AR, or the first or last row that satisfies a condition on the current row of `loop`. If there is no
 * such row, its fields are NULL; accessing them is an error of the code.
 */
export interface RowValue extends ResultReference {
  readonly kind: "row";
  readonly at: "first" | { readonly loop: string } | SearchedRow;
  /** Data of the library, for example the model. */
  readonly data?: unknown;
  /** Fields that were assigned later. */
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
  /** The declared type of what such a map holds. */
  readonly content?: Type;
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

/** True of the constant null. */
export function isNull(value: Value): boolean {
  return (
    value.kind === "scalar" &&
    value.expression.kind === "literal" &&
    value.expression.value === null
  );
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
  among: "items" | "collections" | "others" = "others",
): Extract<Value, { kind: "unknown" }> {
  return { kind: "unknown", why, dependsOn: fewReads(dependsOn), among };
}

/** One of several maps, sets and lists of the language, or nothing; what it holds may be anything. */
export function oneCollection(
  why: string,
  dependsOn: readonly Expression[] = [],
  items?: Type,
): Value {
  const one = oneOfSeveral(why, dependsOn, "collections");
  return items ? { ...one, items } : one;
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

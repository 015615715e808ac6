// Known values of a run at a point: columns of rows that it read, numbers of rows, arguments from outside.
import type { Value } from "../events";
import { CONCEALED_NUMBER, type RecordedStatement } from "../statements";

/** The statements of one run in the order of its path, without what the path leaves out. */
export type Path = readonly RecordedStatement[];

export interface KnownValue {
  /** As a script writes it: `:s1_balance`. */
  readonly expression: string;
  /** The name of the column or of the number's subject. */
  readonly column: string;
  /** The statement's place on the path; arguments from outside have that of their first use. */
  readonly step: number;
  readonly origin: "column" | "count" | "input";
  /** Place of a column in its row. */
  readonly at?: number;
  /** The expression that this one must equal: the statement asked for rows with that value, or wrote it. */
  readonly fixed?: string;
  /** The expression that this amount is taken from or added to. */
  readonly base?: string;
  /** Undefined where the run has none: no row was found. */
  readonly of: (path: Path) => Value | undefined;
}

/** Values that become known by the result of a statement; `names` are its columns as a script may name them. */
export function resultKnowns(
  step: number,
  {
    prefix,
    counter,
    names,
    sources,
    fixed,
  }: {
    readonly prefix: string;
    readonly counter: string;
    readonly names: readonly (string | undefined)[];
    readonly sources: readonly (string | undefined)[];
    /** Values that columns of its rows must equal, by their names in small letters. */
    readonly fixed: ReadonlyMap<string, string>;
  },
): readonly KnownValue[] {
  const columns = names.flatMap((name, at): KnownValue[] => {
    if (name === undefined) return [];
    const column = sources[at] ?? name;
    const own = fixed.get(column.toLowerCase());
    return [
      {
        ...{ expression: `:${prefix}${name}`, column, step, origin: "column", at },
        ...(own !== undefined && { fixed: own }),
        of: (path) => path[step]?.rows[0]?.[at],
      },
    ];
  });
  const count: KnownValue = {
    expression: `:${counter}`,
    column: "",
    step,
    origin: "count",
    of: (path) => {
      const statement = path[step];
      return statement && String(statement.affected ?? statement.count);
    },
  };
  return [...columns, count];
}

/** A whole number of a value; undefined for anything else. */
export function integerOf(value: Value | undefined): number | undefined {
  return typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** A number of a value, with a fraction perhaps. */
export function numberOf(value: Value | undefined): number | undefined {
  if (typeof value !== "string") return undefined;
  return NUMBER.test(value) ? Number(value) : undefined;
}

const NUMBER = /^-?(?:\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})$/;

/** True for numbers, and for those that are too long to be shown. */
export function isNumber(value: Value | undefined): boolean {
  return numberOf(value) !== undefined || value?.startsWith(CONCEALED_NUMBER) === true;
}

/** Equal as the server compares: `1.50` and `1.5`, `t` and `true`. */
export function isEqual(left: Value | undefined, right: Value | undefined): boolean {
  if (left === right) return left !== undefined;
  if (typeof left !== "string" || typeof right !== "string") return false;
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a === b;
  const [own, other] = [TRUTH.get(left.toLowerCase()), TRUTH.get(right.toLowerCase())];
  return own !== undefined && own === other;
}

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ["t", true],
  ["true", true],
  ["f", false],
  ["false", false],
]);

/** A key that never differs is a test's habit, and one that is greater than another means nothing. */
export function isKey(column: string): boolean {
  return KEY.test(column) || /[a-z]Id$/.test(column);
}

const KEY = /(?:^|_)(?:id|pk|key|uuid|code|name|email|slug|number|no)$/i;

/** Servers take no notice of capitals in a name; clients write what they like. */
export function isSameColumn(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && left.toLowerCase() === right?.toLowerCase();
}

/** How many values differ among these. */
export function distinct(values: readonly (Value | undefined)[]): number {
  return new Set(values).size;
}

// Sequelize's conditions: records with operators as keys, lists, SQL text.
import { kindGuard } from "../kindGuard";
import { dictionary } from "../../../../protocol/dictionary";
import { constantScalar, constantText, type Value } from "../../values";
import {
  valueFragment,
  quoteIdentifier,
  raw,
  joinFragments,
  sequence,
  type Fragment,
} from "../builders/draft";
import type { Tools } from "../library";
import { filterOf, type FilterLanguage, type Operation } from "../orm/filter";
import type { Place } from "../orm/statements";

export type Fields = ReadonlyMap<string, Value>;

/** Operators as keys of records. */
export const OPERATOR = "Symbol(";

/** SQL text that stands for a value: `literal(...)`, `fn(...)`, `col(...)`. */
export interface SqlPart {
  readonly kind: "sql";
  readonly text: Fragment;
  /** Result of a function of the database. */
  readonly isCall?: boolean;
}

export const isSqlPart = kindGuard<SqlPart>("sql");

/** A value, or the text of one. */
export function textOfValue(value: Value): Fragment {
  if (value.kind === "handle" && isSqlPart(value.data)) return value.data.text;
  return valueFragment(value);
}

/** `literal`, `fn`, `col`, `cast` and `where`; undefined for all others. */
export function partOf(name: string, args: readonly Value[], tools: Tools): Value | undefined {
  const [first, second] = args;
  const made = (text: Fragment): Value =>
    tools.handle("sql", { kind: "sql", text } satisfies SqlPart);
  switch (name) {
    case "literal":
      return first?.kind === "text" ? made(first.parts) : undefined;
    case "col": {
      const column = constantText(first);
      return column === undefined ? undefined : made(raw(quoteIdentifier(column, tools.dialect)));
    }
    case "fn": {
      const called = constantText(first);
      if (called === undefined) return undefined;
      const text = sequence(`${called}(`, joinFragments(args.slice(1).map(textOfValue), ", "), ")");
      return tools.handle("sql", { kind: "sql", text, isCall: true } satisfies SqlPart);
    }
    case "cast": {
      const type = constantText(second);
      if (!first || type === undefined) return undefined;
      return made(sequence("CAST(", textOfValue(first), ` AS ${type})`));
    }
    case "where":
      return first && whereCall(first, args.slice(1), tools);
    default:
      return undefined;
  }
}

/** `where(fn("lower", col("name")), "LIKE", "%a%")`, `where(col("a"), Op.gt, 1)`, `where(col("a"), 1)`. */
function whereCall(left: Value, rest: readonly Value[], tools: Tools): Value | undefined {
  const [middle, last = middle] = rest;
  if (!middle || !last || left.kind !== "handle" || !isSqlPart(left.data)) return undefined;
  const written = rest.length === 1 ? "=" : symbolOf(middle);
  if (written === undefined || last.kind === "object" || last.kind === "list") return undefined;
  const isNull = constantScalar(last) === null;
  const symbol = !isNull ? written : written === "=" ? "IS" : written === "<>" ? "IS NOT" : written;
  const text = sequence(left.data.text, ` ${symbol} `, isNull ? "NULL" : textOfValue(last));
  return tools.handle("sql", { kind: "sql", text } satisfies SqlPart);
}

function symbolOf(value: Value): string | undefined {
  const text = constantText(value) ?? "";
  const symbol = operationOf(text) ?? text.toUpperCase();
  return SYMBOLS.test(symbol) ? symbol : undefined;
}

const SYMBOLS = /^(?:=|<>|>=?|<=?|(?:NOT )?LIKE|ILIKE)$/u;

const OPERATIONS = dictionary<Operation | undefined>({
  eq: "=",
  ne: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  like: "LIKE",
  notLike: "NOT LIKE",
  iLike: "ILIKE",
  is: "IS",
  in: "IN",
  notIn: "NOT IN",
  between: "BETWEEN",
  notBetween: "NOT BETWEEN",
  not: "NOT",
  and: "AND",
  or: "OR",
});

function operationOf(key: string): Operation | "unknown" | undefined {
  if (!key.startsWith(OPERATOR)) return undefined;
  return OPERATIONS[key.slice(OPERATOR.length, -1)] ?? "unknown";
}

const LANGUAGE: FilterLanguage = {
  operation: operationOf,
  list: "AND",
  skips: "undefined",
  nulls: "same",
  hasLists: true,
  dropsEmpty: true,
  text: (value) => (value.kind === "handle" && isSqlPart(value.data) ? value.data.text : undefined),
  condition: (column, value) => {
    if (value.kind !== "handle" || !isSqlPart(value.data)) return undefined;
    // All but what a function gives stands for the whole condition.
    const { text, isCall } = value.data;
    return isCall ? sequence(`${column.text} = `, text) : text;
  },
};

/** The conditions of a filter; undefined where they are not understood. */
export function whereOf(place: Place, where: Value | undefined): readonly Fragment[] | undefined {
  return filterOf(place, where, LANGUAGE);
}

// Sequelize's conditions: records with operators as keys, lists, SQL text.
import { dictionary } from "../../../../protocol/dictionary";
import { constantScalar, constantText, isArray, type Value } from "../../values";
import {
  allOf,
  valueFragment,
  quoteIdentifier,
  raw,
  joinFragments,
  sequence,
  type Fragment,
} from "../builders/draft";
import type { Tools } from "../library";
import { columnOf, keysOf } from "../orm/model";
import { mayBeNull, otherThan, sameAs } from "../orm/nullability";
import { columnText, equals, memberOfList, optionalCondition, type Place } from "../orm/statements";

export type Fields = ReadonlyMap<string, Value>;

/** True if an option is given at all. */
export function isGiven(value: Value | undefined): value is Value {
  return value !== undefined && value.kind !== "undefined";
}

/** Operators as keys of records. */
export const OPERATOR = "Symbol(";

/** SQL text that stands for a value: `literal(...)`, `fn(...)`, `col(...)`. */
export interface SqlPart {
  readonly kind: "sql";
  readonly text: Fragment;
  /** Result of a function of the database. */
  readonly isCall?: boolean;
}

export const isSqlPart = (data: unknown): data is SqlPart =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "sql";

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
  if (text.startsWith(OPERATOR)) return COMPARISONS[operatorName(text)];
  const symbol = text.toUpperCase();
  return Object.values(COMPARISONS).find((each) => each === symbol);
}

/** The conditions of a `where`; undefined where they are not understood. */
export function whereOf(place: Place, where: Value | undefined): readonly Fragment[] | undefined {
  if (where === undefined || where.kind === "undefined") return [];
  if (where.kind === "handle" && isSqlPart(where.data)) return [where.data.text];
  const items = place.tools.items(where);
  const parts = items
    ? items.map((item) => whereOf(place, item))
    : [...(place.tools.fields(where) ?? [])].map(([name, value]) => wherePart(place, name, value));
  if (!items && !place.tools.fields(where)) return undefined;
  return parts.every((each) => each !== undefined) ? parts.flat() : undefined;
}

function wherePart(place: Place, name: string, value: Value): readonly Fragment[] | undefined {
  if (name.startsWith(OPERATOR)) return combined(place, operatorName(name), value);
  const column = columnOf(place.model, name);
  if (!column) return undefined;
  const own = {
    text: columnText(place, column),
    isRequired: column.isKey === true || column.isRequired === true,
  };
  let isKnown = true;
  const part = optionalCondition(value, (each) => {
    const made = compared(place, own, each);
    if (made === undefined) isKnown = false;
    return made;
  });
  if (!isKnown) return undefined;
  return part ? [part] : [];
}

function operatorName(key: string): string {
  return key.slice(OPERATOR.length, -1);
}

/** `[Op.or]: [...]`, `[Op.and]: {...}`, `[Op.not]: {...}`. */
function combined(place: Place, operator: string, value: Value): readonly Fragment[] | undefined {
  const items = place.tools.items(value);
  const fields = place.tools.fields(value);
  const parts = items
    ? items.map((item) => whereOf(place, item))
    : [...(fields ?? [])].map(([name, each]) => wherePart(place, name, each));
  if (!parts.every((each) => each !== undefined)) return undefined;
  // A part that says nothing leaves the others.
  const all = parts.filter((each) => each.length > 0).map(allOf);
  if (!items && !fields) return undefined;
  if (all.length === 0) return operator === "and" ? [] : [raw("FALSE")];
  switch (operator) {
    case "and":
      return all;
    case "or":
      return [
        joinFragments(
          all.map((each) => sequence("(", each, ")")),
          " OR ",
        ),
      ];
    case "not":
      return [sequence("NOT (", allOf(all), ")")];
    default:
      return undefined;
  }
}

const COMPARISONS = dictionary<string | undefined>({
  eq: "=",
  ne: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  like: "LIKE",
  notLike: "NOT LIKE",
  iLike: "ILIKE",
});

/** A column as it is written in a condition; one that is required is never NULL. */
interface Compared {
  readonly text: string;
  readonly isRequired: boolean;
}

/** A condition on a column: a value, a list of which it is one, or a record of operators. */
function compared(place: Place, column: Compared, value: Value): Fragment | undefined {
  const { tools } = place;
  if (value.kind === "handle" && isSqlPart(value.data)) {
    // All but what a function gives stands for the whole condition.
    const { text, isCall } = value.data;
    return isCall ? sequence(`${column.text} = `, text) : text;
  }
  if (value.kind === "list" || value.kind === "derived" || isArray(value)) {
    return memberOfList(column.text, value, tools);
  }
  if (value.kind === "rows" || value.kind === "row") return undefined;
  if (value.kind !== "object") return equalTo(column, value, tools);
  const fields = tools.fields(value);
  if (!fields || fields.size === 0) return undefined;
  const parts = [...fields].map(([name, each]) =>
    name.startsWith(OPERATOR) ? operated(place, column, operatorName(name), each) : undefined,
  );
  return parts.every((each) => each !== undefined) ? joinFragments(parts, " AND ") : undefined;
}

function isOneValue({ kind }: Value): boolean {
  return kind === "scalar" || kind === "text" || kind === "input" || kind === "handle";
}

/** Equality that holds for two NULLs. */
function equalTo({ text, isRequired }: Compared, value: Value, tools: Tools): Fragment {
  return isRequired || constantScalar(value) === null || !mayBeNull(value)
    ? equals(text, value)
    : sameAs(text, value, tools);
}

function operated(
  place: Place,
  own: Compared,
  operator: string,
  value: Value,
): Fragment | undefined {
  const { tools } = place;
  const column = own.text;
  const isNull = constantScalar(value) === null;
  const symbol = COMPARISONS[operator];
  const isPart = value.kind === "handle";
  if (operator === "eq" && !isPart) return equalTo(own, value, tools);
  const isNegated = operator === "ne" || (operator === "not" && isOneValue(value));
  if (isNegated && !isPart && !isNull && mayBeNull(value)) return otherThan(column, value, tools);
  if (isNull && (operator === "ne" || operator === "not")) return raw(`${column} IS NOT NULL`);
  if (isNull) return raw(`${column} IS NULL`);
  if (symbol !== undefined) return sequence(`${column} ${symbol} `, textOfValue(value));
  switch (operator) {
    case "in":
      return memberOfList(column, value, tools);
    case "notIn":
      return sequence("NOT (", memberOfList(column, value, tools), ")");
    case "is":
      return sequence(`${column} IS `, textOfValue(value));
    case "not": {
      const one = constantScalar(value);
      if (typeof one === "boolean") return raw(`${column} IS NOT ${one ? "TRUE" : "FALSE"}`);
      if (isOneValue(value)) return sequence(`${column} <> `, textOfValue(value));
      const inner = compared(place, own, value);
      return inner && sequence("NOT (", inner, ")");
    }
    case "between":
    case "notBetween": {
      const [low, high] = tools.items(value) ?? [];
      if (!low || !high) return undefined;
      const word = operator === "between" ? "BETWEEN" : "NOT BETWEEN";
      return sequence(`${column} ${word} `, valueFragment(low), " AND ", valueFragment(high));
    }
    case "or":
    case "and": {
      const fields = tools.fields(value);
      const items = tools.items(value);
      const parts = fields
        ? [...fields].map(([name, each]) => operated(place, own, operatorName(name), each))
        : items?.map((each) => compared(place, own, each));
      if (!parts?.every((each) => each !== undefined)) return undefined;
      return sequence("(", joinFragments(parts, operator === "or" ? " OR " : " AND "), ")");
    }
    default:
      return undefined;
  }
}

/** The row of a key. */
export function keyIs(place: Place, value: Value): readonly Fragment[] | undefined {
  const [key, ...more] = keysOf(place.model);
  if (!key || more.length > 0) return undefined;
  return [equals(columnText(place, key), value)];
}

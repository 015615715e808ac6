// Parts of Kysely's statements: conditions, columns, tables and the calls of its expression builder.
import { kindGuard } from "../kindGuard";
import { dictionary } from "../../../../protocol/dictionary";
import {
  constantScalar,
  constantText,
  isArray,
  type HandleValue,
  type TextPart,
  type Value,
} from "../../values";
import type { Call, Template, Tools } from "../library";
import { traverse } from "../../traverse";
import {
  caseText,
  flagOf,
  membershipText,
  valueFragment,
  raw,
  joinFragments,
  sequence,
  textOf,
  type Draft,
  type Fragment,
} from "./draft";
import { identifier, columnReference, databaseName } from "./kyselyNames";
import { columnValue } from "./columnWrites";

export interface Query {
  readonly kind: "query";
  readonly draft: Draft;
  /** Columns of `onConflict`. */
  readonly target?: readonly string[];
  /** Its update has a condition already. */
  readonly isGuarded?: boolean;
  /** The part of it that is not known. */
  readonly unread?: string;
  readonly source: Call["source"];
}

export const isQuery = kindGuard<Query>("query");

export interface Part {
  readonly kind: "part";
  readonly text: Fragment;
}

export const isPart = kindGuard<Part>("part");

/** A part of a statement as a value. */
export function partOf(tools: Tools, ...parts: readonly (string | Fragment)[]): Value {
  return tools.handle("part", { kind: "part", text: sequence(...parts) } satisfies Part);
}

/** Result of a callback that is given a builder. */
export function callBuilder(
  callback: Extract<Value, { kind: "function" }>,
  args: readonly Value[],
  tools: Tools,
): Value {
  const start = { line: 0, character: 0 };
  const source = { file: callback.scope.module.file, range: { start, end: start } };
  return tools.settle(tools.call(callback, args, source));
}

/** A value, or what an expression builder made; undefined where a query or part is not known. */
export function fragment(value: Value, tools: Tools): Fragment | undefined {
  if (value.kind === "function")
    return fragment(callBuilder(value, [tools.handle("eb")], tools), tools);
  if (value.kind === "handle") {
    if (isPart(value.data)) return value.data.text;
    if (!isQuery(value.data) || value.data.unread !== undefined) return undefined;
    return sequence("(", textOf(value.data.draft, tools.dialect), ")");
  }
  if (value.kind === "choice" && holdsPart(value)) {
    const [yes, no] = [fragment(value.then, tools), fragment(value.otherwise, tools)];
    if (!yes || !no) return undefined;
    return caseText(flagOf(value), yes, no);
  }
  return valueFragment(value);
}

function holdsPart(value: Value): boolean {
  if (value.kind === "choice") return holdsPart(value.then) || holdsPart(value.otherwise);
  return value.kind === "handle" || value.kind === "function";
}

/** A column by its name, or an expression. */
export function reference(value: Value | undefined, tools: Tools): Fragment | undefined {
  const name = constantText(value);
  if (name !== undefined) return raw(identifier(name, tools));
  // A text that is not known here names a column that is not known here.
  const isExpression = value && (holdsPart(value) || constantScalar(value) !== undefined);
  return isExpression ? fragment(value, tools) : undefined;
}

function references(
  values: readonly (Value | undefined)[],
  tools: Tools,
): readonly Fragment[] | undefined {
  return traverse(values, (each) => reference(each, tools));
}

function fragments(values: readonly Value[], tools: Tools): readonly Fragment[] | undefined {
  return traverse(values, (each) => fragment(each, tools));
}

const UNWRITTEN: ReadonlySet<string> = new Set(["is", "is not"]);

/** `where("a", "=", 1)`, `where((eb) => eb.and([...]))`, `where(eb("a", "=", 1))`. */
export function conditionOf(
  [first, second, third]: readonly (Value | undefined)[],
  tools: Tools,
): Fragment | undefined {
  if (!first) return undefined;
  if (!second || !third)
    return constantText(first) === undefined ? fragment(first, tools) : undefined;
  const left = reference(first, tools);
  const operator = operatorOf(second);
  if (!left || !operator) return undefined;
  if (UNWRITTEN.has(operator)) {
    const known = third.kind === "undefined" ? null : constantScalar(third);
    if (known === null || typeof known === "boolean") {
      return sequence(left, ` ${operator.toUpperCase()} ${String(known).toUpperCase()}`);
    }
  }
  if (operator === "in" || operator === "not in") {
    const word = operator === "in" ? "IN" : "NOT IN";
    if (holdsPart(third)) {
      const query = fragment(third, tools);
      return query && sequence(left, ` ${word} `, query);
    }
    const items = tools.members(third);
    const texts = items && fragments(items, tools);
    return items && !texts ? undefined : membershipText(left, word, third, texts);
  }
  const right = fragment(third, tools);
  return right && sequence(left, ` ${operator === "!=" ? "<>" : operator} `, right);
}

function operatorOf(value: Value): string | undefined {
  const known = constantText(value)?.toLowerCase();
  if (known !== undefined || value.kind !== "handle" || !isPart(value.data)) return known;
  return constantText({ kind: "text", parts: value.data.text })?.toLowerCase();
}

/** `whereRef("a", "=", "b")`. */
export function comparedRefs(
  [first, second, third]: readonly (Value | undefined)[],
  tools: Tools,
): Fragment | undefined {
  const [left, right] = [reference(first, tools), reference(third, tools)];
  const operator = second && operatorOf(second);
  return left && right && operator ? sequence(left, ` ${operator} `, right) : undefined;
}

/** The columns that are selected; undefined where not all are known. */
export function columnsIn(value: Value | undefined, tools: Tools): readonly Fragment[] | undefined {
  if (!value) return undefined;
  if (value.kind === "function") {
    return columnsIn(callBuilder(value, [tools.handle("eb")], tools), tools);
  }
  const name = constantText(value);
  if (name !== undefined) return [raw(columnReference(name, tools))];
  const items = tools.items(value);
  if (items) return traverse(items, (item) => columnsIn(item, tools))?.flat();
  const text = fragment(value, tools);
  return value.kind === "handle" && text ? [text] : undefined;
}

/** A table by its name, several, or a query with an alias. */
export function tableOf(value: Value | undefined, tools: Tools): Fragment | undefined {
  if (!value) return undefined;
  const name = constantText(value);
  if (name !== undefined) return raw(columnReference(name, tools));
  const items = tools.items(value);
  const tables = items && traverse(items, (item) => tableOf(item, tools));
  if (items) return tables && joinFragments(tables, ", ");
  return holdsPart(value) ? fragment(value, tools) : undefined;
}

/** Columns that are named, or parts. */
export function referencesIn(
  value: Value | undefined,
  tools: Tools,
): readonly Fragment[] | undefined {
  if (value?.kind === "function") {
    return referencesIn(callBuilder(value, [tools.handle("eb")], tools), tools);
  }
  const items = (value && tools.items(value)) ?? [value];
  return references(items, tools);
}

/** The columns that a record sets, as they are sent. */
export function setIn(
  value: Value,
  place: { readonly verb: Draft["verb"]; readonly table: Fragment },
  tools: Tools,
): Draft["set"] | undefined {
  if (value.kind === "function") {
    return setIn(callBuilder(value, [tools.handle("eb")], tools), place, tools);
  }
  const fields = tools.fields(value);
  const parts = [...(fields ?? [])].flatMap(([key, each]) => {
    const column = databaseName(key, tools);
    const text = columnSet(column, each, place, tools);
    return text === undefined ? [] : [[column, text] as const];
  });
  return fields && parts;
}

/** The value that is written to a column; undefined where nothing is. */
export function columnSet(
  column: string,
  value: Value,
  { verb, table }: { readonly verb: Draft["verb"]; readonly table: Fragment },
  tools: Tools,
): Fragment | undefined {
  const written = (each: Value): Fragment => fragment(each, tools) ?? valueFragment(each);
  const name = constantText({ kind: "text", parts: table })?.replaceAll(/["`]/gu, "") ?? "";
  return columnValue(column, value, { verb, table: name, written, tools });
}

const AGGREGATES = /^eb\.fn\.(count|countAll|sum|max|min|avg)$/u;

/** Calls of an expression builder: `eb("a", "+", 1)`, `eb.and([...])`, `eb.fn.count("id")`. */
export function expression(path: string, call: Call, tools: Tools): Value | undefined {
  const [first, second, third] = call.arguments;
  const part = (...parts: readonly (string | Fragment)[]): Value => partOf(tools, ...parts);
  const listed = (word: string, items: readonly Fragment[] | undefined): Value | undefined =>
    items && part(`${word}(`, joinFragments(items, ", "), ")");
  switch (path) {
    case "eb": {
      const made = conditionOf(call.arguments, tools);
      return made && part("(", made, ")");
    }
    case "eb.and":
    case "eb.or": {
      const word = path === "eb.and" ? " AND " : " OR ";
      const fields = first?.kind === "object" ? tools.fields(first) : undefined;
      const items = first && tools.items(first);
      const each = fields
        ? [...fields].map(([name, value]) =>
            sequence(raw(identifier(name, tools)), " = ", valueFragment(value)),
          )
        : items && fragments(items, tools);
      if (!each) return undefined;
      if (each.length === 0) return part(path === "eb.and" ? "TRUE" : "FALSE");
      return part("(", joinFragments(each, word), ")");
    }
    case "eb.not":
    case "eb.exists":
    case "eb.neg":
    case "eb.parens": {
      const inner = second ? conditionOf(call.arguments, tools) : first && fragment(first, tools);
      const word = { "eb.not": "NOT ", "eb.exists": "EXISTS ", "eb.neg": "-", "eb.parens": "" }[
        path
      ];
      return inner && (path === "eb.parens" ? part("(", inner, ")") : part(word, inner));
    }
    case "eb.val":
    case "eb.lit":
      return first && part(valueFragment(first));
    case "eb.ref":
    case "eb.table": {
      const own = second ? undefined : reference(first, tools);
      return own && part(own);
    }
    case "eb.cast": {
      const [inner, type] = [reference(first, tools), constantText(second)];
      return inner && type !== undefined ? part("CAST(", inner, ` AS ${type})`) : undefined;
    }
    case "eb.between": {
      const own = reference(first, tools);
      const [low, high] = [second && fragment(second, tools), third && fragment(third, tools)];
      return own && low && high ? part("(", own, " BETWEEN ", low, " AND ", high, ")") : undefined;
    }
    case "eb.tuple":
      return listed("", fragments(call.arguments, tools));
    case "eb.refTuple":
      return listed("", references(call.arguments, tools));
    case "eb.case": {
      const operand = first && reference(first, tools);
      return first && !operand ? undefined : cases(sequence("CASE", operand ? sequence(" ", operand) : ""), tools); // prettier-ignore
    }
    case "eb.fn.coalesce":
      return listed("coalesce", references(call.arguments, tools));
    case "eb.fn.any":
      return listed("any", references([first], tools));
    case "eb.fn":
    case "eb.fn.agg": {
      const name = constantText(first);
      const items = second ? tools.items(second) : [];
      return name === undefined ? undefined : listed(name, items && references(items, tools));
    }
    default: {
      const name = AGGREGATES.exec(path)?.[1];
      if (name === undefined) return undefined;
      const inner = first ? reference(first, tools) : raw("*");
      return inner && part(`${name === "countAll" ? "count" : name}(`, inner, ")");
    }
  }
}

function cases(text: Fragment, tools: Tools): Value {
  return tools.handle("cases", { kind: "part", text } satisfies Part);
}

/** `eb.case().when("a", "=", 1).then("b").else("c").end()`. */
export function caseCall(
  path: string,
  text: Fragment,
  call: Call,
  tools: Tools,
): Value | undefined {
  const [first] = call.arguments;
  const word = path.split(".").at(-1) ?? "";
  const inner =
    word === "when" || word === "whenRef"
      ? call.arguments.length > 1
        ? word === "when"
          ? conditionOf(call.arguments, tools)
          : comparedRefs(call.arguments, tools)
        : first && fragment(first, tools)
      : word === "thenRef" || word === "elseRef"
        ? reference(first, tools)
        : first && fragment(first, tools);
  if (word === "end") return partOf(tools, text, " END");
  const known = /^(when|then|else)(?:Ref)?$/u.exec(word)?.[1];
  return known !== undefined && inner
    ? cases(sequence(text, ` ${known.toUpperCase()} `, inner), tools)
    : undefined;
}

/** Methods of an expression: `.as("n")`, `.and("a", "=", 1)`, `.distinct()`. */
export function partCall(
  method: string,
  text: Fragment,
  call: Call,
  tools: Tools,
): Value | undefined {
  const [first] = call.arguments;
  switch (method) {
    case "as": {
      const name = first && (constantText(first) === undefined ? fragment(first, tools) : raw(identifier(constantText(first) ?? "", tools))); // prettier-ignore
      return name && partOf(tools, text, " AS ", name);
    }
    case "and":
    case "or": {
      const more = conditionOf(call.arguments, tools);
      return more && partOf(tools, "(", text, ` ${method.toUpperCase()} `, more, ")");
    }
    case "filterWhere": {
      const holds = conditionOf(call.arguments, tools);
      return holds && partOf(tools, text, " FILTER (WHERE ", holds, ")");
    }
    case "distinct": {
      const [head, ...rest] = text;
      if (head?.kind !== "run") return undefined;
      return partOf(tools, [{ ...head, run: { ...head.run, text: head.run.text.replace("(", "(DISTINCT ") } }, ...rest]); // prettier-ignore
    }
    case "$castTo":
    case "$notNull":
    case "$narrowType":
      return partOf(tools, text);
    default:
      return undefined;
  }
}

/** `asc`, `desc`, a callback that says so, or a part of SQL; undefined where it is not known. */
export function directionOf(value: Value | undefined, tools: Tools): Fragment | undefined {
  if (!value || value.kind === "undefined") return raw("");
  if (value.kind === "function") {
    const made = callBuilder(value, [partOf(tools)], tools);
    return made.kind === "handle" && isPart(made.data) ? made.data.text : undefined;
  }
  const word = constantText(value)?.toUpperCase();
  if (word !== undefined) return raw(` ${word}`);
  return value.kind === "handle" && isPart(value.data) ? sequence(" ", value.data.text) : undefined;
}

const ORDERS = dictionary<string | undefined>({
  asc: " ASC",
  desc: " DESC",
  nullsFirst: " NULLS FIRST",
  nullsLast: " NULLS LAST",
});

/** The order in a callback of `orderBy`: `(ob) => ob.desc().nullsLast()`. */
export function orderCall(method: string, text: Fragment, tools: Tools): Value | undefined {
  const word = ORDERS[method];
  return word === undefined ? undefined : partOf(tools, text, word);
}

/** `sql`...``. */
export function template({ text }: Template, tools: Tools): Value {
  const parts: readonly TextPart[] = text.kind === "text" ? text.parts : [];
  const own = parts.flatMap((part) =>
    part.kind === "hole" ? (fragment(part.value, tools) ?? valueFragment(part.value)) : [part],
  );
  return partOf(tools, own);
}

/** Functions of `sql`, and names that are known when it runs. */
export function sqlCall(path: string, call: Call, tools: Tools): Value | undefined {
  const [first, second] = call.arguments;
  switch (path) {
    case "sql.ref":
    case "sql.table":
    case "db.dynamic.ref":
    case "db.dynamic.table": {
      const name = reference(first, tools);
      return name && partOf(tools, name);
    }
    case "sql.id": {
      const names = traverse(call.arguments, constantText);
      return names && partOf(tools, identifier(names.join("."), tools));
    }
    case "sql.raw": {
      const text = constantText(first);
      return text === undefined ? undefined : partOf(tools, text);
    }
    case "sql.join": {
      const between = second ? fragment(second, tools) : raw(", ");
      const items = first && tools.items(first);
      if (!items && first && between && isList(first)) return partOf(tools, valueFragment(first));
      const parts = items && fragments(items, tools);
      if (!parts || !between) return undefined;
      return partOf(tools, parts.flatMap((item, at) => (at === 0 ? item : sequence(between, item)))); // prettier-ignore
    }
    // Written into the text or sent beside it, a value is the same.
    case "sql.lit":
    case "sql.val":
      return first;
    default:
      return undefined;
  }
}

function isList(value: Value): boolean {
  return isArray(value) || /^(?:derived|rows|list|joined)$/u.test(value.kind);
}

/** Documents that PostgreSQL makes of a query's rows: `jsonArrayFrom(query)`. */
export function documentCall(path: string, call: Call, tools: Tools): Value | undefined {
  const [first] = call.arguments;
  const query = first && holdsPart(first) ? fragment(first, tools) : undefined;
  switch (path) {
    case "jsonArrayFrom":
      return query && partOf(tools, "(SELECT coalesce(json_agg(agg), '[]') FROM ", query, " AS agg)"); // prettier-ignore
    case "jsonObjectFrom":
      return query && partOf(tools, "(SELECT to_json(obj) FROM ", query, " AS obj)");
    case "jsonBuildObject": {
      const fields = first && tools.fields(first);
      const items =
        fields &&
        traverse(fields, ([name, each]) => {
          const text = fragment(each, tools);
          return text && sequence(`'${name.replaceAll("'", "''")}', `, text);
        });
      return items && partOf(tools, "json_build_object(", joinFragments(items, ", "), ")");
    }
    default:
      return undefined;
  }
}

/** The query or part that a value is. */
export function dataOf(value: Value | undefined): HandleValue["data"] {
  return value?.kind === "handle" ? value.data : undefined;
}

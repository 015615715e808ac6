// Functions in FROM that give rows: generate_series, unnest and the elements of JSON.
import { failure, unsupported } from "../sqlError";
import type { SqlRelation } from "../tree";
import { isDecimal } from "../values/decimal";
import { formatJson, isJsonList, isJsonMap, jsonText, parseJson } from "../values/json";
import { addInterval, formatMoment, intervalSize, microsOf, momentOf } from "../values/temporal";
import { elementOf, isInteger, widest, type SqlType } from "../values/types";
import { isInterval, isList, type SqlRow, type SqlValue } from "../values/value";
import { plainText } from "../values/text";
import { outputsOf, routineFor } from "../routine/call";
import { callArguments, functionNode } from "./call";
import {
  convertNode,
  defaultToText,
  type Env,
  type Node,
  type Scope,
  type ScopeColumn,
} from "./node";

type FunctionRelation = Extract<SqlRelation, { readonly kind: "function" }>;

interface SetFunction {
  readonly columns: readonly ScopeColumn[];
  readonly rows: (env: Env) => readonly SqlRow[];
}

/** The rows that a function in FROM gives. */
export function setFunction(relation: FunctionRelation, scope: Scope): SetFunction {
  const { call } = relation;
  const args = callArguments(call, scope);
  const own = ownRows(relation, args, scope);
  if (own !== undefined) return own;
  const { types, rows, names } = made(call.name, args, scope) ?? single(functionNode(call, scope));
  const alias = relation.alias ?? call.name;
  const usual = types.length === 1 ? [alias] : (names ?? types.map(() => call.name));
  const all: readonly SqlType[] = relation.ordinality ? [...types, "int8"] : types;
  const shown = all.map((_, at) => relation.columns[at] ?? usual[at] ?? "ordinality");
  return {
    // Columns of one name can be told apart by their places alone.
    columns: all.map((type, at) => {
      const name = shown[at] ?? "";
      const isAgain = shown.indexOf(name) < at;
      return isAgain ? { name: `${name}#${String(at)}`, shown: name, type } : { name, type };
    }),
    rows: relation.ordinality ? (env) => rows(env).map((row, at) => [...row, at + 1]) : rows,
  };
}

/** The rows of a function of the user's own. */
function ownRows(
  { call, columns, alias }: FunctionRelation,
  args: readonly Node[],
  { compiler }: Scope,
): SetFunction | undefined {
  const { catalog } = compiler;
  const routine = routineFor(catalog.routines.get(call.name), args.length);
  if (routine === undefined || routine.isProcedure) return undefined;
  const nodes = args.map(defaultToText);
  const outputs = outputsOf(routine, (name) => catalog.tables.get(name)?.columns);
  const isPlain = outputs.length === 1 && routine.returns !== undefined;
  return {
    columns: outputs.map(({ name, type, shape }, at) => ({
      name: columns[at] ?? (isPlain ? (alias ?? name) : name),
      type,
      ...(shape && { shape }),
    })),
    rows: (env) =>
      env.work.called?.get(call) ??
      compiler.routine(
        routine,
        nodes.map((node) => ({ type: node.type, value: node.run(env) })),
        env,
      ),
  };
}

/** Rows that a series may have. */
const LONGEST_SERIES = 100_000;

/** Functions that give rows wherever they stand. */
export const SET_FUNCTIONS: ReadonlySet<string> = new Set([
  "generate_series",
  "unnest",
  "generate_subscripts",
  "_pg_expandarray",
  "json_array_elements",
  "jsonb_array_elements",
  "json_array_elements_text",
  "jsonb_array_elements_text",
  "json_each",
  "jsonb_each",
  "json_each_text",
  "jsonb_each_text",
]);

interface TypedRows {
  readonly types: readonly SqlType[];
  readonly names?: readonly string[];
  readonly rows: SetFunction["rows"];
}

/** The result of a function that gives rows; undefined for other functions. */
function made(name: string, args: readonly Node[], scope: Scope): TypedRows | undefined {
  const [first, second, third] = args;
  if (name === "pg_get_keywords") return KEYWORDS;
  if (first === undefined) return undefined;
  switch (name) {
    case "generate_series":
      if (second === undefined) break;
      return series(first, second, third, scope);
    case "unnest": {
      const types = args.map((node) => elementOf(node.type) ?? "text");
      const lists = args.map((node) =>
        elementOf(node.type) === undefined ? convertNode(node, "text[]", scope.compiler) : node,
      );
      return {
        types,
        rows: (env) => {
          const values = lists.map((node) => listOf(node.run(env)));
          const length = Math.max(...values.map((each) => each.length));
          return Array.from({ length }, (_, at) => values.map((each) => each[at] ?? null));
        },
      };
    }
    case "generate_subscripts":
      return {
        types: ["int4"],
        rows: (env) => {
          const from = first.shape?.first ?? 1;
          const subscripts = itemsAt(first.run(env), Number(second?.run(env) ?? 1)).map(
            (_, at): SqlRow => [from + at],
          );
          return third?.run(env) === true ? subscripts.reverse() : subscripts;
        },
      };
    case "_pg_expandarray":
      return {
        types: [elementOf(first.type) ?? "text", "int4"],
        names: ["x", "n"],
        rows: (env) => listOf(first.run(env)).map((each, at) => [each, at + 1]),
      };
    // No table is a partition of another.
    case "pg_partition_ancestors":
      return { types: ["int4"], rows: (env) => [[first.run(env)]] };
    case "json_array_elements":
    case "jsonb_array_elements":
    case "json_array_elements_text":
    case "jsonb_array_elements_text": {
      const document = convertNode(first, "jsonb", scope.compiler);
      const asText = name.endsWith("_text");
      return {
        types: [asText ? "text" : name.startsWith("jsonb") ? "jsonb" : "json"],
        rows: (env) => {
          const value = document.run(env);
          const read = value === null ? [] : parseJson(plainText(value));
          if (read === undefined || !isJsonList(read))
            throw failure("badArgument", "cannot extract elements from an object");
          return read.map((each) => [asText ? (jsonText(each) ?? null) : formatJson(each)]);
        },
      };
    }
    case "jsonb_each":
    case "jsonb_each_text":
    case "json_each":
    case "json_each_text": {
      const document = convertNode(first, "jsonb", scope.compiler);
      const asText = name.endsWith("_text");
      return {
        types: ["text", asText ? "text" : "jsonb"],
        names: ["key", "value"],
        rows: (env) => {
          const read = parseJson(plainText(document.run(env) ?? "{}"));
          if (read === undefined || !isJsonMap(read))
            throw failure("badArgument", "cannot call json_each on a non-object");
          return [...read].map(([key, each]) => [
            key,
            asText ? (jsonText(each) ?? null) : formatJson(each),
          ]);
        },
      };
    }
    default:
      break;
  }
  return undefined;
}

/** Words of PostgreSQL's own, beside those of the standard. */
const KEYWORDS: TypedRows = {
  types: ["text", "text", "bool", "text", "text"],
  names: ["word", "catcode", "barelabel", "catdesc", "baredesc"],
  rows: () =>
    ["analyse", "analyze", "concurrently", "freeze", "ilike", "isnull", "limit", "notnull"]
      .concat(["offset", "placing", "returning", "variadic", "verbose"])
      .map((word) => [word, "R", true, "reserved", "can be bare label"]),
};

/** A function that gives one value gives one row of it. */
function single(node: Node): TypedRows {
  return { types: [node.type], rows: (env) => [[node.run(env)]] };
}

/** The items of a list along one of its dimensions, from one. */
function itemsAt(value: SqlValue, dimension: number): readonly SqlValue[] {
  if (!isList(value) || dimension < 1) return [];
  return dimension === 1 ? value : itemsAt(value[0] ?? null, dimension - 1);
}

function listOf(value: SqlValue): readonly SqlValue[] {
  return isList(value) ? value.flatMap((each) => (isList(each) ? each : [each])) : [];
}

function series(from: Node, to: Node, step: Node | undefined, scope: Scope): TypedRows {
  const { compiler } = scope;
  const common = widest(from.type, to.type) ?? "int4";
  const type = common === "unknown" ? "int4" : common;
  if (isInteger(type) || type === "numeric") {
    const nodes = [from, to, ...(step === undefined ? [] : [step])].map((node) =>
      convertNode(node, type === "numeric" ? "int8" : type, compiler),
    );
    if (type === "numeric") throw unsupported("generate_series() of decimals");
    return {
      types: [type],
      rows: (env) => {
        const values = nodes.map((node) => node.run(env));
        if (values.includes(null)) return [];
        const [start = 0, end = 0, by = 1] = values.map((value) =>
          isDecimal(value) ? 0 : Number(value),
        );
        if (by === 0) throw failure("badArgument", "step size cannot equal zero");
        const length = Math.max(0, Math.floor((end - start) / by) + 1);
        if (length > LONGEST_SERIES)
          throw unsupported(`a series of more than ${LONGEST_SERIES} rows`);
        return Array.from({ length }, (_, at) => [start + at * by]);
      },
    };
  }
  if (step === undefined) throw failure("noFunction", "function generate_series needs a step here");
  const zoned = type === "date" ? "timestamptz" : type;
  const [start, end] = [convertNode(from, zoned, compiler), convertNode(to, zoned, compiler)];
  const by = convertNode(step, "interval", compiler);
  return {
    types: [zoned],
    rows: (env) => {
      const [first, last, size] = [start.run(env), end.run(env), by.run(env)];
      if (first === null || last === null || !isInterval(size)) return [];
      const forward = intervalSize(size) > 0;
      if (intervalSize(size) === 0) throw failure("badArgument", "step size cannot equal zero");
      const limit = microsOf(momentOf(plainText(last)));
      const found: SqlRow[] = [];
      for (
        let at = momentOf(plainText(first));
        forward ? microsOf(at) <= limit : microsOf(at) >= limit;
        at = addInterval(at, size)
      ) {
        found.push([formatMoment(at)]);
        if (found.length > LONGEST_SERIES)
          throw unsupported(`a series of more than ${LONGEST_SERIES} rows`);
      }
      return found;
    },
  };
}

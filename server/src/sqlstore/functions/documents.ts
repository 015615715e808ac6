// Functions on JSON, arrays and identifiers.
import { jsonAt } from "../compile/operators";
import { toJson } from "../compile/jsonValues";
import { coerceNode, convertNode, defaultToText, type Node } from "../compile/node";
import { failure, unsupported } from "../sqlError";
import {
  formatJson,
  isJsonList,
  isJsonMap,
  jsonContains,
  jsonStep,
  mysqlPath,
  parseJson,
  type Json,
} from "../values/json";
import { arrayOf, elementOf } from "../values/types";
import { isList, type SqlValue } from "../values/value";
import { comparer } from "../values/compare";
import {
  computeNode,
  only,
  plain,
  tableOf,
  text,
  type FunctionTable,
  type MakeCall,
} from "./define";

export const DOCUMENTS: FunctionTable = tableOf({
  "json_build_object jsonb_build_object json_object": object,
  "json_build_array jsonb_build_array json_array": list,
  "to_json to_jsonb": (args, compiler, call) => {
    const [given] = args;
    if (given === undefined || args.length > 1) return undefined;
    const node = defaultToText(given);
    const type = call.name === "to_jsonb" ? "jsonb" : "json";
    return computeNode(type, [node], compiler, ([value = null]) =>
      canonical(toJson(value, node.type, compiler.dialect), type),
    );
  },
  "jsonb_array_length json_array_length": plain("int4", ["jsonb"], ([value]) => {
    const read = parseJson(text(value));
    if (read === undefined) return null;
    if (!isJsonList(read)) throw failure("badArgument", "cannot get array length of a non-array");
    return read.length;
  }),
  "jsonb_typeof json_typeof": plain("text", ["jsonb"], ([value]) => kindOf(parseJson(text(value)))),
  json_extract: only("mysql", ([node, path]) => {
    const steps = path?.literal === undefined ? undefined : mysqlPath(path.literal);
    if (node === undefined || path === undefined) return undefined;
    if (steps === undefined) throw unsupported("JSON_EXTRACT() with other than one plain path");
    return jsonAt(node, steps, false);
  }),
  json_value: only("mysql", ([node, path]) => {
    const steps = path?.literal === undefined ? undefined : mysqlPath(path.literal);
    if (node === undefined || path === undefined) return undefined;
    if (steps === undefined) throw unsupported("JSON_VALUE() with other than a plain path");
    return jsonAt(node, steps, true);
  }),
  json_unquote: only(
    "mysql",
    ([node], compiler) =>
      node &&
      computeNode("text", [node], compiler, ([value]) => {
        const read = parseJson(text(value));
        return typeof read === "string" ? read : text(value);
      }),
  ),
  json_valid: only(
    "mysql",
    plain("bool", ["text"], ([value]) => parseJson(text(value)) !== undefined),
  ),
  json_length: only(
    "mysql",
    plain("int8", ["text"], ([value]) => {
      const read = parseJson(text(value));
      if (read === undefined) return null;
      return isJsonList(read) ? read.length : isJsonMap(read) ? read.size : 1;
    }),
  ),
  json_contains: only(
    "mysql",
    plain("bool", ["text", "text"], ([value, part]) => {
      const [outer, inner] = [parseJson(text(value)), parseJson(text(part))];
      return outer === undefined || inner === undefined ? null : jsonContains(outer, inner);
    }),
  ),
  json_contains_path: only("mysql", (args, compiler) =>
    args.length < 3
      ? undefined
      : computeNode("bool", args, compiler, ([value, mode, ...paths]) => {
          const document = parseJson(text(value));
          const isThere = (path: SqlValue): boolean => {
            const steps = mysqlPath(text(path));
            if (steps === undefined)
              throw unsupported("JSON_CONTAINS_PATH() with other than plain paths");
            let at = document;
            for (const step of steps) at = at === undefined ? undefined : jsonStep(at, step);
            return at !== undefined;
          };
          if (document === undefined) return null;
          return text(mode).toLowerCase() === "one" ? paths.some(isThere) : paths.every(isThere);
        }),
  ),
  json_set: only("mysql", changing(true)),
  json_insert: () => {
    throw unsupported("JSON_INSERT()");
  },
  jsonb_set: only(
    "postgres",
    plain(
      "jsonb",
      ["jsonb", "text[]", "jsonb", "bool"],
      ([target, path, value, create]) => {
        const [outer, inner] = [parseJson(text(target)), parseJson(text(value))];
        if (
          outer === undefined ||
          inner === undefined ||
          !isList(path ?? null) ||
          !Array.isArray(path)
        )
          return null;
        return formatJson(
          replaced(
            outer,
            path.map((step: SqlValue) => text(step)),
            inner,
            create !== false,
          ),
        );
      },
      { least: 3 },
    ),
  ),
  array_length: only("postgres", ([node, dimension], compiler) => {
    if (node === undefined || dimension === undefined) return undefined;
    const values = node.type === "unknown" ? coerceNode(node, "text[]", compiler) : node;
    if (elementOf(values.type) === undefined) return undefined;
    return computeNode("int4", [values, dimension], compiler, ([value = null, which]) =>
      isList(value) && value.length > 0 && which === 1 ? value.length : null,
    );
  }),
  cardinality: only("postgres", ([node], compiler) =>
    node === undefined || elementOf(node.type) === undefined
      ? undefined
      : computeNode("int4", [node], compiler, ([value = null]) =>
          isList(value) ? value.length : 0,
        ),
  ),
  array_append: only("postgres", ([values, item], compiler) =>
    joined(values, item, compiler, false),
  ),
  array_prepend: only("postgres", ([item, values], compiler) =>
    joined(values, item, compiler, true),
  ),
  array_remove: only("postgres", ([values, item], compiler) => {
    const element = values && elementOf(values.type);
    if (values === undefined || item === undefined || element === undefined) return undefined;
    const compare = comparer(element, compiler.dialect);
    return computeNode(
      values.type,
      [values, coerceNode(item, element, compiler)],
      compiler,
      ([all = null, one = null]) =>
        isList(all)
          ? all.filter((each) => each === null || one === null || compare(each, one) !== 0)
          : all,
    );
  }),
  array_position: only("postgres", ([values, item], compiler) => {
    const element = values && elementOf(values.type);
    if (values === undefined || item === undefined || element === undefined) return undefined;
    const compare = comparer(element, compiler.dialect);
    return computeNode(
      "int4",
      [values, coerceNode(item, element, compiler)],
      compiler,
      ([all = null, one = null]) => {
        const at = isList(all)
          ? all.findIndex((each) => each !== null && one !== null && compare(each, one) === 0)
          : -1;
        return at < 0 ? null : at + 1;
      },
    );
  }),
  "gen_random_uuid uuid_generate_v4": only("postgres", (args) =>
    args.length > 0
      ? undefined
      : { type: "uuid", constant: false, run: (env) => uuid(env.work.random) },
  ),
  uuid: only("mysql", (args) =>
    args.length > 0
      ? undefined
      : { type: "text", constant: false, run: (env) => uuid(env.work.random) },
  ),
});

function uuid(random: () => number): string {
  const digits = Array.from({ length: 32 }, (_, at) => {
    const digit = Math.floor(random() * 16);
    return (at === 12 ? 4 : at === 16 ? 8 + (digit & 3) : digit).toString(16);
  }).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function canonical(json: string, type: "json" | "jsonb"): string {
  const read = type === "jsonb" ? parseJson(json) : undefined;
  return read === undefined ? json : formatJson(read);
}

function object(...[given, compiler, call]: Parameters<MakeCall>): Node | undefined {
  if (given.length % 2 !== 0) return undefined;
  const args = given.map(defaultToText);
  const type = call.name.startsWith("jsonb") ? "jsonb" : "json";
  // PostgreSQL's json keeps the spaces that its own function writes.
  const [colon, comma] = call.name === "json_build_object" ? [" : ", ", "] : [": ", ", "];
  return computeNode(
    type,
    args,
    compiler,
    (values) => {
      const pairs = values.flatMap((value, at) =>
        at % 2 === 0
          ? [
              `${JSON.stringify(text(value))}${colon}${toJson(values[at + 1] ?? null, args[at + 1]?.type ?? "text", compiler.dialect)}`,
            ]
          : [],
      );
      return canonical(`{${pairs.join(comma)}}`, type);
    },
    true,
  );
}

function list(...[given, compiler, call]: Parameters<MakeCall>): Node {
  const args = given.map(defaultToText);
  const type = call.name.startsWith("jsonb") ? "jsonb" : "json";
  return computeNode(
    type,
    args,
    compiler,
    (values) =>
      canonical(
        `[${values.map((value, at) => toJson(value, args[at]?.type ?? "text", compiler.dialect)).join(", ")}]`,
        type,
      ),
    true,
  );
}

function kindOf(value: Json | undefined): string | null {
  if (value === undefined) return null;
  if (value === null) return "null";
  if (isJsonList(value)) return "array";
  if (isJsonMap(value)) return "object";
  return typeof value === "object" ? "number" : typeof value;
}

function joined(
  values: Node | undefined,
  item: Node | undefined,
  compiler: Parameters<MakeCall>[1],
  first: boolean,
): Node | undefined {
  if (values === undefined || item === undefined) return undefined;
  const element = elementOf(values.type) ?? (item.type === "unknown" ? "text" : item.type);
  const type = arrayOf(element);
  const nodes = [convertNode(values, type, compiler), convertNode(item, element, compiler)];
  return computeNode(
    type,
    nodes,
    compiler,
    ([all = null, one = null]) => {
      const before = isList(all) ? all : [];
      return first ? [one, ...before] : [...before, one];
    },
    true,
  );
}

/** JSON_SET(document, path, value, ...). */
function changing(create: boolean): MakeCall {
  return (args, compiler) => {
    const [document, ...pairs] = args;
    if (document === undefined || pairs.length % 2 !== 0) return undefined;
    const paths = pairs
      .filter((_, at) => at % 2 === 0)
      .map((path) => mysqlPath(path.literal ?? ""));
    if (paths.includes(undefined)) throw unsupported("JSON_SET() with other than plain paths");
    const values = pairs.filter((_, at) => at % 2 === 1);
    return computeNode(
      "json",
      [document, ...values],
      compiler,
      ([target = null, ...news]) => {
        let result = target === null ? undefined : parseJson(text(target));
        if (result === undefined) return null;
        for (const [at, path] of paths.entries()) {
          const json = parseJson(
            toJson(news[at] ?? null, values[at]?.type ?? "text", compiler.dialect),
          );
          if (json !== undefined && path !== undefined) {
            result = replaced(result, path.map(String), json, create);
          }
        }
        return formatJson(result);
      },
      true,
    );
  };
}

/** The document with another value at a path; a missing last step is added if `create`. */
function replaced(target: Json, path: readonly string[], value: Json, create: boolean): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (isJsonMap(target)) {
    const inner = target.get(step);
    if (inner === undefined && (rest.length > 0 || !create)) return target;
    return new Map(target).set(
      step,
      inner === undefined ? value : replaced(inner, rest, value, create),
    );
  }
  if (!isJsonList(target)) return target;
  const at = Number(step) < 0 ? target.length + Number(step) : Number(step);
  const inner = target[at];
  if (inner === undefined) return rest.length === 0 && create ? [...target, value] : target;
  return target.map((each, index) => (index === at ? replaced(inner, rest, value, create) : each));
}

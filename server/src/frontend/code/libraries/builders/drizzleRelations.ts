// Drizzle's relational queries: `db.query.users.findMany({ with: { posts: true } })`.
import { constantScalar, type HandleValue, type Value } from "../../values";
import type { Call, Tools } from "../library";
import { draftOf, given, raw, type Draft } from "./draft";
import { isClient } from "./drizzleKinds";
import { conditionOf, fragment, tableText, type Query } from "./drizzleParts";
import { tableCalled } from "./drizzleSchemas";
import { isTable, type DrizzleTable } from "./drizzleTables";

/** `db.query.users.findFirst({ where, orderBy, columns })`. */
export function relational(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [, , key = "", method] = handle.path.split(".");
  const schema = isClient(handle.data) ? handle.data.schema : undefined;
  const table = schema ? tools.member(schema, key) : tableCalled(key, tools);
  if (table?.kind !== "handle" || !isTable(table.data)) return undefined;
  const { source } = call;
  const [first] = call.arguments;
  const options = first && tools.fields(first);
  const base: Query = {
    kind: "query",
    draft: draftOf("select", tableText(table.data, tools)),
    table: table.data,
    joined: [],
    returns: method === "findFirst" ? "first" : "rows",
    source,
  };
  const helpers = tools.object(
    Object.fromEntries(
      "eq ne gt gte lt lte like ilike and or not isNull isNotNull inArray notInArray between desc asc sql"
        .split(" ")
        .map((name) => [name, tools.handle(name)]),
    ),
  );
  const made = (value: Value): Value =>
    value.kind === "function" ? tools.call(value, [table, helpers], source) : value;
  const where = options?.get("where");
  const order = options?.get("orderBy");
  const limit = method === "findFirst" ? raw("1") : undefined;
  const asked = options?.get("limit");
  const condition = where && conditionOf(made(where), tools);
  const orders = order ? made(order) : undefined;
  if (options?.has("with") === true) {
    tools.lose("the relations that are loaded with it are not followed", source);
  }
  const draft: Draft = {
    ...base.draft,
    where: condition ? [condition] : [],
    orderBy: orders ? (tools.items(orders) ?? [orders]).map((each) => fragment(each, tools)) : [],
    ...(limit ? { limit } : asked && { limit: given(asked) }),
  };
  const fields = columnsAsked(options?.get("columns"), table, table.data, tools);
  return { ...handle, path: "query", data: { ...base, draft, ...(fields && { fields }) } };
}

/** `columns: { id: true }`, or those that are left with `{ secret: false }`. */
function columnsAsked(
  columns: Value | undefined,
  table: Value,
  { columns: all }: DrizzleTable,
  tools: Tools,
): Value | undefined {
  const asked = columns && tools.fields(columns);
  if (!asked) return undefined;
  const wanted = [...asked].filter(([, each]) => constantScalar(each) === true);
  const isGiven = ([name]: readonly [string, unknown]): boolean =>
    wanted.length > 0 ? wanted.some(([each]) => each === name) : !asked.has(name);
  const kept = [...all].filter(isGiven).map(([name]) => [name, tools.member(table, name)] as const);
  return tools.object(Object.fromEntries(kept));
}

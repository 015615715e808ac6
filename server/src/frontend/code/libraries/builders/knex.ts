// knex: query builders by table names, `raw`, transactions by callback or by hand.
import { constant, constantText, textOf as valueText, UNDEFINED, unknown, type HandleValue, type Value } from "../../values"; // prettier-ignore
import { levelOf } from "../levels";
import type { Call, Library, SqlOutcome, Tools } from "../library";
import { rowsOf } from "../rawSql";
import { ownConnection } from "../ownConnection";
import { draftOf, runDraft, runUnread } from "./draft";
import { columnOf, KNEX_QUERIES, rawPart, rowsIn, tableOf, whole, type Query } from "./knexParts";
import { extendQuery } from "./knexQueries";
import { awaitQuery, builderCall, isMutable, mutableQuery, type ThenableBuilder } from "./mutableQuery"; // prettier-ignore
import { asksBuilder, knexShape } from "./shapes";

/** Result of a query when it is awaited. */
function run(handle: HandleValue, query: Query, tools: Tools): Value {
  const { unread, source } = query;
  if (unread !== undefined) return runUnread(query.draft, unread, handle.connection, source, tools);
  const outcome = runDraft(whole(query), handle.connection, source, tools);
  return resultOf(query, outcome, tools);
}

function resultOf({ draft, isFirst, plucked }: Query, outcome: SqlOutcome, tools: Tools): Value {
  if (draft.verb !== "select" && draft.returning.length === 0) {
    if (draft.verb !== "insert" || tools.dialect === "postgres") return outcome.count;
    return tools.list([outcome.insertId ?? unknown("the number that an INSERT made")]);
  }
  const rows = rowsOf(outcome, tools);
  if (plucked !== undefined) {
    return { kind: "derived", from: rows, how: "map", by: tools.handle("pluck", plucked) };
  }
  return isFirst ? tools.firstRow(rows) : rows;
}

function transaction(handle: HandleValue, call: Call, tools: Tools): Value {
  const callback = call.arguments.find(({ kind }) => kind !== "object" && kind !== "undefined");
  const options = call.arguments.find((each) => each.kind === "object");
  const { source } = call;
  const named = levelOf(options && tools.fields(options)?.get("isolationLevel"));
  const connection = ownConnection(handle.connection, tools);
  const inner = tools.handle("knex", undefined, connection);
  if (!callback) {
    tools.begin(connection, { source, ...named });
    return inner;
  }
  return tools.inTransaction(connection, { source, isNested: true, ...named }, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

const BUILDER: ThenableBuilder<Query> = {
  ...KNEX_QUERIES,
  run,
  extend: (query, method, call, tools) =>
    extendQuery(query, method, call, tools) ?? { ...query, unread: `knex: ${method}() of a query is not known` }, // prettier-ignore
};

/** The methods by which a client begins a query. */
const BEGINS = /^knex\.(select|insert|first|with|withRecursive|count|max|min|sum|avg|distinct|column|columns|into|union|unionAll)$/u; // prettier-ignore

function begun(handle: HandleValue, query: Query, tools: Tools): HandleValue {
  return { ...handle, path: "query", data: mutableQuery(query, tools) };
}

function root(tools: Tools): HandleValue {
  return tools.handle("knex", undefined, tools.connection(true));
}

export const KNEX: Library = {
  name: "knex",
  modules: ["knex"],
  imported: (_name, _module, tools) => tools.handle("makeKnex"),
  typed: (type, tools) => {
    switch (type) {
      case "Knex":
      case "makeKnex":
        return root(tools);
      case "Knex.Transaction":
      case "makeKnex.Transaction":
        return tools.handle("knex", undefined, tools.connection(false));
      default:
        return undefined;
    }
  },
  member: ({ path, connection }, property) =>
    path === "knex" && property === "isTransaction" && connection
      ? constant(!connection.isPool)
      : undefined,
  asks: (call, { used }) => asksBuilder(call, "knex", used),
  shaped: knexShape,
  awaited: (handle, tools) => awaitQuery(handle, BUILDER, tools),
  call: (handle, call, tools) => {
    const { path, data } = handle;
    const { source } = call;
    const [first, second] = call.arguments;
    if (isMutable(data)) {
      return path.endsWith(".transacting") && first?.kind === "handle" && first.connection
        ? { ...handle, path: "query", connection: first.connection }
        : builderCall(handle, BUILDER, call, tools);
    }
    switch (path) {
      case "makeKnex":
        return root(tools);
      case "knex":
      case "knex.table":
      case "knex.from": {
        const table = tableOf(first, tools);
        return table && begun(handle, { draft: draftOf("select", table), isFirst: false, source }, tools); // prettier-ignore
      }
      case "pluck":
        return first && typeof data === "string" ? tools.member(first, data) : undefined;
      case "knex.withSchema": {
        const schema = constantText(first);
        const draft = draftOf("select", []);
        return schema === undefined
          ? undefined
          : begun(handle, { draft: { ...draft, schema }, isFirst: false, source }, tools);
      }
      case "knex.batchInsert": {
        const table = tableOf(first, tools);
        const draft = draftOf("insert", table ?? []);
        const rows = table && second && rowsIn(second, draft, tools);
        return rows && begun(handle, { draft: { ...draft, ...rows }, isFirst: false, source }, tools); // prettier-ignore
      }
      case "knex.ref": {
        const name = columnOf(first, tools);
        return name && rawPart(handle, { kind: "text", parts: name }, undefined, call, tools);
      }
      case "knex.raw":
        return first && rawPart(handle, first, second, call, tools);
      case "knex.fn.now":
        return rawPart(handle, valueText("CURRENT_TIMESTAMP"), undefined, call, tools);
      case "knex.transaction":
        return transaction(handle, call, tools);
      case "knex.commit":
        tools.commit(handle.connection, source);
        return UNDEFINED;
      case "knex.rollback":
        tools.rollback(handle.connection, source);
        return UNDEFINED;
      case "knex.destroy":
      case "knex.on":
        return UNDEFINED;
      default: {
        const method = BEGINS.exec(path)?.[1];
        const start: Query = { draft: draftOf("select", []), isFirst: false, source };
        const query = method === undefined ? undefined : extendQuery(start, method, call, tools);
        return query && begun(handle, query, tools);
      }
    }
  },
};

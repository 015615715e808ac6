// Kysely: typed builders by names, expressions by callbacks, transactions with a level.
import { kindGuard } from "../kindGuard";
import { dictionary } from "../../../../protocol/dictionary";
import { constant, constantText, UNDEFINED, type HandleValue, type Value } from "../../values";
import { levelOf } from "../levels";
import type { Call, Library, SqlOutcome, Tools } from "../library";
import { rowsOf } from "../rawSql";
import { draftOf, oneQuery, runDraft, runUnread, type Draft, type Fragment } from "./draft";
import { identifier, spelledBack } from "./kyselyNames";
import {
  callBuilder,
  caseCall,
  columnsIn,
  documentCall,
  expression,
  fragment,
  isPart,
  isQuery,
  orderCall,
  partCall,
  sqlCall,
  tableOf,
  template,
  type Query,
} from "./kyselyParts";
import { conflictCall, extendQuery, isJoining, joinCall, operand, perhaps } from "./kyselyQueries";
import { prefixed } from "./methods";
import { asksBuilder, kyselyShape } from "./shapes";

interface Beginning {
  readonly kind: "beginning";
  readonly level?: string;
}

const isBeginning = kindGuard<Beginning>("beginning");

/** The part before the statements that a client begins: `db.with(...)`. */
interface Creator {
  readonly kind: "creator";
  readonly prefix?: Fragment;
  /** `db.withSchema("a")`. */
  readonly schema?: string;
  readonly unread?: string;
}

const isCreator = kindGuard<Creator>("creator");

const STARTS = dictionary<Draft["verb"] | undefined>({
  selectFrom: "select",
  insertInto: "insert",
  updateTable: "update",
  deleteFrom: "delete",
  selectNoFrom: "select",
});

/** `db.selectFrom("a as b")`; undefined where the table is not known. */
function started(
  handle: HandleValue,
  verb: Draft["verb"],
  call: Call,
  tools: Tools,
): Value | undefined {
  const [first] = call.arguments;
  const isBare = handle.path.endsWith(".selectNoFrom");
  const table = isBare ? [] : tableOf(first, tools);
  const columns = isBare ? columnsIn(first, tools) : [];
  if (!table || !columns) return undefined;
  const { prefix, schema, unread } = isCreator(handle.data) ? handle.data : {};
  const said = { ...(prefix && { prefix }), ...(schema !== undefined && { schema }) };
  const draft = { ...draftOf(verb, table), columns, ...said };
  const query: Query = { kind: "query", draft, source: call.source, ...(unread !== undefined && { unread }) }; // prettier-ignore
  return { ...handle, path: "query", data: query };
}

/** `db.with("name", (db) => query)`. */
function withQuery(handle: HandleValue, call: Call, tools: Tools): Value {
  const [first, second] = call.arguments;
  const [, name = "", columns] =
    /^\s*(\w+)\s*(?:\(([^)]*)\))?/u.exec(constantText(first) ?? "") ?? [];
  const { data: _data, ...plain } = { ...handle, path: "db" };
  const made = second?.kind === "function" ? callBuilder(second, [plain], tools) : second;
  const query = name !== "" && made ? operand(made, tools) : undefined;
  const before = isCreator(handle.data) ? handle.data : undefined;
  const list = columns?.split(",").map((each) => identifier(each.trim(), tools)).join(", "); // prettier-ignore
  const head = `${identifier(name, tools)}${list === undefined ? "" : `(${list})`}`;
  const data: Creator = {
    kind: "creator",
    prefix: prefixed(before?.prefix, handle.path.endsWith("Recursive"), head, query ?? []),
    ...(before?.schema !== undefined && { schema: before.schema }),
    ...(before?.unread !== undefined && { unread: before.unread }),
    ...(!query && { unread: "kysely: a query of with() is not known" }),
  };
  return { ...plain, data };
}

/** `db.withSchema("a")`; undefined where the name is not known. */
function inSchema(handle: HandleValue, { arguments: [first] }: Call): Value | undefined {
  const schema = constantText(first);
  if (schema === undefined) return undefined;
  const before = isCreator(handle.data) ? handle.data : undefined;
  const data: Creator = { ...before, kind: "creator", schema };
  return { ...handle, path: "db", data };
}

/** A method of a query. */
function queryCall(handle: HandleValue, query: Query, call: Call, tools: Tools, depth = 0): Value {
  const method = handle.path.split(".").at(-1) ?? "";
  const [first] = call.arguments;
  const again = { ...handle, path: "query" };
  if (/^(?:execute(?:TakeFirst(?:OrThrow)?)?|stream)$/u.test(method)) {
    return run(handle, query, method, call.source, tools);
  }
  if (method === "$call" && first) return tools.call(first, [again], call.source);
  const perhapsMore = method === "$if" ? perhaps(again, query, call, tools) : undefined;
  if (perhapsMore) return perhapsMore;
  if (method === "as") {
    const text = fragment(again, tools);
    const part = text && partCall("as", text, call, tools);
    if (part) return part;
  }
  const next = extendQuery(query, method, call, tools);
  if (next) return { ...again, data: next };
  const args = call.arguments.map((each) => tools.spelledOut(each));
  const at = args.findIndex(({ kind }) => kind === "choice");
  const choice = args[at];
  if (choice?.kind === "choice" && depth < MOST_CHOICES) {
    const way = (value: Value) => (): Value =>
      queryCall(handle, query, { ...call, arguments: args.with(at, value) }, tools, depth + 1);
    return tools.either(choice.condition, way(choice.then), way(choice.otherwise));
  }
  return { ...again, data: { ...query, unread: `kysely: ${method}() of a query is not known` } };
}

/** Arguments that are one of two values are followed that often in a call. */
const MOST_CHOICES = 3;

/** `db.withPlugin(plugin)`: one that gives the queries back that it is given changes nothing. */
function withPlugin(handle: HandleValue, call: Call, tools: Tools): Value {
  const [plugin] = call.arguments;
  const node = tools.handle("node");
  const transform = plugin && tools.member(plugin, "transformQuery");
  const given =
    transform?.kind === "function"
      ? tools.call(transform, [tools.object({ node })], call.source)
      : undefined;
  const isSame = given?.kind === "handle" && given.path === "node";
  const isSpelling = plugin?.kind === "handle" && plugin.path === "CamelCasePlugin";
  if (!isSame && !isSpelling) {
    tools.lose("a plugin of Kysely may change its queries", call.source);
  }
  return { ...handle, path: "db" };
}

function run(
  handle: HandleValue,
  query: Query,
  method: string,
  source: Call["source"],
  tools: Tools,
): Value {
  const { draft, unread } = query;
  if (unread !== undefined) return runUnread(draft, unread, handle.connection, query.source, tools);
  const outcome = runDraft(draft, handle.connection, query.source, tools);
  const gives = draft.verb === "select" || draft.returning.length > 0;
  if (!gives) {
    const count = counted(draft, outcome, tools);
    return method === "execute" ? tools.list([count]) : count;
  }
  const rows = spelledBack(rowsOf(outcome, tools), tools);
  if (method === "execute" || method === "stream") return rows;
  const row = tools.firstRow(rows);
  if (method === "executeTakeFirstOrThrow") {
    tools.require(tools.condition(row), "no result", source);
  }
  return row;
}

function counted({ verb }: Draft, outcome: SqlOutcome, tools: Tools): Value {
  const names = {
    insert: "numInsertedOrUpdatedRows",
    update: "numUpdatedRows",
    delete: "numDeletedRows",
  };
  return verb === "select" ? outcome.count : tools.object({ [names[verb]]: outcome.count });
}

function transaction(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [callback] = call.arguments;
  const level = isBeginning(handle.data) ? handle.data.level : undefined;
  if (!callback) return undefined;
  const { source } = call;
  const connection = tools.connection(false);
  const inner = tools.handle("db", undefined, connection);
  return tools.inTransaction(connection, { source, ...(level !== undefined && { level }) }, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

/** A transaction that the code ends itself. */
function controlled(handle: HandleValue, { source }: Call, tools: Tools): HandleValue {
  const connection = tools.connection(false);
  const level = isBeginning(handle.data) ? handle.data.level : undefined;
  tools.begin(connection, { source, ...(level !== undefined && { level }) });
  return tools.handle("db", undefined, connection);
}

export const KYSELY: Library = {
  name: "kysely",
  modules: ["kysely", "kysely/helpers/postgres", "kysely/helpers/mysql", "kysely/helpers/sqlite"],
  imported: (name, _module, tools) => (name === "*" ? undefined : tools.handle(name)),
  typed: (type, tools) => {
    if (type === "Kysely") return tools.handle("db", undefined, tools.connection(true));
    if (type === "Transaction") return tools.handle("db", undefined, tools.connection(false));
    return type === "ExpressionBuilder" ? tools.handle("eb") : undefined;
  },
  member: ({ path, connection }, property) =>
    path === "db" && property === "isTransaction" && connection
      ? constant(!connection.isPool)
      : undefined,
  asks: (call, { used }) => asksBuilder(call, "kysely", used),
  shaped: kyselyShape,
  joined: oneQuery(isQuery),
  tagged: (handle, made, tools) => (handle.path === "sql" ? template(made, tools) : undefined),
  call: (handle, call, tools) => {
    const { path: written, data } = handle;
    const path = written.replace(/^eb(?:\.eb)+(?=\.|$)|^db(?=\.fn(?:\.|$))/u, "eb");
    const { source } = call;
    const method = path.split(".").at(-1) ?? "";
    if (isQuery(data)) {
      if (path.startsWith("conflict")) return conflictCall(handle, data, call, tools);
      return queryCall(handle, data, call, tools);
    }
    if (isJoining(data)) return joinCall(handle, data, call, tools);
    if (isPart(data)) {
      const [first] = call.arguments;
      if (path.startsWith("cases")) return caseCall(path, data.text, call, tools);
      if (method === "execute" && first?.kind === "handle") {
        const text: Value = { kind: "text", parts: data.text };
        const outcome = tools.sql(first.connection, text, {}, source);
        const rows = spelledBack(rowsOf(outcome, tools), tools);
        return tools.object({ rows, numAffectedRows: outcome.count });
      }
      return partCall(method, data.text, call, tools) ?? orderCall(method, data.text, tools);
    }
    const verb = path.startsWith("db.") || path.startsWith("eb.") ? STARTS[method] : undefined;
    if (verb !== undefined) return started(handle, verb, call, tools);
    switch (path) {
      case "Kysely":
        return tools.handle("db", undefined, tools.connection(true));
      case "expressionBuilder":
        return tools.handle("eb");
      case "db.with":
      case "db.withRecursive":
        return withQuery(handle, call, tools);
      case "db.withSchema":
        return inSchema(handle, call);
      case "db.withPlugin":
        return withPlugin(handle, call, tools);
      case "db.connection":
        return { ...handle, path: "connection" };
      case "connection.execute": {
        const [work] = call.arguments;
        const inner = tools.handle("db", undefined, tools.connection(false));
        return work && tools.settle(tools.call(work, [inner], source));
      }
      case "db.transaction":
        return { ...handle, path: "transaction", data: { kind: "beginning" } satisfies Beginning };
      case "transaction.setIsolationLevel": {
        const beginning: Beginning = { kind: "beginning", ...levelOf(call.arguments[0]) };
        return { ...handle, path: "transaction", data: beginning };
      }
      case "db.startTransaction":
        return { ...handle, path: "controlled", data: { kind: "beginning" } satisfies Beginning };
      case "controlled.setIsolationLevel": {
        const beginning: Beginning = { kind: "beginning", ...levelOf(call.arguments[0]) };
        return { ...handle, path: "controlled", data: beginning };
      }
      case "controlled.setAccessMode":
        return { ...handle, path: "controlled" };
      case "controlled.execute":
        return controlled(handle, call, tools);
      case "db.commit":
      case "db.rollback":
        return { ...handle, path: `ending.${path}` };
      case "ending.db.commit.execute":
        tools.commit(handle.connection, call.source);
        return UNDEFINED;
      case "ending.db.rollback.execute":
        tools.rollback(handle.connection, call.source);
        return UNDEFINED;
      case "db.savepoint":
      case "db.rollbackToSavepoint":
      case "db.releaseSavepoint":
        tools.lose("savepoints of Kysely are not followed", call.source, "opaque");
        return { ...handle, path: "saved" };
      case "saved.execute":
        return { ...handle, path: "db" };
      case "transaction.setAccessMode":
        return { ...handle, path: "transaction" };
      case "transaction.execute":
        return transaction(handle, call, tools);
      case "db.destroy":
        return UNDEFINED;
      default:
        if (call.isNew && /(?:Dialect|Plugin)$/u.test(path)) return tools.handle(path);
        return path.startsWith("eb")
          ? expression(path, call, tools)
          : (sqlCall(path, call, tools) ?? documentCall(path, call, tools));
    }
  },
};

// Drizzle: builders over declared tables, relational queries, transactions.
import { dictionary } from "../../../../protocol/dictionary";
import { constantText, fieldExpression, scalar, UNDEFINED, unknown, type HandleValue, type Value } from "../../values"; // prettier-ignore
import { orAbsent } from "../../evaluate/values/absence";
import { levelOf } from "../levels";
import type { Call, Library, Tools } from "../library";
import { rowsOf } from "../rawSql";
import { ownConnection } from "../ownConnection";
import { caseText, draftOf, flagOf, valueFragment, quoteIdentifier, oneQuery, raw, insertRows, runDraft, runUnread, sequence, setText, type Draft, type Fragment } from "./draft"; // prettier-ignore
import { argument, bounds, keeps, methods, puts, type Method, type Step } from "./methods";
import { isClient, isOfClass, type Client } from "./drizzleKinds";
import {
  conditionOf,
  derivedTable,
  fragment,
  isQuery,
  operator,
  partCall,
  partValue,
  tableText,
  template,
  type Query,
} from "./drizzleParts";
import { relationDeclaration } from "./drizzleDeclarations";
import { openRecord } from "./drizzleRecords";
import { fieldHandle, relational } from "./drizzleRelations";
import { changeOf, runQuery } from "./drizzleRows";
import {
  aliasTable,
  COLUMN_TYPES,
  declaration,
  defaultOf,
  filledIn,
  isColumn,
  isTable,
  keyDeclaration,
  schemaTable,
  UNKNOWN_COLUMN,
  type DrizzleColumn,
  type DrizzleTable,
} from "./drizzleTables";
import { tableSchema } from "./drizzleZod";
import { asksBuilder, drizzleShape } from "./shapes";

type Side = Query["joined"][number]["how"];

function tableIn(value: Value | undefined): DrizzleTable | undefined {
  return value?.kind === "handle" && isTable(value.data) ? value.data : undefined;
}

/** A join with a table: of each row, or of those for which a condition holds. */
function join(how: Side): Method<Query> {
  return (query, { arguments: [other, condition], tools }) => {
    const table = tableIn(other);
    const on = condition && conditionOf(condition, tools);
    if (!table || (!on && how !== "cross")) return undefined;
    const words = `${how.toUpperCase()} JOIN `;
    const text = sequence(words, tableText(table, tools), ...(on ? [" ON ", on] : []));
    const joined = [...query.joined, { table, how }];
    return { ...query, joined, draft: { ...query.draft, joins: [...query.draft.joins, text] } };
  };
}

function parts({ arguments: args, tools }: Step): readonly Fragment[] {
  return args.map((each) => fragment(each, tools));
}

/** The condition of a call, if it has one. */
function conditions({ arguments: [value], tools }: Step): readonly Fragment[] {
  const holds = value && conditionOf(value, tools);
  return holds ? [holds] : [];
}

/** The statement with what the columns of a record change, as the query's table names them. */
function changing(
  value: (step: Step) => Value | undefined,
  put: (set: Draft["set"], step: Step) => Partial<Draft>,
): Method<Query> {
  return (query, step) => {
    const record = value(step);
    const set = record && setIn(record, query, "update", step.source, step.tools);
    return set && { ...query, draft: { ...query.draft, ...put(set, step) } };
  };
}

function option(name: string): (step: Step) => Value | undefined {
  return ({ arguments: [options], tools }) => options && tools.fields(options)?.get(name);
}

const METHODS = methods<Query>({
  from: (query, { arguments: [of], tools }) => {
    const table = tableIn(of);
    return table && { ...query, table, draft: { ...query.draft, table: tableText(table, tools) } };
  },
  innerJoin: join("inner"),
  leftJoin: join("left"),
  rightJoin: join("right"),
  fullJoin: join("full"),
  crossJoin: join("cross"),
  where: puts((step, draft) => ({ where: [...draft.where, ...conditions(step)] })),
  having: puts((step, draft) => {
    const holds = conditions(step);
    return { having: holds.length > 0 ? holds : draft.having };
  }),
  groupBy: puts((step) => ({ groupBy: parts(step) })),
  orderBy: puts((step) => ({ orderBy: parts(step) })),
  "limit offset": bounds(argument(valueFragment)),
  for: puts(({ arguments: [strength, value], tools }) => {
    const options = value && tools.fields(value);
    const wait = options?.has("skipLocked") ? " SKIP LOCKED" : options?.has("noWait") ? " NOWAIT" : ""; // prettier-ignore
    return { lock: `FOR ${constantText(strength)?.toUpperCase() ?? "UPDATE"}${wait}` };
  }),
  values: (query, { arguments: [value], source, tools }) => {
    const row = (item: Value): Draft["set"] | undefined =>
      setIn(item, query, "insert", source, tools);
    const rows = value && insertRows(value, row, tools);
    return rows && { ...query, draft: { ...query.draft, ...rows } };
  },
  set: changing(
    ({ arguments: [record] }) => record,
    (set) => ({ set }),
  ),
  returning: (query, { arguments: [fields] }) => ({ ...query, returns: "rows", ...(fields && { fields }) }), // prettier-ignore
  onConflictDoNothing: puts((step) => ({
    conflict: raw(` ON CONFLICT${conflictTarget(step)} DO NOTHING`),
  })),
  onConflictDoUpdate: changing(option("set"), (set, step) => {
    const where = option("where")(step) ?? option("setWhere")(step);
    const holds = where && conditionOf(where, step.tools);
    const head = ` ON CONFLICT${conflictTarget(step)} DO UPDATE SET `;
    const guard = holds ? sequence(" WHERE ", holds) : "";
    return { conflict: sequence(head, setText(set, step.tools.dialect), guard) };
  }),
  onDuplicateKeyUpdate: changing(option("set"), (set, { tools }) => ({
    conflict: sequence(" ON DUPLICATE KEY UPDATE ", setText(set, tools.dialect)),
  })),
  $returningId: (query) => ({ ...query, returns: "ids" }),
  "$dynamic prepare": keeps,
});

function conflictTarget(step: Step): string {
  const { tools } = step;
  const target = option("target")(step);
  if (!target) return "";
  const columns = (tools.items(target) ?? [target]).flatMap((each) =>
    each.kind === "handle" && isColumn(each.data) ? (each.data.name ?? []) : [],
  );
  return ` (${columns.map((each) => quoteIdentifier(each, tools.dialect)).join(", ")})`;
}

/** The columns that a record sets, and those that the table's columns set by themselves. */
function setIn(
  value: Value,
  { table }: Query,
  verb: "insert" | "update",
  source: Call["source"],
  tools: Tools,
): Draft["set"] | undefined {
  if (!table) return undefined;
  const fields = tools.fields(value) ?? openRecord(value, table, verb, tools);
  if (!fields) return undefined;
  const named = new Map([...fields].filter(([, each]) => each.kind !== "undefined"));
  for (const [key, column] of table.columns) {
    const filled = named.has(key) ? undefined : filledIn(column, verb, source, tools);
    if (filled) named.set(key, filled);
  }
  return [...named].map(([key, each]) => {
    const column = table.columns.get(key) ?? { ...UNKNOWN_COLUMN, name: key };
    const isNullOtherwise = verb === "insert" && column.hasDefault !== true && !column.onUpdate;
    const value = isNullOtherwise ? each : orAbsent(each);
    return [column.name ?? key, writtenTo(column, value, verb, source, tools)] as const;
  });
}

/** The value that is written to a column; where nothing is given for it, it keeps what it holds or gets its default. */
function writtenTo(
  column: DrizzleColumn,
  value: Value,
  verb: "insert" | "update",
  source: Call["source"],
  tools: Tools,
): Fragment {
  if (value.kind === "undefined") {
    if (verb === "update") return raw(quoteIdentifier(column.name ?? "", tools.dialect));
    return valueFragment(filledIn(column, verb, source, tools) ?? defaultOf(column));
  }
  if (column.type === "json" && (value.kind === "row" || value.kind === "list")) {
    return documentText(value, tools);
  }
  if (value.kind !== "choice" || !(column.type === "json" || mayBeAbsent(value))) return fragment(value, tools); // prettier-ignore
  const { then, otherwise } = value;
  const written = (each: Value): Fragment => writtenTo(column, each, verb, source, tools);
  return caseText(flagOf(value), written(then), written(otherwise));
}

/** Which document it is depends on what it holds. */
function documentText(value: Value, tools: Tools): Fragment {
  // Fields that were set since are not told apart from those that were read.
  if (value.kind === "row" && value.overlay.size > 0) return fragment(value, tools);
  if (value.kind !== "row") return valueFragment(tools.object({ document: value }));
  const fields = value.columns.order.map((name) => scalar(fieldExpression(value, name)));
  const document = valueFragment(tools.object({ document: tools.list(fields) }));
  const isThere = tools.condition(value);
  if (isThere.kind === "literal") return document;
  return sequence("CASE WHEN ", valueFragment(scalar(isThere, "bool")), " THEN ", document, " END");
}

function mayBeAbsent(value: Value): boolean {
  return value.kind === "choice"
    ? mayBeAbsent(value.then) || mayBeAbsent(value.otherwise)
    : value.kind === "undefined";
}

/** `db.$count(table, condition)`. */
function counted(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [first, second] = call.arguments;
  if (first?.kind !== "handle" || !isTable(first.data)) return undefined;
  const condition = second && conditionOf(second, tools);
  const draft: Draft = {
    ...draftOf("select", tableText(first.data, tools)),
    columns: [raw("count(*) AS value")],
    where: condition ? [condition] : [],
  };
  const run = (): Value => {
    const rows = rowsOf(runDraft(draft, handle.connection, call.source, tools), tools);
    return tools.member(tools.firstRow(rows), "value");
  };
  return { kind: "deferred", run };
}

function client(call: Call, tools: Tools): HandleValue {
  const schema = call.arguments
    .map((each) => tools.fields(each)?.get("schema"))
    .find((each) => each !== undefined);
  const data: Client = { kind: "client", isTransaction: false, ...(schema && { schema }) };
  return tools.handle("db", data, tools.connection(true));
}

function transaction(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [callback, options] = call.arguments;
  if (!callback) return undefined;
  const fields = options && tools.fields(options);
  const connection = ownConnection(handle.connection, tools);
  const { schema } = isClient(handle.data) ? handle.data : {};
  const data: Client = { kind: "client", isTransaction: true, ...(schema && { schema }) };
  const inner = tools.handle("db", data, connection);
  const { source } = call;
  const own = { source, isNested: true, ...levelOf(fields?.get("isolationLevel")) };
  return tools.inTransaction(connection, own, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

/** Runs SQL that is given as a part, as text or as a query. */
function executed(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [first] = call.arguments;
  if (!first) return undefined;
  const parts = first.kind === "text" ? first.parts : fragment(first, tools);
  const text: Value = { kind: "text", parts };
  const outcome = tools.sql(handle.connection, text, {}, call.source);
  const rows = rowsOf(outcome, tools);
  switch (handle.path) {
    case "db.run":
      return changeOf(outcome, tools);
    case "db.all":
      return rows;
    case "db.get":
      return tools.firstRow(rows);
    case "db.values":
      return unknown("rows as lists of their values", [tools.expression(rows)]);
    default:
      return tools.object({ rows, rowCount: outcome.count });
  }
}

/** Queries that are sent together: in one transaction. */
function batch(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [queries] = call.arguments;
  const items = queries && tools.items(queries);
  if (!items) return undefined;
  const connection = ownConnection(handle.connection, tools);
  return tools.inTransaction(connection, { source: call.source }, () =>
    tools.list(
      items.map((each) => {
        if (each.kind !== "handle" || !isQuery(each.data)) return tools.settle(each);
        return runQuery({ ...each, connection }, each.data, tools);
      }),
    ),
  );
}

/** A method of a query: runs it, makes a table of it, or adds to it. */
function queryCall(handle: HandleValue, query: Query, call: Call, tools: Tools): Value {
  const { path, connection } = handle;
  const method = path.split(".").at(-1) ?? "";
  const [first] = call.arguments;
  switch (method) {
    case "execute":
    case "all":
      return runQuery(handle, query, tools);
    case "get":
      return tools.firstRow(runQuery(handle, query, tools));
    case "run": {
      const made = runQuery(handle, query, tools);
      return query.returns === "count" ? made : unknown("what the driver gives of a query");
    }
    case "then": {
      const value = runQuery(handle, query, tools);
      return first ? tools.call(first, [value], call.source) : value;
    }
    case "as":
    case "getSQL": {
      const name = constantText(first);
      if (method === "getSQL" || name === undefined)
        return partValue(fragment(handle, tools), tools);
      return tools.handle("table", derivedTable(query, name, tools));
    }
    default: {
      const next = METHODS.get(method)?.(query, { ...call, method, tools });
      if (next) return { ...handle, path: "query", data: next };
      const why = `drizzle-orm: ${method}() of a query is not known`;
      return runUnread(query.draft, why, connection, query.source, tools);
    }
  }
}

/** `db.$with("name").as(query)`. */
function commonTable(data: unknown, call: Call, tools: Tools): Value | undefined {
  const name = typeof data === "object" && data !== null && "name" in data ? data.name : undefined;
  const [first] = call.arguments;
  if (first?.kind !== "handle" || !isQuery(first.data) || typeof name !== "string")
    return undefined;
  if (first.data.draft.verb !== "select") return undefined;
  return tools.handle("table", derivedTable(first.data, name, tools));
}

function otherName({ arguments: [of, as] }: Call, tools: Tools): Value | undefined {
  const name = constantText(as);
  if (of?.kind !== "handle" || !isTable(of.data) || name === undefined) return undefined;
  return tools.handle("table", aliasTable(of.data, name));
}

function columnsRecord(of: Value | undefined, tools: Tools): Value | undefined {
  if (of?.kind !== "handle" || !isTable(of.data)) return undefined;
  const columns = [...of.data.columns].map(([key, each]) => [key, tools.handle("column", each)] as const); // prettier-ignore
  return tools.object(Object.fromEntries(columns));
}

/** True if the database has it under its own name. */
function isStored({ alias, query }: DrizzleTable): boolean {
  return alias === undefined && query === undefined;
}

const STARTS = dictionary<Draft["verb"] | undefined>({
  "db.select": "select",
  "db.selectDistinct": "select",
  "db.insert": "insert",
  "db.update": "update",
  "db.delete": "delete",
});

function start(handle: HandleValue, verb: Draft["verb"], call: Call, tools: Tools): Value {
  const [first] = call.arguments;
  const table = first?.kind === "handle" && isTable(first.data) ? first.data : undefined;
  const name = table === undefined ? raw("?") : tableText(table, tools);
  const query: Query = {
    kind: "query",
    draft: { ...draftOf(verb, name), isDistinct: handle.path === "db.selectDistinct" },
    ...(table && { table }),
    ...(verb === "select" && first && { fields: first }),
    joined: [],
    returns: verb === "select" ? "rows" : "count",
    source: call.source,
  };
  return { ...handle, path: "query", data: query };
}

export const DRIZZLE: Library = {
  name: "drizzle-orm",
  modules: [
    "drizzle-orm",
    "drizzle-zod",
    "drizzle-orm/zod",
    ..."sql sql/expressions expressions pg-core mysql-core sqlite-core node-postgres postgres-js mysql2 neon-http neon-serverless vercel-postgres planetscale-serverless better-sqlite3 libsql libsql/http libsql/web pglite d1 bun-sql bun-sqlite xata-http aws-data-api/pg tidb-serverless pg-proxy mysql-proxy sqlite-proxy expo-sqlite op-sqlite durable-sqlite sql-js"
      .split(" ")
      .map((name) => `drizzle-orm/${name}`),
  ],
  imported: (name, _module, tools) => (name === "*" ? undefined : tools.handle(name)),
  typed: (type, tools) => {
    if (/^(?:NodePg|PostgresJs|MySql2|Neon\w*|Vercel\w*|Pg)Database$/u.test(type)) {
      return tools.handle("db", { kind: "client" }, tools.connection(true));
    }
    const data: Client = { kind: "client", isTransaction: true };
    return /Transaction$/u.test(type)
      ? tools.handle("db", data, tools.connection(false))
      : undefined;
  },
  member: (handle, property, tools) => {
    const { data, path } = handle;
    if (path === COLUMN_TYPES) return tools.handle(property);
    if (!isTable(data)) return undefined;
    const column = data.columns.get(property);
    return column && tools.handle("column", column);
  },
  asks: (call, { used }) => asksBuilder(call, "drizzle-orm", used),
  isTable,
  shaped: drizzleShape,
  joined: oneQuery(isQuery),
  tagged: (handle, made, tools) => (handle.path === "sql" ? template(made, tools) : undefined),
  awaited: (handle, tools) => {
    return isQuery(handle.data) ? runQuery(handle, handle.data, tools) : undefined;
  },
  declares: (declared, tools) =>
    declared.kind === "handle" && isTable(declared.data) && isStored(declared.data)
      ? schemaTable(declared.data, tools)
      : undefined,
  call: (handle, call, tools) => {
    const { path, data } = handle;
    if (isQuery(data)) return queryCall(handle, data, call, tools);
    const verb = STARTS[path];
    if (verb !== undefined) return start(handle, verb, call, tools);
    switch (path) {
      case "drizzle":
        return client(call, tools);
      case "db.transaction":
        return transaction(handle, call, tools);
      case "db.execute":
      case "db.run":
      case "db.all":
      case "db.get":
      case "db.values":
        return executed(handle, call, tools);
      case "db.batch":
        return batch(handle, call, tools);
      case "db.with":
        return { ...handle, path: "db" };
      case "db.$with":
        return tools.handle("cte", { kind: "cte", name: constantText(call.arguments[0]) });
      case "cte.as":
        return commonTable(data, call, tools);
      case "alias":
      case "aliasedTable":
        return otherName(call, tools);
      case "getTableColumns":
        return columnsRecord(call.arguments[0], tools);
      case "field":
        return fieldHandle(data, call.arguments[0], tools);
      case "is": {
        const [value, of] = call.arguments;
        return value && of && isOfClass(value, of, tools);
      }
      case "db.$count":
        return counted(handle, call, tools);
      case "db.rollback":
        tools.require({ kind: "literal", value: false, type: "bool" }, "ROLLBACK", call.source);
        return UNDEFINED;
      case "relations":
        return tools.handle(path);
      default:
    }
    if (path.startsWith("db.query.")) return relational(handle, call, tools);
    return (
      keyDeclaration(handle, call, tools) ??
      declaration(handle, call, tools) ??
      partCall(path, data, call, tools) ??
      tableSchema(path, call, tools) ??
      relationDeclaration(handle, call, tools) ??
      operator(path, call, tools)
    );
  },
};

// Objection: classes over tables whose queries are those of knex, and rows that are asked for queries of their own. Its classes
// declare no columns: those of the schema are taken.
import { ofNodes } from "../../../../query/nodes";
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import { dictionary } from "../../../../protocol/dictionary";
import type { SourceRange } from "../../../../protocol/source";
import { constantText, UNDEFINED, unknown, type Connection, type HandleValue, type Value } from "../../values"; // prettier-ignore
import type { Call, ClassValue, Library, Tools } from "../library";
import { ancestry, extendsLibrary, thunkResult } from "../orm/entityClass";
import { isModel, keysOf, modelTable, type Model, type ModelColumn } from "../orm/model";
import { ownMember, ownMethod } from "../orm/ownMethods";
import { isRowData, modelRows, type Place } from "../orm/statements";
import { ownConnection } from "../ownConnection";
import { rowsOf } from "../rawSql";
import { draftOf, namesIn, quoteIdentifier, raw, runDraft, runUnread, sequence, textOf, valueFragment, type Fragment } from "./draft"; // prettier-ignore
import { KNEX } from "./knex";
import { columnOf, KNEX_QUERIES, rawPart, whole, type Query } from "./knexParts";
import { extendQuery } from "./knexQueries";
import { awaitQuery, builderCall, isMutable, mutableQuery, type ThenableBuilder } from "./mutableQuery"; // prettier-ignore

const NAME = "objection";

/** All pools are taken for one. */
const POOL: Connection = { id: NAME, isPool: true };

interface ModelQuery extends Query {
  readonly model: Model;
  /** No row is an error. */
  readonly isRequired?: boolean;
  /** Relations that are read along with rows. */
  readonly graph?: readonly string[];
  /** The fields of what is inserted or updated. */
  readonly written?: Value;
  /** The row or object that the query is about. */
  readonly subject?: Value;
  /** A writing gives the row as it is behind it. */
  readonly isFetched?: boolean;
  /** Set in what is inserted: a row that belongs to another. */
  readonly foreign?: readonly [column: string, value: Value];
  /** Only how many rows there are is asked for. */
  readonly isCounted?: boolean;
}

const isModelQuery = (query: Query): query is ModelQuery => "model" in query;

type Extension = (query: ModelQuery, call: Call, tools: Tools) => ModelQuery | undefined;

/** The query with what a method of knex adds. */
const byKnex =
  (method: string): Extension =>
  (query, call, tools) => {
    const next = extendQuery(query, method, call, tools);
    return next && isModelQuery(next) ? next : undefined;
  };

const byId: Extension = (query, { arguments: [id] }, tools) => withKey(query, id, tools);

/** A writing of the fields that a call is given. */
const writing =
  (method: "insert" | "update", more: Partial<ModelQuery> = {}): Extension =>
  (query, call, tools) => {
    const [written] = call.arguments;
    const next = byKnex(method)(query, call, tools);
    return next && written && { ...next, written, ...more };
  };

/** The same of the row of a key that comes first. */
const writingById: Extension = (query, call, tools) => {
  const keyed = byId(query, call, tools);
  const rest = { ...call, arguments: call.arguments.slice(1) };
  return keyed && writing("update", { isFetched: true })(keyed, rest, tools);
};

const graph: Extension = (query, { arguments: [names] }) => {
  const written = constantText(names)?.replace(/^\[(.*)\]$/su, "$1");
  if (written === undefined || !/^\w+(?:\s*,\s*\w+)*$/u.test(written)) return undefined;
  return { ...query, graph: [...(query.graph ?? []), ...written.split(/\s*,\s*/u)] };
};

/** Methods that knex does not have, or has with another meaning. */
const METHODS = dictionary<Extension | undefined>({
  findById: (query, call, tools) => first(byId(query, call, tools)),
  findByIds: (query, { arguments: [ids], ...call }, tools) => {
    const [key, ...more] = keyNames(query, tools);
    if (!ids || key === undefined || more.length > 0) return undefined;
    const named: Value = { kind: "text", parts: raw(key) };
    const column = rawPart(
      tools.handle("raw"),
      named,
      undefined,
      { ...call, arguments: [] },
      tools,
    );
    return byKnex("whereIn")(query, { ...call, arguments: [column, ids] }, tools);
  },
  findOne: (query, call, tools) => first(byKnex("where")(query, call, tools)),
  first: (query) => first(query),
  insert: writing("insert"),
  insertAndFetch: writing("insert", { isFetched: true }),
  patch: writing("update"),
  update: writing("update"),
  patchAndFetch: writing("update", { isFetched: true }),
  updateAndFetch: writing("update", { isFetched: true }),
  patchAndFetchById: writingById,
  updateAndFetchById: writingById,
  deleteById: (query, call, tools) => {
    const keyed = byId(query, call, tools);
    return keyed && byKnex("delete")(keyed, { ...call, arguments: [] }, tools);
  },
  throwIfNotFound: (query) => ({ ...query, isRequired: true }),
  resultSize: (query) => ({ ...query, isCounted: true }),
  withGraphFetched: graph,
  withGraphJoined: graph,
  execute: (query) => query,
  context: (query) => query,
  debug: (query) => query,
});

function first(query: ModelQuery | undefined): ModelQuery | undefined {
  return query && { ...query, isFirst: true };
}

function keyNames({ model }: Pick<ModelQuery, "model">, tools: Tools): readonly string[] {
  return keysOf(model).map((key) => quoteIdentifier(`${model.table}.${key.column}`, tools.dialect));
}

/** The query of the row of a key, or of a list of the parts of one. */
function withKey(query: ModelQuery, id: Value | undefined, tools: Tools): ModelQuery | undefined {
  const names = keyNames(query, tools);
  const parts = id && (names.length > 1 ? tools.items(id) : [id]);
  if (!parts || parts.length !== names.length) return undefined;
  const where = names.map((name, at) => sequence(`${name} = `, valueFragment(parts[at] ?? UNDEFINED))); // prettier-ignore
  return { ...query, draft: { ...query.draft, where: [...query.draft.where, ...where] } };
}

/** The query of a row by the key that it has. */
function ofRow(query: ModelQuery, row: Value, tools: Tools): ModelQuery | undefined {
  const values = keysOf(query.model).map(({ column }) => tools.member(row, column));
  return withKey(query, values.length > 1 ? tools.list(values) : values[0], tools);
}

function queryOn(model: Model, source: SourceRange, tools: Tools): ModelQuery {
  const draft = draftOf("select", raw(quoteIdentifier(model.table, tools.dialect)));
  return { draft, isFirst: false, source, model };
}

function begun(query: ModelQuery, connection: Connection | undefined, tools: Tools): HandleValue {
  return tools.handle("query", mutableQuery(query, tools), connection ?? POOL);
}

/** Result of a query that is awaited. */
function run(query: Query, connection: Connection | undefined, tools: Tools): Value {
  const { source, draft, unread } = query;
  if (!isModelQuery(query) || unread !== undefined) {
    return runUnread(draft, unread ?? "objection: a query that is not known", connection, source, tools); // prettier-ignore
  }
  const place: Place = { model: query.model, connection, source, tools };
  if (query.isCounted === true) return counted(place, query);
  if (draft.verb === "insert") return inserted(place, query);
  if (draft.verb !== "select") return changed(place, query);
  const rows = withGraph(place, query, modelRows(place, runDraft(whole(query), connection, source, tools))); // prettier-ignore
  if (query.plucked !== undefined) return unknown("the values of one column", [tools.expression(rows)]); // prettier-ignore
  const result = query.isFirst ? tools.firstRow(rows) : rows;
  if (query.isRequired === true) {
    const one = query.isFirst ? result : tools.firstRow(rows);
    tools.require(tools.condition(one), "no row was found", source);
  }
  return result;
}

function counted(place: Place, query: ModelQuery): Value {
  const { connection, source, tools } = place;
  const inner = sequence("(", textOf(whole(query), tools.dialect), ") AS temp");
  const draft = { ...draftOf("select", inner), columns: [raw("count(*) AS count")] };
  const rows = rowsOf(runDraft(draft, connection, source, tools), tools);
  return tools.member(tools.firstRow(rows), "count");
}

function inserted(place: Place, query: ModelQuery): Value {
  const { connection, source, tools, model } = place;
  const { written = UNDEFINED, draft, foreign } = query;
  const keys = keysOf(model).map(({ column }) => column);
  const isPostgres = tools.dialect === "postgres";
  const names = draft.returning.length > 0 || !isPostgres ? [] : keys;
  const own = foreign ? [[foreign[0], valueFragment(foreign[1])] as const] : [];
  const statement = {
    ...whole({ ...query, draft: { ...draft, where: [] } }),
    rows: draft.rows.map((row) => new Map([...row, ...own])),
    returning: [
      ...draft.returning,
      ...names.map((each) => raw(quoteIdentifier(each, tools.dialect))),
    ],
  };
  const outcome = runDraft(statement, connection, source, tools);
  const fields = tools.fields(written);
  if (!fields) return unknown("the rows that a list inserts");
  const made = tools.object(Object.fromEntries([...fields, ...(foreign ? [foreign] : [])]));
  const back = isPostgres ? tools.firstRow(modelRows(place, outcome)) : undefined;
  for (const key of keys) {
    if (back) tools.assign(made, key, tools.member(back, key));
    else if (!fields.has(key) && outcome.insertId) tools.assign(made, key, outcome.insertId);
  }
  const object = made.kind === "object" && model.class ? { ...made, class: model.class } : made;
  return query.isFetched === true ? fetched(place, object) : object;
}

/** The row of what was written, as it is by now. */
function fetched(place: Place, of: Value): Value {
  const { model, source, tools, connection } = place;
  const query = ofRow(queryOn(model, source, tools), of, tools);
  return query ? run({ ...query, isFirst: true }, connection, tools) : unknown("the row of a key");
}

function changed(place: Place, query: ModelQuery): Value {
  const { connection, source, tools, model } = place;
  const { draft, written, subject } = query;
  const outcome = runDraft(whole(query), connection, source, tools);
  const isMissing = compare("=", tools.expression(outcome.count), literal(0));
  if (query.isRequired === true) {
    tools.require({ kind: "not", operand: isMissing }, "no row was found", source);
  }
  // Rows of RETURNING.
  if (draft.returning.length > 0) {
    const rows = modelRows(place, outcome);
    return query.isFirst ? tools.firstRow(rows) : rows;
  }
  for (const [name, value] of (subject && written && tools.fields(written)) ?? []) {
    if (subject && value.kind !== "deferred") tools.assign(subject, name, value);
  }
  if (query.isFetched !== true) return outcome.count;
  const again: ModelQuery = { ...queryOn(model, source, tools), isFirst: true };
  const read = (): Value => run({ ...again, draft: { ...again.draft, where: draft.where } }, connection, tools); // prettier-ignore
  return tools.either(isMissing, () => UNDEFINED, read);
}

/** The other end of a relation: its model, and which of its columns is a column of this one. */
interface Relation {
  readonly model: Model;
  readonly own: string;
  readonly theirs: string;
  readonly isMany: boolean;
}

/** A relation without a table between, by the class's `relationMappings`. */
function relationOf(model: Model, name: string, tools: Tools): Relation | undefined {
  const mappings = model.class && thunkResult(tools.member(model.class, "relationMappings"), tools);
  const mapping = mappings && tools.fields(mappings)?.get(name);
  const fields = mapping && tools.fields(mapping);
  const join = fields?.get("join");
  const ends = join && tools.fields(join);
  const kind = fields?.get("relation");
  const target = thunkResult(fields?.get("modelClass"), tools);
  const other = target?.kind === "class" ? modelOf(target, tools) : undefined;
  const [, own] = constantText(ends?.get("from"))?.split(".") ?? [];
  const [, theirs] = constantText(ends?.get("to"))?.split(".") ?? [];
  if (!other || own === undefined || theirs === undefined || ends?.has("through") === true) return undefined; // prettier-ignore
  if (kind?.kind !== "handle") return undefined;
  return { model: other, own, theirs, isMany: /\.HasManyRelation$/u.test(kind.path) };
}

/** The rows of the other end that belong to a row. */
function relatedQuery(
  { own, theirs, model }: Relation,
  row: Value,
  source: SourceRange,
  tools: Tools,
): ModelQuery {
  const query = queryOn(model, source, tools);
  const column = quoteIdentifier(`${model.table}.${theirs}`, tools.dialect);
  const where: Fragment = sequence(`${column} IN (`, valueFragment(tools.member(row, own)), ")");
  return { ...query, draft: { ...query.draft, where: [where] } };
}

/** Rows with their relations, each of which a statement of its own reads. */
function withGraph(place: Place, query: ModelQuery, rows: Value): Value {
  const { tools, source, connection, model } = place;
  const names = query.graph ?? [];
  if (names.length === 0 || rows.kind !== "rows") return rows;
  const related = new Map<string, Value>();
  for (const name of names) {
    const relation = relationOf(model, name, tools);
    if (!relation || !query.isFirst) {
      tools.lose(`the relation ${name} of rows is not followed`, source);
      continue;
    }
    const found = run(relatedQuery(relation, tools.firstRow(rows), source, tools), connection, tools); // prettier-ignore
    related.set(name, relation.isMany ? found : tools.firstRow(found));
  }
  return { ...rows, columns: { ...rows.columns, related } };
}

const memo = ofNodes((_of: ClassValue["class"], _tools: Tools): { model?: Model } => ({}));

/** The model that a class is; undefined where it extends no model or names no table. */
function modelOf(of: ClassValue, tools: Tools): Model | undefined {
  if (!extendsLibrary(of, NAME, "Model")) return undefined;
  const known = memo(of.class, tools);
  const model = known.model ?? newModel(of, tools);
  if (model) known.model = model;
  return model;
}

function newModel(of: ClassValue, tools: Tools): Model | undefined {
  const written = constantText(tools.member(of, "tableName"));
  if (written === undefined) return undefined;
  const { table, schema } = modelTable(tools, [written]);
  const named = namesIn(tools.member(of, "idColumn"), tools);
  const keys = named.length > 0 ? named : ["id"];
  const declared = tools.table(table)?.columns ?? keys.map((name) => ({ name, type: "other" as const })); // prettier-ignore
  const columns = declared.map(
    ({ name, type }): ModelColumn => ({ column: name, property: name, type, isKey: keys.includes(name) }), // prettier-ignore
  );
  const place = { table, ...(schema !== undefined && { schema }) };
  return { kind: "model", isEntity: true, name: of.class.name ?? "", ...place, columns, relations: [], uniqueKeys: [], class: of }; // prettier-ignore
}

/** Hooks and names that are not followed are said where a class is asked for a query. */
function tellUnread({ class: of }: Model, source: SourceRange, tools: Tools): void {
  const methods = of ? ancestry(of).flatMap((each) => [...each.class.methods, ...each.class.fields]) : []; // prettier-ignore
  const names = methods.flatMap(({ name }) => (UNFOLLOWED.test(name) ? [name] : []));
  if (names.length > 0) tools.lose(`${names.join(", ")} of a model is not followed`, source);
}

const UNFOLLOWED = /^(?:\$?(?:before|after)(?:Find|Insert|Update|Delete)|columnNameMappers|\$(?:parse|format)DatabaseJson|QueryBuilder)$/u; // prettier-ignore

/** Static methods of models; `query` begins a query. */
const STATIC = /^(?:query|transaction|startTransaction|bindTransaction|bindKnex|knex|raw|ref|fn)$/u;

/** The connection of a transaction that a call is given, if it is. */
function connectionIn(value: Value | undefined): Connection | undefined {
  if (value?.kind === "handle") return value.connection;
  if (value?.kind === "choice") return connectionIn(value.then) ?? connectionIn(value.otherwise);
  if (value?.kind === "input") return { id: `given:${value.path}`, isPool: false, isGiven: true };
  return undefined;
}

/** The client that transactions are, which is knex' own. */
function client(connection: Connection): HandleValue {
  return { kind: "handle", library: KNEX, path: "knex", connection };
}

function transaction(
  call: Call,
  connection: Connection | undefined,
  tools: Tools,
): Value | undefined {
  // prettier-ignore
  const work = call.arguments.find((each) => each.kind === "function");
  const { source } = call;
  const parent = call.arguments.flatMap((each) => connectionIn(each) ?? [])[0] ?? connection;
  const own = ownConnection(parent, tools);
  if (!work) {
    tools.begin(own, { source });
    return client(own);
  }
  const bound = call.arguments.flatMap((each) => {
    const model = each.kind === "class" ? modelOf(each, tools) : undefined;
    return model ? [tools.handle("model", model, own)] : [];
  });
  return tools.inTransaction(own, { source, isNested: true }, () =>
    tools.settle(tools.call(work, [...bound, client(own)], source)),
  );
}

function modelCall(
  handle: HandleValue,
  method: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  // prettier-ignore
  const { data, connection } = handle;
  const [given] = call.arguments;
  if (!isModel(data)) return undefined;
  switch (method) {
    case "query":
      tellUnread(data, call.source, tools);
      return begun(queryOn(data, call.source, tools), connectionIn(given) ?? connection, tools);
    case "transaction":
    case "startTransaction":
      return transaction(call, connection, tools);
    case "bindTransaction":
    case "bindKnex":
      return tools.handle("model", data, connectionIn(given) ?? connection);
    case "knex":
      return client(connection ?? POOL);
    default:
      return partOf(handle, method, call, tools);
  }
}

/** `raw`, `ref`, `fn.now`: parts of queries. */
function partOf(handle: HandleValue, method: string, call: Call, tools: Tools): Value | undefined {
  const [given, ...more] = call.arguments;
  if (method === "now") {
    const now: Value = { kind: "text", parts: raw("CURRENT_TIMESTAMP") };
    return rawPart(handle, now, undefined, call, tools);
  }
  if (!given) return undefined;
  const isList = more.length > 1 || (more[0] !== undefined && more[0].kind !== "object" && more[0].kind !== "list"); // prettier-ignore
  if (method === "raw") return rawPart(handle, given, isList ? tools.list(more) : more[0], call, tools); // prettier-ignore
  const name = method === "ref" ? columnOf(given, tools) : undefined;
  return name && rawPart(handle, { kind: "text", parts: name }, undefined, call, tools);
}

/** `row.$query()`, `row.$relatedQuery("orders")`. */
function rowCall(row: Value, method: string, call: Call, tools: Tools): Value | undefined {
  const data = row.kind === "row" && isRowData(row.data) ? row.data : undefined;
  const of = row.kind === "object" && row.class ? ({ kind: "class", ...row.class } as const) : data?.model.class; // prettier-ignore
  const model = of && modelOf(of, tools);
  if (!model) return undefined;
  const [given, second] = call.arguments;
  const { source } = call;
  switch (method) {
    case "$query": {
      tellUnread(model, source, tools);
      const query = ofRow(queryOn(model, source, tools), row, tools);
      return query && begun({ ...query, isFirst: true, subject: row }, connectionIn(given), tools);
    }
    case "$relatedQuery": {
      const relation = relationOf(model, constantText(given) ?? "", tools);
      if (!relation) return undefined;
      const query = relatedQuery(relation, row, source, tools);
      return begun({ ...query, isFirst: !relation.isMany, foreign: [relation.theirs, tools.member(row, relation.own)] }, connectionIn(second), tools); // prettier-ignore
    }
    case "$set":
    case "$setJson": {
      const fields = given && tools.fields(given);
      for (const [name, value] of fields ?? []) tools.assign(row, name, value);
      return fields && row;
    }
    case "$id": {
      const [key, ...more] = keysOf(model);
      return key && more.length === 0 ? tools.member(row, key.column) : undefined;
    }
    default:
      return undefined;
  }
}

const BUILDER: ThenableBuilder<Query> = {
  ...KNEX_QUERIES,
  run: ({ connection }, query, tools) => run(query, connection, tools),
  extend: (query, method, call, tools) => {
    const extend = METHODS[method] ?? byKnex(method);
    const next = isModelQuery(query) ? extend(query, call, tools) : undefined;
    return next ?? { ...query, unread: `objection: ${method}() of a query is not known` };
  },
};

export const OBJECTION: Library = {
  name: NAME,
  modules: [NAME],
  imported: (name, _module, tools) => tools.handle(name === "default" ? "*" : name),
  typed: (type, tools) => {
    if (type === "Transaction") return client(tools.connection(false));
    if (type === "TransactionOrKnex") return client({ ...tools.connection(true), mayBeOne: true });
    return undefined;
  },
  member: ({ path }, property, tools) => (path === "*" ? tools.handle(property) : undefined),
  classMember: (of, property, tools) => {
    const isOwn = ancestry(of).some((each) => each.class.methods.some(({ name, isStatic }) => isStatic && name === property)); // prettier-ignore
    const model = STATIC.test(property) && !isOwn ? modelOf(of, tools) : undefined;
    return model && tools.handle(`model.${property}`, model, POOL);
  },
  rowMember: ownMember,
  rowCall: (row, method, call, tools) =>
    rowCall(row, method, call, tools) ?? ownMethod(row, method, call, tools),
  awaited: (handle, tools) => awaitQuery(handle, BUILDER, tools),
  call: (handle, call, tools) => {
    const { path, data, connection } = handle;
    const method = path.split(".").at(-1) ?? path;
    if (isMutable(data)) {
      return method === "transacting"
        ? { ...handle, path: "query", connection: connectionIn(call.arguments[0]) ?? POOL }
        : builderCall(handle, BUILDER, call, tools);
    }
    if (path.startsWith("model.")) return modelCall(handle, method, call, tools);
    switch (path) {
      case "transaction":
      case "transaction.start":
        return transaction(call, connection, tools);
      case "Model.knex":
        return call.arguments.length === 0 ? client(POOL) : UNDEFINED;
      case "initialize":
        return UNDEFINED;
      default:
        return partOf(handle, method, call, tools);
    }
  },
};

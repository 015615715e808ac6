// Massive: a pool of pg-promise whose tables are members (`db.accounts.find({ "balance >": 5 })`). It reads the tables'
// columns from the database, so the schema has them.
import { dictionary } from "../../../protocol/dictionary";
import { constantScalar, constantText, UNDEFINED, type HandleValue, type Value } from "../values";
import { traverse } from "../traverse";
import { insertRows, quoteIdentifier, raw, runUnread, sequence, valueFragment, type Draft, type Fragment } from "./builders/draft"; // prettier-ignore
import { driver } from "./driver";
import type { Call, Shape, SqlOutcome, Tools } from "./library";
import { filterOf, type FilterLanguage, type Operation } from "./orm/filter";
import { isKeyArgument } from "./orm/entityColumns";
import { columnOf, keysOf, type Model } from "./orm/model";
import { runDraftOf, selectColumns, startOn, type Columns, type Place } from "./orm/statements"; // prettier-ignore
import { pgPromiseQuery } from "./pgPromise";
import { parametersIn, rowsOf, startsAsSql } from "./rawSql";

/** Operators that stand behind a column in a key. */
const OPERATIONS = dictionary<Operation | undefined>({
  "": "=",
  "=": "=",
  "!": "<>",
  "!=": "<>",
  "<>": "<>",
  ">": ">",
  ">=": ">=",
  "<": "<",
  "<=": "<=",
  between: "BETWEEN",
  like: "LIKE",
  "~~": "LIKE",
  "not like": "NOT LIKE",
  "!~~": "NOT LIKE",
  ilike: "ILIKE",
  "~~*": "ILIKE",
  is: "IS",
});

const CONNECTIVES = dictionary<Operation | undefined>({ or: "OR", $or: "OR", and: "AND", $and: "AND" }); // prettier-ignore

const LANGUAGE: FilterLanguage = {
  operation: (key) => CONNECTIVES[key],
  keyed: (key) => {
    const [, property = "", operator = ""] = /^"?(\w+)"?(\W.*)?$/su.exec(key.trim()) ?? [];
    return { property, operation: OPERATIONS[operator.trim().toLowerCase()] ?? "unknown" };
  },
  list: "keys",
  skips: "nothing",
  nulls: "tested",
  hasLists: true,
  dropsEmpty: false,
};

export const MASSIVE = driver(
  {
    name: "massive",
    modules: ["massive"],
    clients: {
      db: { kind: "pool", isPerhapsOne: true, types: ["Database"], made: ["massive"] },
      task: { kind: "connection", as: "db" },
    },
    methods: {
      "db: query": { kind: "sql", result: "rows" },
      "db: withConnection": { kind: "scope", client: "db", isTransaction: false },
      "db: withTransaction": {
        kind: "scope",
        client: "db",
        isTransaction: true,
        isNested: true,
        doubt: "the mode of this transaction is not read: its level may be another",
        doubtsOptions: true,
      },
      "db: reload": { kind: "itself" },
    },
  },
  {
    query: pgPromiseQuery,
    asks: ({ method, isOfMember, first }, { used }) =>
      used.has("massive") &&
      (OPENS.test(method) ||
        (method === "query" && first !== "none") ||
        (isOfMember && METHODS[method] !== undefined)),
    shaped,
    call: (handle, call, tools) => {
      const [db, ...names] = handle.path.split(".");
      const run = METHODS[names.pop() ?? ""];
      const model = db === "db" && run ? modelOf(names.join("."), tools) : undefined;
      if (!run || !model) return undefined;
      return run({ model, connection: handle.connection, source: call.source, tools }, call.arguments); // prettier-ignore
    },
  },
);

/** Calls of something that is not known (`req.app.get("db").accounts.find(...)`), where Massive is used. */
function shaped(
  { receiver, name, method, used, ...call }: Shape,
  tools: Tools,
): HandleValue | undefined {
  if (!used.has("massive") || receiver.kind === "handle" || receiver.kind === "object")
    return undefined;
  const on = (path: string, owner: string): HandleValue =>
    tools.handle(path, undefined, { id: `shaped:${owner}`, isPool: true, mayBeOne: true });
  if (OPENS.test(method) || (method === "query" && startsAsSql(call.arguments[0])))
    return on(`db.${method}`, name);
  const [owner, table] = /^(.*)\.(\w+)$/su.exec(name)?.slice(1) ?? [];
  if (METHODS[method] === undefined || owner === undefined || table === undefined) return undefined;
  return tools.table(table) ? on(`db.${table}.${method}`, owner) : undefined;
}

const OPENS = /^with(?:Transaction|Connection)$/u;

type Method = (place: Place, args: readonly Value[]) => Value;

const METHODS = dictionary<Method | undefined>({
  find: (place, [criteria, options]) => select(place, criteria, options, isKey(criteria)),
  findOne: (place, [criteria, options]) => select(place, criteria, options, true),
  where: (place, [text = UNDEFINED, values, options]) =>
    options ? unread(place, "select", "the options of where()") : selectText(place, text, values),
  count: (place, [criteria]) => {
    const where = criteriaOf(place, criteria);
    if (!where) return unread(place, "select", "the criteria of count()");
    const draft = { ...startOn(place, "select"), columns: [raw("count(1) AS count")], where, limit: raw("1") }; // prettier-ignore
    return place.tools.member(returned(place, draft, true), "count");
  },
  insert: (place, [given = UNDEFINED, options]) => insert(place, given, options),
  update: (place, [criteria, changes = UNDEFINED, options]) =>
    update(place, criteria, changes, options, isKey(criteria)),
  save,
  destroy: (place, [criteria, options]) => {
    const where = criteriaOf(place, criteria);
    if (!where || options) return unread(place, "delete", "the criteria of destroy()");
    return returned(place, { ...startOn(place, "delete"), where, returning: [raw("*")] }, isKey(criteria)); // prettier-ignore
  },
});

/** The model of a table: its columns are the properties of rows. */
function modelOf(name: string, tools: Tools): Model | undefined {
  const table = tools.table(name);
  if (!table) return undefined;
  const columns = table.columns.map(({ name: column, type }) => ({
    property: column,
    column,
    type,
    isKey: table.primaryKey.includes(column),
  }));
  return { kind: "model", name, table: name, columns, relations: [], uniqueKeys: [] };
}

/** The conditions of criteria: a record, or a key, as which an argument counts by its type or name. */
function criteriaOf(place: Place, criteria: Value | undefined): readonly Fragment[] | undefined {
  const isKnown =
    criteria === undefined ||
    (criteria.kind === "input"
      ? isKeyArgument(criteria)
      : isKey(criteria) || criteria.kind === "object");
  return isKnown ? filterOf(place, criteria, LANGUAGE) : undefined;
}

/** True if criteria are a key, which gives one row in place of a list. */
function isKey(criteria: Value | undefined): boolean {
  return criteria !== undefined && /^(?:input|scalar|text)$/u.test(criteria.kind);
}

/** A statement of which a part is not understood. */
function unread(place: Place, verb: Draft["verb"], what: string): Value {
  const { connection, source, tools } = place;
  return runUnread(startOn(place, verb), `massive: ${what} are not understood`, connection, source, tools); // prettier-ignore
}

/** The rows that a statement gives, or the first of them. */
function returned(place: Place, draft: Draft, isOne: boolean): Value {
  return rowsIn(runDraftOf(place, draft), isOne, place.tools);
}

function rowsIn(outcome: SqlOutcome, isOne: boolean, tools: Tools): Value {
  const rows = rowsOf(outcome, tools);
  return isOne ? tools.firstRow(rows) : rows;
}

function select(
  place: Place,
  criteria: Value | undefined,
  options: Value | undefined,
  isOne: boolean,
): Value {
  const where = criteriaOf(place, criteria);
  const more = optionParts(place, options);
  if (!where || !more) return unread(place, "select", where ? "the options" : "the criteria");
  const { isSingle, ...parts } = more;
  const limit = isOne || isSingle ? { limit: raw("1") } : {};
  const draft = { ...startOn(place, "select"), columns: selectColumns(place), where, ...parts, ...limit }; // prettier-ignore
  return returned(place, draft, isOne || isSingle);
}

type OptionParts = Partial<Draft> & { readonly isSingle: boolean };

/** The parts of a SELECT that options say; undefined where one is not understood. */
function optionParts(place: Place, options: Value | undefined): OptionParts | undefined {
  const { tools } = place;
  if (options === undefined) return { isSingle: false };
  const fields = tools.fields(options);
  if (!fields) return undefined;
  const parts = traverse([...fields], ([name, value]) => OPTIONS[name]?.(value, place));
  const single = fields.get("single");
  const isSingle = single !== undefined && constantScalar(single) === true;
  return parts?.reduce<OptionParts>((all, each) => ({ ...all, ...each }), { isSingle });
}

const OPTIONS = dictionary<
  ((value: Value, place: Place) => Partial<Draft> | undefined) | undefined
>({
  single: (value) => (typeof constantScalar(value) === "boolean" ? {} : undefined),
  limit: (value) => ({ limit: valueFragment(value) }),
  offset: (value) => ({ offset: valueFragment(value) }),
  fields: (value, place) => {
    const names = place.tools.items(value)?.map(constantText);
    const isKnown = names?.every((name) => name !== undefined && columnOf(place.model, name));
    return isKnown === true ? { columns: selectColumns(place, names?.map((name) => name ?? "")) } : undefined; // prettier-ignore
  },
  order: (value, place) => {
    const orderBy = place.tools.items(value)?.map((each) => orderOf(each, place));
    return orderBy?.every((each) => each !== undefined) === true ? { orderBy } : undefined;
  },
  lock: (value, { tools }) => {
    const fields = tools.fields(value);
    const strength = constantText(fields?.get("strength"));
    const rows = fields?.get("lockedRows");
    const waits = rows ? constantText(rows) : "";
    return strength === undefined || waits === undefined ? undefined : { lock: `FOR ${strength} ${waits}`.trim() }; // prettier-ignore
  },
});

function orderOf(value: Value, { model, tools }: Place): Fragment | undefined {
  const fields = tools.fields(value);
  const name = constantText(fields?.get("field"));
  const column = name === undefined ? undefined : columnOf(model, name);
  if (!column || [...(fields?.keys() ?? [])].some((key) => !/^(?:field|direction)$/u.test(key))) return undefined; // prettier-ignore
  const isDown = constantText(fields?.get("direction"))?.toLowerCase() === "desc";
  return raw(`${quoteIdentifier(column.column, tools.dialect)} ${isDown ? "DESC" : "ASC"}`);
}

/** `where("a = $1", [1])`: SQL text behind WHERE. */
function selectText(place: Place, text: Value, values: Value | undefined): Value {
  if (text.kind !== "text") return unread(place, "select", "the conditions of where()");
  const { model, connection, source, tools } = place;
  const parts = sequence(`SELECT * FROM ${quoteIdentifier(model.table, tools.dialect)} WHERE `, text.parts); // prettier-ignore
  const call: Call = { arguments: [text, ...(values ? [values] : [])], isNew: false, typeArguments: [], source }; // prettier-ignore
  const parameters = pgPromiseQuery(undefined, call)?.parameters ?? parametersIn(values, tools);
  return rowsIn(tools.sql(connection, { kind: "text", parts }, parameters, source), false, tools);
}

function insert(place: Place, given: Value, options: Value | undefined): Value {
  const { tools } = place;
  const row = (item: Value): Draft["set"] | undefined => {
    const columns = columnsIn(place, item);
    return columns && [...columns];
  };
  const rows = options ? undefined : insertRows(given, row, tools);
  if (!rows) return unread(place, "insert", "the rows of insert()");
  const draft = { ...startOn(place, "insert"), ...rows, returning: [raw("*")] };
  return returned(place, draft, tools.items(given) === undefined && rows.each === undefined);
}

/** The columns that a record has values for; other fields are left aside. */
function columnsIn({ model, tools }: Place, record: Value): Columns | undefined {
  const fields = tools.fields(record);
  return fields && new Map([...fields].flatMap(([name, value]) => (columnOf(model, name) ? [[name, valueFragment(value)]] : []))); // prettier-ignore
}

function update(
  place: Place,
  criteria: Value | undefined,
  changes: Value,
  options: Value | undefined,
  isOne: boolean,
): Value {
  const where = criteriaOf(place, criteria);
  const plain = columnsIn(place, changes);
  const texts = place.tools.fields(changes)?.get("$set");
  const set = texts ? textsIn(place, texts) : [];
  if (!where || !plain || !set || options)
    return unread(place, "update", "the changes of update()");
  if (plain.size + set.length === 0) return select(place, criteria, undefined, isOne);
  return returned(place, { ...startOn(place, "update"), set: [...plain, ...set], where, returning: [raw("*")] }, isOne); // prettier-ignore
}

/** `$set`: columns with SQL text. */
function textsIn({ tools }: Place, record: Value): Draft["set"] | undefined {
  const fields = [...(tools.fields(record) ?? [])];
  const set = fields.flatMap(([name, value]) => (value.kind === "text" ? [[name, value.parts] as const] : [])); // prettier-ignore
  return set.length === fields.length && set.length > 0 ? set : undefined;
}

/** `save(row)`: an update of the row's key, or an insertion where the key is missing. */
function save(place: Place, [record = UNDEFINED, options]: readonly Value[]): Value {
  const { model, tools } = place;
  const fields = tools.fields(record);
  const keys = keysOf(model).map(({ column }) => column);
  if (!fields || keys.length === 0) return unread(place, "update", "the fields of save()");
  if (!keys.every((key) => fields.has(key))) return insert(place, record, options);
  const part = (isOfKey: boolean): Value =>
    tools.object(Object.fromEntries([...fields].filter(([name]) => keys.includes(name) === isOfKey))); // prettier-ignore
  return update(place, part(true), part(false), options, true);
}

// Spring's JdbcClient: a text, parameters that are added one by one, and what becomes of each row.
import { dictionary } from "../../../../protocol/dictionary";
import {
  constantScalar,
  UNDEFINED,
  type HandleValue,
  type ObjectValue,
  type Value,
} from "../../values";
import type { Call, SqlOutcome, SqlParameters, Tools } from "../library";
import { emptyRecord, stateOf, spreadItems, type Method } from "./receiverState";
import { withKeys } from "./jdbc";
import { rowsOf } from "./resultSet";
import { SPRING_CONNECTION } from "./springTransactions";
import { firstColumn, keepKey, mappedRow, mappedRows, namedParameter } from "./springTemplates";

interface SpecData {
  readonly sql: Value;
  /** Parameters by name, and by `#` and their position from one; `SOURCE`: what has the others by their names. */
  readonly values: ObjectValue;
}

interface QueryData {
  readonly outcome: SqlOutcome;
  readonly mapper?: Value;
}

const SOURCE = "#source";

const sql: Method<unknown> = ({ handle, call, tools }) => {
  const [text] = call.arguments;
  if (!text) return undefined;
  const data: SpecData = { sql: text, values: emptyRecord(tools) };
  return { ...handle, path: "StatementSpec", data };
};

/** `param(value)`, `param(position, value)`, `param(name, value)`. */
const param: Method<SpecData> = ({ handle, data: { values }, call, tools }) => {
  const [first = UNDEFINED, second] = call.arguments;
  const key = second && constantScalar(first);
  if (second && typeof key !== "string" && typeof key !== "number") return undefined;
  if (second === undefined) tools.assign(values, positionName(nextPosition(values)), first);
  else tools.assign(values, typeof key === "number" ? positionName(key) : String(key), second);
  return specOf(handle);
};

/** `params(value, value)`, `params(list)`, `params(map)`. */
const params: Method<SpecData> = ({ handle, data: { values }, call, tools }) => {
  const [only] = call.arguments;
  const isMap = call.arguments.length === 1 && only?.kind === "object";
  if (isMap) tools.assign(values, SOURCE, only);
  else {
    for (const value of call.arguments.flatMap((each) => spreadItems(each, tools))) {
      tools.assign(values, positionName(nextPosition(values)), value);
    }
  }
  return specOf(handle);
};

const paramSource: Method<SpecData> = ({ handle, data: { values }, call, tools }) => {
  const [source] = call.arguments;
  if (source) tools.assign(values, SOURCE, source);
  return specOf(handle);
};

function specOf(handle: HandleValue): HandleValue {
  return { ...handle, path: "StatementSpec" };
}

function positionName(position: number): string {
  return `#${String(position)}`;
}

function nextPosition(values: ObjectValue): number {
  let position = 1;
  while (stateOf(values, positionName(position))) position += 1;
  return position;
}

function run({ sql, values }: SpecData, call: Call, tools: Tools): SqlOutcome {
  const source = stateOf(values, SOURCE);
  const parameters: SqlParameters = {
    at: (position) => stateOf(values, positionName(position)),
    named: (name) => stateOf(values, name) ?? (source && namedParameter(source, name, tools)),
  };
  return tools.sql(SPRING_CONNECTION, sql, parameters, call.source);
}

const update: Method<SpecData> = ({ data, call, tools }) => {
  const [keys] = call.arguments;
  const isKept = keys?.kind === "handle" && keys.path === "KeyHolder";
  const text = isKept ? withKeys(data.sql, tools) : data.sql;
  const outcome = run({ ...data, sql: text }, call, tools);
  if (isKept) keepKey(keys, outcome, tools);
  return outcome.count;
};

/** `query(mapper)`, `query(type)`, `query()`: it runs when its rows are asked for, which is at once. */
const query: Method<SpecData> = ({ handle, data, call, tools }) => {
  const outcome = run(data, call, tools);
  const [mapper] = call.arguments;
  const asked: QueryData = { outcome, ...(mapper && { mapper }) };
  const isDone = mapper?.kind === "function" && mapper.function.parameters.length === 1;
  return isDone
    ? mappedRows(rowsOf(outcome), mapper, call, tools)
    : { ...handle, path: "QuerySpec", data: asked };
};

const list: Method<QueryData> = ({ data: { outcome, mapper }, call, tools }) => {
  const rows = rowsOf(outcome);
  return mapper ? mappedRows(rows, rowOrColumn(mapper, tools), call, tools) : rows;
};

/** The only row; none is an error. */
const single: Method<QueryData> = ({ data: { outcome, mapper }, call, tools }) => {
  const row = tools.firstRow(rowsOf(outcome));
  tools.require(tools.condition(row), "a query for one row finds none", call.source);
  return mapper ? mappedRow(rowOrColumn(mapper, tools), row, tools, call.source) : row;
};

const optional: Method<QueryData> = ({ data: { outcome, mapper }, call, tools }) => {
  const rows = rowsOf(outcome);
  if (mapper && isType(mapper)) {
    const row = tools.firstRow(rows);
    const [name] = row.kind === "row" ? row.columns.order : [];
    const value = name === undefined ? row : tools.field(row, name);
    return tools.call({ kind: "builtin", name: "Optional.ofNullable" }, [value], call.source);
  }
  const made = mapper ? mappedRows(rows, rowOrColumn(mapper, tools), call, tools) : rows;
  const first: Value = { kind: "builtin", name: "list.findFirst", self: made };
  return tools.call(first, [], call.source);
};

const singleValue: Method<QueryData> = ({ data: { outcome }, call, tools }) => {
  const row = tools.firstRow(rowsOf(outcome));
  tools.require(tools.condition(row), "a query for one value finds none", call.source);
  return firstColumn(row, tools);
};

/** `Account.class` of a class of the code. */
function isOfCode(mapper: Value): boolean {
  return mapper.kind === "builtin" && mapper.self?.kind === "class";
}

/** A type of single values: `Long.class`. */
function isType(mapper: Value): boolean {
  if (isOfCode(mapper)) return false;
  return (
    mapper.kind === "builtin" ||
    mapper.kind === "external" ||
    (mapper.kind === "handle" && mapper.path.endsWith(".class"))
  );
}

/** A class of the code stands for a row by its columns' names; any other type for the only column. */
function rowOrColumn(mapper: Value, tools: Tools): Value {
  return isOfCode(mapper) ? tools.handle("RowMapper") : mapper;
}

const SPEC = dictionary<Method<SpecData> | undefined>({
  param,
  params,
  paramSource,
  update,
  query,
});

const QUERY = dictionary<Method<QueryData> | undefined>({
  list,
  set: list,
  stream: list,
  listOfRows: list,
  single,
  singleRow: single,
  optional,
  singleValue,
  singleColumn: ({ data: { outcome }, call, tools }) =>
    mappedRows(rowsOf(outcome), { kind: "external", name: "Object.class" }, call, tools),
});

/** The meaning of a call of the client, or of what it gave; undefined for other objects and what is not known of these. */
export function clientCall(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [, object, name = ""] = /^(\w+)\.(\w+)$/u.exec(handle.path) ?? [];
  switch (object) {
    case "JdbcClient":
      if (name === "create") return { ...handle, path: object, connection: SPRING_CONNECTION };
      return name === "sql" ? sql({ handle, data: undefined, call, tools }) : undefined;
    case "StatementSpec":
      if (/^with[A-Z]/u.test(name)) return specOf(handle);
      // Only `sql` makes such handles.
      return SPEC[name]?.({ handle, data: handle.data as SpecData, call, tools });
    case "QuerySpec":
      // Only `query` makes such handles.
      return QUERY[name]?.({ handle, data: handle.data as QueryData, call, tools });
    default:
      return undefined;
  }
}

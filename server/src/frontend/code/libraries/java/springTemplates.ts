// Spring's JdbcTemplate and NamedParameterJdbcTemplate: a text, its parameters, and what becomes of each row.
import { dictionary } from "../../../../protocol/dictionary";
import type { SourceRange } from "../../../../protocol/source";
import {
  constantText,
  UNDEFINED,
  unknown,
  type HandleValue,
  type ObjectValue,
  type Value,
} from "../../values";
import type { Call, Library, SqlOutcome, SqlParameters, Tools } from "../library";
import { emptyRecord, stateOf, spreadItems, type Method } from "./receiverState";
import { JDBC, jdbcConnection, prepare, withKeys } from "./jdbc";
import { execute, statementData } from "./preparedStatement";
import { each, resultSet, resultSetAt, rowsOf } from "./resultSet";
import { functionOf, SPRING_CONNECTION } from "./springTransactions";

export interface TemplateCall {
  readonly sql: Value;
  readonly parameters: SqlParameters;
  /** Functions that make something of a row, of the rows, or tell a type of single values. */
  readonly mapper?: Value;
  /** Where generated keys go. */
  readonly keys?: HandleValue;
}

/** The parts of a call, told by what they are: parameters stand in between in any order. */
function readCall({ arguments: given }: Call, isNamed: boolean, tools: Tools): TemplateCall {
  const [sql = unknown("a statement without a text"), ...rest] = given;
  const mapper = rest.find((value) => isMapper(value));
  const keys = rest.find((value) => value.kind === "handle" && value.path === "KeyHolder");
  const others = rest.filter((value) => value !== mapper && value !== keys);
  const [only] = others;
  const parameters: SqlParameters = isNamed
    ? { named: (name) => only && namedParameter(only, name, tools) }
    : { positional: others.flatMap((value) => spreadItems(value, tools)) };
  return {
    sql,
    parameters,
    ...(mapper && { mapper }),
    ...(keys?.kind === "handle" && { keys }),
  };
}

function isMapper(value: Value): boolean {
  switch (value.kind) {
    case "function":
      return true;
    case "class":
    case "builtin":
    case "external":
      return value.kind === "class" || /(?:^|\.)class$/u.test(value.name);
    case "handle":
      return value.path === "RowMapper" || value.path.endsWith(".class");
    case "object":
      return value.class?.class.methods.some(({ name }) => MAPPERS.has(name)) === true;
    default:
      return false;
  }
}

const MAPPERS: ReadonlySet<string> = new Set(["mapRow", "extractData", "processRow"]);

/** A value by its name, from a map, a parameter source or an object. */
export function namedParameter(source: Value, name: string, tools: Tools): Value | undefined {
  if (source.kind === "handle") {
    const data = source.data as ParameterData | undefined;
    return data && (stateOf(data.values, name) ?? (data.of && tools.member(data.of, name)));
  }
  return source.kind === "unknown" ? source : tools.member(source, name);
}

export interface ParameterData {
  readonly values: ObjectValue;
  /** The object whose properties are the others. */
  readonly of?: Value;
}

/** `new MapSqlParameterSource(...)`, `new BeanPropertySqlParameterSource(object)`. */
export function parameterSource(library: Library, { arguments: given }: Call, tools: Tools): Value {
  const values = emptyRecord(tools);
  const [first, second] = given;
  const name = constantText(first);
  if (name !== undefined && second) tools.assign(values, name, second);
  const of = name === undefined ? first : undefined;
  const data: ParameterData = { values, ...(of && { of }) };
  return { kind: "handle", library, path: "SqlParameterSource", data };
}

export const addValue: Method<ParameterData> = ({ handle, data, call, tools }) => {
  const [key, value = UNDEFINED] = call.arguments;
  const name = constantText(key);
  if (name === undefined) return undefined;
  tools.assign(data.values, name, value);
  return { ...handle, path: "SqlParameterSource" };
};

interface Running {
  readonly handle: HandleValue;
  readonly call: Call;
  readonly tools: Tools;
  readonly isNamed: boolean;
}

function run({
  handle,
  call,
  tools,
  isNamed,
}: Running): TemplateCall & { readonly outcome: SqlOutcome } {
  const read = readCall(call, isNamed, tools);
  const sql = read.keys ? withKeys(read.sql, tools) : read.sql;
  const outcome = tools.sql(handle.connection, sql, read.parameters, call.source);
  if (read.keys) keepKey(read.keys, outcome, tools);
  return { ...read, outcome };
}

/** The key that was made: a number, or the first column of what came back. */
export function keepKey(keys: HandleValue, outcome: SqlOutcome, tools: Tools): void {
  const data = keys.data as ParameterData | undefined;
  const key =
    outcome.insertId ?? (outcome.rows && firstColumn(tools.firstRow(outcome.rows), tools));
  if (data && key) tools.assign(data.values, "key", key);
}

/** The mapper's result for one row. */
export function mappedRow(
  mapper: Value | undefined,
  row: Value,
  tools: Tools,
  source: SourceRange,
): Value {
  if (mapper === undefined) return row;
  if (mapper.kind === "function" || mapper.kind === "object") {
    const callee = functionOf(mapper, "mapRow", tools);
    return tools.settle(tools.call(callee, [resultSetAt(JDBC, row, tools), rowNumber()], source));
  }
  if (mapper.kind === "handle" && mapper.path === "RowMapper") return row;
  // A class literal: the only column.
  return firstColumn(row, tools);
}

function rowNumber(): Value {
  return unknown("the number of a row is not followed");
}

export function firstColumn(row: Value, tools: Tools): Value {
  if (row.kind === "choice") {
    const { condition, then, otherwise } = row;
    return {
      kind: "choice",
      condition,
      then: firstColumn(then, tools),
      otherwise: firstColumn(otherwise, tools),
    };
  }
  const [name] = row.kind === "row" ? row.columns.order : [];
  return name === undefined ? row : tools.member(row, name);
}

/** One row, or an error where there is none. */
function queryForObject(of: Running): Value {
  const { outcome, mapper } = run(of);
  const { tools, call } = of;
  const row = tools.firstRow(rowsOf(outcome));
  tools.require(tools.condition(row), "a query for one row finds none", call.source);
  return mappedRow(mapper, row, tools, call.source);
}

/** All rows: as they are, or made by a mapper when they are asked for. */
function query(of: Running): Value {
  const { outcome, mapper } = run(of);
  const rows = rowsOf(outcome);
  return mapper ? mappedRows(rows, mapper, of.call, of.tools) : rows;
}

/** The mapper's result for rows: of each, of all of them, or nothing. */
export function mappedRows(rows: Value, mapper: Value, { source }: Call, tools: Tools): Value {
  if (takesEach(mapper)) {
    const callee = functionOf(mapper, "processRow", tools);
    tools.each(rows, source, (row) => {
      tools.settle(tools.call(callee, [resultSetAt(JDBC, row, tools)], source));
    });
    return UNDEFINED;
  }
  if (takesAll(mapper)) {
    const callee = functionOf(mapper, "extractData", tools);
    const cursor = resultSet(JDBC, rows, SPRING_CONNECTION, tools);
    return tools.settle(tools.call(callee, [cursor], source));
  }
  if (mapper.kind === "handle" && mapper.path === "RowMapper") return rows;
  const by: Value = { ...tools.handle("RowMapping", { mapper }), connection: SPRING_CONNECTION };
  return { kind: "derived", from: rows, how: "map", by };
}

/** A RowCallbackHandler is called for each row; it has one parameter and gives nothing. */
function takesEach(mapper: Value): boolean {
  if (mapper.kind === "object") {
    return mapper.class?.class.methods.some(({ name }) => name === "processRow") === true;
  }
  return mapper.kind === "function" && mapper.function.parameters.length === 1 && !takesAll(mapper);
}

/** A ResultSetExtractor gets the cursor once; it has one parameter and gives something. */
function takesAll(mapper: Value): boolean {
  if (mapper.kind === "object") {
    return mapper.class?.class.methods.some(({ name }) => name === "extractData") === true;
  }
  if (mapper.kind !== "function" || mapper.function.parameters.length !== 1) return false;
  return mapper.function.body.some(({ kind }) => kind === "return");
}

/** A row of `query` as its mapper makes it. */
export function mapRow(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [row] = call.arguments;
  // Only `query` makes such handles.
  const { mapper } = handle.data as { readonly mapper: Value };
  return row && mappedRow(mapper, row, tools, call.source);
}

/** `update(sql, ...)`, or `update(connection -> statement, keyHolder)`. */
function update(of: Running): Value {
  const { call, tools } = of;
  const [creator, keys] = call.arguments;
  if (creator?.kind !== "function") return run(of).outcome.count;
  const connection = jdbcConnection(tools, SPRING_CONNECTION);
  const made = tools.settle(tools.call(creator, [connection], call.source));
  const data = made.kind === "handle" ? statementData(made) : undefined;
  if (made.kind !== "handle" || !data) return unknown("a statement that is made elsewhere");
  const outcome = execute(made, data, { ...call, arguments: [] }, tools);
  if (keys?.kind === "handle" && keys.path === "KeyHolder") keepKey(keys, outcome, tools);
  return outcome.count;
}

/** `update(sql, statement -> ...)`: a function sets the parameters. */
function updateSet({ call, tools }: Running): Value | undefined {
  const [sql, setter] = call.arguments;
  if (sql?.kind !== "text" || setter?.kind !== "function") return undefined;
  return ranWith(sql, { setter, given: [] }, call, tools).count;
}

/** Runs a text whose parameters a function sets, which gets the statement first. */
function ranWith(
  sql: Value,
  { setter, given }: { readonly setter: Value; readonly given: readonly Value[] },
  call: Call,
  tools: Tools,
): SqlOutcome {
  const statement = prepare(jdbcConnection(tools, SPRING_CONNECTION), sql, [], tools);
  tools.settle(tools.call(setter, [statement, ...given], call.source));
  const data = statementData(statement);
  if (!data) throw new Error("what was prepared is a statement");
  return execute(statement, data, { ...call, arguments: [] }, tools);
}

/** `batchUpdate(sql, rows)`, `batchUpdate(sql, objects, size, setter)`: the text runs for each of them. */
function batch({ handle, call, tools, isNamed }: Running): Value {
  const [sql = unknown("a statement without a text"), rows, , setter] = call.arguments;
  const { source } = call;
  const counts = unknown("how many rows each statement of a batch changed is not known");
  if (rows === undefined || (rows.kind === "object" && rows.class !== undefined)) {
    const text = unknown("a batch whose parameters an object sets is not followed");
    tools.sql(handle.connection, text, {}, source);
    return counts;
  }
  tools.each(rows, source, (row) => {
    if (setter) ranWith(sql, { setter, given: [row] }, call, tools);
    else {
      const parameters: SqlParameters = isNamed
        ? { named: (name) => namedParameter(row, name, tools) }
        : { positional: spreadItems(row, tools) };
      tools.sql(handle.connection, sql, parameters, source);
    }
  });
  return counts;
}

function templateMethods(isNamed: boolean): Record<string, Method<unknown>> {
  const as =
    (method: (of: Running) => Value | undefined): Method<unknown> =>
    ({ handle, call, tools }) =>
      method({ handle, call, tools, isNamed });
  const base = isNamed ? "NamedParameterJdbcTemplate" : "JdbcTemplate";
  const rows = as(query);
  return {
    [`${base}.query`]: rows,
    [`${base}.queryForList`]: rows,
    [`${base}.queryForStream`]: rows,
    [`${base}.queryForObject`]: as(queryForObject),
    [`${base}.queryForMap`]: as(queryForObject),
    [`${base}.update`]: as((of) => updateSet(of) ?? update(of)),
    [`${base}.batchUpdate`]: as(batch),
    [`${base}.execute`]: as(update),
    [`${base}.getJdbcTemplate`]: ({ handle }) => ({ ...handle, path: "JdbcTemplate" }),
    [`${base}.getJdbcOperations`]: ({ handle }) => ({ ...handle, path: "JdbcTemplate" }),
  };
}

/** Methods of both templates and of what they are given, by the kind of object and the name. */
export const TEMPLATES = dictionary<Method<unknown>>({
  ...templateMethods(false),
  ...templateMethods(true),
  RowMapping: ({ handle, call, tools }) => mapRow(handle, call, tools),
  ...each<unknown>(({ handle }) => {
    const data = handle.data as ParameterData | undefined;
    return (data && stateOf(data.values, "key")) ?? unknown("no key was made");
  }, "KeyHolder.getKey KeyHolder.getKeyAs"),
});

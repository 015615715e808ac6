// JDBC's ResultSet: a cursor over the rows of a result. `while (rs.next())` is a loop over the rows; `next()` alone
// goes to the first row.
import { compare } from "../../../sql/terms";
import type { SourceRange } from "../../../../protocol/source";
import { negate } from "../../evaluate/values/convert";
import { literal } from "../../../sql/expressions";
import {
  type Connection,
  constant,
  constantScalar,
  type HandleValue,
  type ObjectValue,
  oneOfSeveral,
  scalar,
  UNDEFINED,
  unknown,
  type Value,
} from "../../values";
import type { Call, Library, SqlOutcome, Tools } from "../library";
import { emptyRecord, stateOf, truth, type Method } from "./receiverState";

export interface ResultSetData {
  readonly rows: Value;
  /** `row`: the row at hand. */
  readonly state: ObjectValue;
  /** The value of every column of the only row: a key that an INSERT made. */
  readonly single?: Value;
  /** The column that was read last, and where. */
  readonly last: { value?: Value; line?: number };
}

/** A cursor before the first of the rows. */
export function resultSet(
  library: Library,
  rows: Value,
  connection: Connection | undefined,
  tools: Tools,
): HandleValue {
  const data: ResultSetData = { rows, state: emptyRecord(tools), last: {} };
  return {
    kind: "handle",
    library,
    path: "ResultSet",
    data,
    ...(connection && { connection }),
  };
}

/** A cursor that stands on a row. */
export function resultSetAt(library: Library, row: Value, tools: Tools): HandleValue {
  const handle = resultSet(library, row, undefined, tools);
  const data = resultSetData(handle);
  if (data) tools.assign(data.state, ROW, row);
  return handle;
}

/** A cursor before the one row that holds one value. */
export function resultSetOfOne(library: Library, value: Value, tools: Tools): HandleValue {
  const data: ResultSetData = { rows: value, state: emptyRecord(tools), single: value, last: {} };
  return { kind: "handle", library, path: "ResultSet", data };
}

/** The rows of what one text did, of either of two texts where it was one of two. */
export function rowsOf(outcome: SqlOutcome): Value {
  return outcome.choice ?? outcome.rows ?? unknown("this statement gives no rows");
}

/** The description of a result: how many columns it has, and what they are called. */
export const RESULT_SET_META: Readonly<Record<string, Method<ResultSetData>>> = {
  getColumnCount: ({ data: { rows } }) => {
    const count = isOfRows(rows) ? rows.columns.order.length : 0;
    return count > 0 ? constant(count) : unknown("how many columns a result has is not known");
  },
  ...each(({ data: { rows }, call }) => {
    const at = constantScalar(call.arguments[0]);
    const name = isOfRows(rows) && typeof at === "number" ? rows.columns.order[at - 1] : undefined; // prettier-ignore
    return name === undefined ? unknown("the name of a column is not known") : constant(name);
  }, "getColumnName getColumnLabel"),
};

function isOfRows(rows: Value): rows is Extract<Value, { kind: "rows" | "row" }> {
  return rows.kind === "rows" || rows.kind === "row";
}

/** Undefined for other handles. */
export function resultSetData(handle: HandleValue): ResultSetData | undefined {
  if (!handle.path.startsWith("ResultSet")) return undefined;
  // Only `resultSet` makes such handles.
  return handle.data as ResultSetData;
}

const ROW = "row";

/** The rows of a loop over `next()`. */
export function resultSetCursor(
  handle: HandleValue,
  tools: Tools,
): { readonly rows: Value; readonly enter: (row: Value) => void } | undefined {
  const data = handle.path === "ResultSet.next" ? resultSetData(handle) : undefined;
  if (!data || data.single || stateOf(data.state, ROW)) return undefined;
  return {
    rows: data.rows,
    enter: (row) => {
      tools.assign(data.state, ROW, row);
    },
  };
}

const next: Method<ResultSetData> = ({ data: { rows, state, single }, tools }) => {
  const row = stateOf(state, ROW);
  if (single) {
    tools.assign(state, ROW, single);
    return constant(row === undefined);
  }
  if (row === undefined) {
    const first = tools.firstRow(rows);
    tools.assign(state, ROW, first);
    return truth(tools.condition(first));
  }
  const size = rows.kind === "rows" ? ({ kind: "size", result: rows.result } as const) : undefined;
  const later = unknown(
    "a later row of a result is not told from the others",
    size ? [size] : [tools.expression(row)],
  );
  tools.assign(state, ROW, later);
  const isFirst = row.kind === "row" && row.at === "first";
  return size && isFirst
    ? truth(compare(">", size, literal(1)))
    : unknown("how many rows are left is not known", size ? [size] : []);
};

/** A column by its name, or by its position from one. Asking for one that is not there is an error. */
function columnOf(row: Value, at: Value | undefined, tools: Tools, source: SourceRange): Value {
  const key = constantScalar(at);
  if (typeof key !== "number" && typeof key !== "string") {
    return oneOfSeveral("which column is read is only known when it runs", [tools.expression(row)]);
  }
  if (row.kind === "choice") {
    const { condition, then, otherwise } = row;
    const why = `the result has no column ${String(key)}`;
    if (columnName(then, key) === undefined) {
      tools.require(negate(condition), why, source);
      return columnOf(otherwise, at, tools, source);
    }
    if (columnName(otherwise, key) === undefined) {
      tools.require(condition, why, source);
      return columnOf(then, at, tools, source);
    }
    return {
      kind: "choice",
      condition,
      then: columnIn(then, key, tools),
      otherwise: columnIn(otherwise, key, tools),
    };
  }
  if (row.kind !== "row") return row.kind === "unknown" ? row : unknown("a row that is not known");
  const name = columnName(row, key);
  if (name !== undefined && name !== "") return tools.member(row, name);
  const why = `the result has no column ${String(key)}`;
  if (row.columns.order.length === 0) return unknown(why, [tools.expression(row)]);
  tools.require(literal(false), why, source);
  return UNDEFINED;
}

/** The column of one of the rows that it may be, if it is that one. */
function columnIn(row: Value, key: number | string, tools: Tools): Value {
  if (row.kind === "choice") {
    const [then, otherwise] = [row.then, row.otherwise].map((each) => columnIn(each, key, tools));
    return then && otherwise ? { ...row, then, otherwise } : UNDEFINED;
  }
  const name = columnName(row, key);
  if (name === undefined) return UNDEFINED;
  return name === "" ? unknown("a row that is not known") : tools.field(row, name);
}

/** The name of a row's column; undefined where its result has none such, empty where that is not known. */
function columnName(row: Value, key: number | string): string | undefined {
  if (row.kind !== "row") return "";
  const { order } = row.columns;
  if (typeof key === "number") return order.length === 0 ? "" : order[key - 1];
  return (
    order.find((each) => each === key) ??
    order.find((each) => each.toLowerCase() === key.toLowerCase()) ??
    (order.length === 0 ? key.toLowerCase() : undefined)
  );
}

/** The column that a call asks for. */
function columnAt(data: ResultSetData, call: Call, tools: Tools): Value {
  const value = data.single ?? columnOf(rowAtHand(data), call.arguments[0], tools, call.source);
  data.last.value = value;
  data.last.line = call.source.range.start.line;
  return value;
}

function rowAtHand({ rows, state }: ResultSetData): Value {
  return (
    stateOf(state, ROW) ??
    (rows.kind === "unknown" ? rows : unknown("a column is read before there is a row"))
  );
}

/** As an object: NULL is null. */
const object: Method<ResultSetData> = ({ data, call, tools }) => columnAt(data, call, tools);

/** As a primitive number: NULL is 0. */
const number: Method<ResultSetData> = ({ data, call, tools }) => {
  const value = columnAt(data, call, tools);
  if (value.kind !== "scalar") return value;
  const { expression } = value;
  if (expression.kind !== "field" && expression.kind !== "conditional") return value;
  const row = rowAtHand(data);
  const isThere = row.kind === "row" && expression.kind === "field" && row.columns.required?.has(expression.field) === true; // prettier-ignore
  if (isThere) return value;
  return scalar({ kind: "coalesce", operands: [value.expression, literal(0)] }, value.type);
};

const nothing: Method<ResultSetData> = () => UNDEFINED;

/** True if the column that was read on this line or the one before was NULL: other paths lead to what is further away. */
const wasNull: Method<ResultSetData> = ({ data, call, tools }) => {
  const { value, line } = data.last;
  const isNear = line !== undefined && call.source.range.start.line - line <= 1;
  return value && isNear
    ? truth({ kind: "isNull", operand: tools.expression(value) })
    : unknown("whether the last column was NULL is not followed", [tools.expression(rowAtHand(data))]); // prettier-ignore
};

/** Methods of ResultSet, by name. */
export const RESULT_SET: Readonly<Record<string, Method<ResultSetData>>> = {
  next,
  first: next,
  close: nothing,
  wasNull,
  getMetaData: ({ handle }) => ({ ...handle, path: "ResultSetMetaData" }),
  ...each(number, "getInt getLong getShort getByte getDouble getFloat"),
  ...each(
    object,
    "getString getNString getObject getBigDecimal getDate getTime getTimestamp getBoolean getBytes getArray getBlob getClob getURL",
  ),
};

export function each<Data>(method: Method<Data>, names: string): Record<string, Method<Data>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, method]));
}

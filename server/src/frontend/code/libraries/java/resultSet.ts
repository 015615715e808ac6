// JDBC's ResultSet: a cursor over the rows of a result. `while (rs.next())` is a loop over the rows; `next()` alone
// goes to the first row.
import { compare } from "../../../sql/terms";
import { literal } from "../../../sql/expressions";
import {
  constant,
  constantScalar,
  scalar,
  UNDEFINED,
  unknown,
  type Connection,
  type HandleValue,
  type ObjectValue,
  type Value,
} from "../../values";
import type { Call, Library, SqlOutcome, Tools } from "../library";
import { emptyRecord, held, truth, type Method } from "./held";

export interface ResultSetData {
  readonly rows: Value;
  /** `row`: the row at hand. */
  readonly state: ObjectValue;
  /** The value of every column of the only row: a key that an INSERT made. */
  readonly single?: Value;
}

/** A cursor before the first of the rows. */
export function resultSet(
  library: Library,
  rows: Value,
  connection: Connection | undefined,
  tools: Tools,
): HandleValue {
  const data: ResultSetData = { rows, state: emptyRecord(tools) };
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
  const data: ResultSetData = { rows: value, state: emptyRecord(tools), single: value };
  return { kind: "handle", library, path: "ResultSet", data };
}

/** The rows of what one text did, of either of two texts where it was one of two. */
export function rowsOf(outcome: SqlOutcome): Value {
  return outcome.choice ?? outcome.rows ?? unknown("this statement gives no rows");
}

/** Undefined for other handles. */
export function resultSetData(handle: HandleValue): ResultSetData | undefined {
  if (!handle.path.startsWith("ResultSet")) return undefined;
  // Only `resultSet` makes such handles.
  return handle.data as ResultSetData;
}

const ROW = "row";

/** What a loop over `next()` ranges over. */
export function resultSetCursor(
  handle: HandleValue,
  tools: Tools,
): { readonly rows: Value; readonly enter: (row: Value) => void } | undefined {
  const data = handle.path === "ResultSet.next" ? resultSetData(handle) : undefined;
  if (!data || data.single || held(data.state, ROW)) return undefined;
  return {
    rows: data.rows,
    enter: (row) => {
      tools.assign(data.state, ROW, row);
    },
  };
}

const next: Method<ResultSetData> = ({ data: { rows, state, single }, tools }) => {
  const row = held(state, ROW);
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

/** A column by its name, or by its position from one. */
function columnOf(row: Value, at: Value | undefined, tools: Tools): Value {
  const key = constantScalar(at);
  if (typeof key !== "number" && typeof key !== "string") {
    return unknown("which column is read is only known when it runs", [tools.expression(row)]);
  }
  if (row.kind === "choice") {
    const { condition, then, otherwise } = row;
    return {
      kind: "choice",
      condition,
      then: columnOf(then, at, tools),
      otherwise: columnOf(otherwise, at, tools),
    };
  }
  if (row.kind !== "row") return row.kind === "unknown" ? row : unknown("a row that is not known");
  const { order } = row.columns;
  const name =
    typeof key === "number"
      ? order[key - 1]
      : (order.find((each) => each === key) ??
        order.find((each) => each.toLowerCase() === key.toLowerCase()) ??
        (order.length === 0 ? key.toLowerCase() : undefined));
  return name === undefined
    ? unknown(`the result has no column ${String(key)}`, [tools.expression(row)])
    : tools.member(row, name);
}

/** The column that a call asks for. */
function columnAt(data: ResultSetData, call: Call, tools: Tools): Value {
  return data.single ?? columnOf(rowAtHand(data), call.arguments[0], tools);
}

function rowAtHand({ rows, state }: ResultSetData): Value {
  return (
    held(state, ROW) ??
    (rows.kind === "unknown" ? rows : unknown("a column is read before there is a row"))
  );
}

/** As an object: NULL is null. */
const object: Method<ResultSetData> = ({ data, call, tools }) => columnAt(data, call, tools);

/** As a primitive number: NULL is 0. */
const number: Method<ResultSetData> = ({ data, call, tools }) => {
  const value = columnAt(data, call, tools);
  if (value.kind !== "scalar" || value.expression.kind !== "field") return value;
  const { field } = value.expression;
  const row = rowAtHand(data);
  if (row.kind === "row" && row.columns.required?.has(field) === true) return value;
  return scalar({ kind: "coalesce", operands: [value.expression, literal(0)] }, value.type);
};

const nothing: Method<ResultSetData> = () => UNDEFINED;

const wasNull: Method<ResultSetData> = ({ data, tools }) =>
  unknown("whether the last column was NULL is not followed", [tools.expression(rowAtHand(data))]);

/** Methods of ResultSet, by name. */
export const RESULT_SET: Readonly<Record<string, Method<ResultSetData>>> = {
  next,
  first: next,
  close: nothing,
  wasNull,
  ...each(number, "getInt getLong getShort getByte getDouble getFloat"),
  ...each(
    object,
    "getString getNString getObject getBigDecimal getDate getTime getTimestamp getBoolean getBytes getArray getBlob getClob getURL",
  ),
};

export function each<Data>(method: Method<Data>, names: string): Record<string, Method<Data>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, method]));
}

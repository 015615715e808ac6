// JDBC's statements: a text with parameters that are set one by one, run alone or as a batch.
import { dictionary } from "../../../../protocol/dictionary";
import {
  type Connection,
  constant,
  constantScalar,
  type HandleValue,
  type ObjectValue,
  oneOfSeveral,
  UNDEFINED,
  unknown,
  type Value,
} from "../../values";
import { libraryOf, type Call, type Library, type SqlOutcome, type Tools } from "../library";
import { computedAt, counterOf } from "./dynamicPositions";
import { emptyRecord, stateOf, type Method } from "./receiverState";
import { beginIfWaiting } from "./manualCommit";
import { each, resultSet, resultSetOfOne, rowsOf } from "./resultSet";

export interface StatementData {
  /** Undefined: the text comes with each call. */
  readonly sql?: Value;
  /** Parameters by their positions; `rows`, `count` and `key` of what ran last. */
  readonly state: ObjectValue;
  /** Its connection's memory. */
  readonly session?: ObjectValue;
}

export function preparedStatement(
  library: Library,
  sql: Value | undefined,
  parameters: readonly Value[],
  on: { readonly connection?: Connection | undefined; readonly session?: ObjectValue | undefined },
  tools: Tools,
): HandleValue {
  const { connection, session } = on;
  const state = emptyRecord(tools);
  parameters.forEach((value, at) => {
    tools.assign(state, String(at + 1), value);
  });
  // Additions of loops stand for all positions that they count.
  state.fields.set(COMPUTED, { value: tools.list([]), birth: 0, isGrown: true });
  const data: StatementData = { ...(sql && { sql }), state, ...(session && { session }) };
  return {
    kind: "handle",
    library,
    path: "Statement",
    data,
    ...(connection && { connection }),
  };
}

/** Undefined for other handles. */
export function statementData(handle: HandleValue): StatementData | undefined {
  if (!handle.path.startsWith("Statement")) return undefined;
  // Only `preparedStatement` makes such handles.
  return handle.data as StatementData | undefined;
}

/** Runs the statement with what was set. */
export function execute(
  handle: HandleValue,
  data: StatementData,
  call: Call,
  tools: Tools,
): SqlOutcome {
  const sql = data.sql ?? call.arguments[0] ?? unknown("a statement without a text");
  const at = (position: number): Value => parameterAt(data.state, position);
  if (data.session) beginIfWaiting(data.session, handle.connection, call.source, tools);
  const outcome = tools.sql(handle.connection, sql, { at }, call.source);
  if (outcome.rows) tools.assign(data.state, "rows", rowsOf(outcome));
  tools.assign(data.state, "count", outcome.count);
  if (outcome.insertId) tools.assign(data.state, "key", outcome.insertId);
  return outcome;
}

function parameterAt(state: ObjectValue, position: number): Value {
  const computed = stateOf(state, COMPUTED);
  return (
    stateOf(state, String(position)) ??
    (computed?.kind === "list" ? computedAt(computed, position) : computed) ??
    unknown(`parameter ${String(position)} is not set`)
  );
}

/** Parameters that were set at computed positions: a list of each position with its value, newest first. */
const COMPUTED = "computed";

const set: Method<StatementData> = ({ data: { state }, call, tools }) => {
  const [at = UNDEFINED, value = UNDEFINED] = call.arguments;
  const position = constantScalar(at);
  if (typeof position === "number") {
    tools.assign(state, String(position), value);
    return UNDEFINED;
  }
  const known = stateOf(state, COMPUTED);
  const isCounted = counterOf(tools.expression(at)) !== undefined;
  if (isCounted && known?.kind === "list") {
    const others = tools.items(known) ?? [];
    tools.assign(state, COMPUTED, tools.list([tools.list([at, value]), ...others]));
    return UNDEFINED;
  }
  const why = "which parameter is set is only known when it runs";
  const reads = [tools.expression(value)];
  for (const name of [...state.fields.keys()].filter((key) => /^\d+$/u.test(key))) {
    tools.assign(state, name, oneOfSeveral(why, reads));
  }
  tools.assign(state, COMPUTED, oneOfSeveral(why, reads));
  tools.lose(why, call.source);
  return UNDEFINED;
};

const setNull: Method<StatementData> = (of) => {
  const [at = UNDEFINED] = of.call.arguments;
  return set({ ...of, call: { ...of.call, arguments: [at, constant(null)] } });
};

const query: Method<StatementData> = ({ handle, data, call, tools }) => {
  const outcome = execute(handle, data, call, tools);
  return resultSet(libraryOf(handle), rowsOf(outcome), handle.connection, tools);
};

const update: Method<StatementData> = ({ handle, data, call, tools }) =>
  execute(handle, data, call, tools).count;

const run: Method<StatementData> = ({ handle, data, call, tools }) =>
  constant(execute(handle, data, call, tools).rows !== undefined);

/**
 * A statement of a batch runs where it is added: nothing of the batch's own transaction but a read of the same rows
 * before `executeBatch` could tell.
 */
const addBatch: Method<StatementData> = ({ handle, data, call, tools }) => {
  execute(handle, data, call, tools);
  return UNDEFINED;
};

const nothing: Method<StatementData> = () => UNDEFINED;

/** Methods of Statement and PreparedStatement, by name. */
export const STATEMENT = dictionary<Method<StatementData>>({
  ...each(
    set,
    "setInt setLong setShort setByte setDouble setFloat setBigDecimal setString setNString setBoolean setDate setTime " +
      "setTimestamp setObject setBytes setArray setBlob setClob",
  ),
  setNull,
  executeQuery: query,
  ...each(update, "executeUpdate executeLargeUpdate"),
  execute: run,
  addBatch,
  ...each(
    () => unknown("how many rows each statement of a batch changed is not known"),
    "executeBatch executeLargeBatch",
  ),
  ...each(
    nothing,
    "close clearBatch clearParameters setFetchSize setMaxRows setQueryTimeout setFetchDirection setPoolable closeOnCompletion",
  ),
  getResultSet: ({ handle, data, tools }) => {
    const rows = stateOf(data.state, "rows") ?? unknown("no rows were asked for");
    return resultSet(libraryOf(handle), rows, handle.connection, tools);
  },
  ...each(
    ({ data }) => stateOf(data.state, "count") ?? unknown("nothing was run"),
    "getUpdateCount getLargeUpdateCount",
  ),
  getGeneratedKeys: ({ handle, data, tools }) => generatedKeys(handle, data, tools),
});

/** The keys that an INSERT made: a result of one row, or what RETURNING gave. */
function generatedKeys(handle: HandleValue, { state }: StatementData, tools: Tools): Value {
  const key = stateOf(state, "key");
  const rows = stateOf(state, "rows");
  if (!rows) return resultSetOfOne(libraryOf(handle), key ?? unknown("no keys were made"), tools);
  return resultSet(libraryOf(handle), rows, handle.connection, tools);
}

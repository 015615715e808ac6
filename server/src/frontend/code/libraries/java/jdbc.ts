// JDBC: connections, statements and results of Java's own interface to databases.
import { dictionary, ownEntry } from "../../../../protocol/dictionary";
import {
  constantScalar,
  constantText,
  textOf,
  UNDEFINED,
  type Connection,
  type HandleValue,
  type ObjectValue,
  type TextPart,
  type Value,
} from "../../values";
import type { Call, Library, Tools } from "../library";
import { emptyRecord, type Method } from "./receiverState";
import { beginIfWaiting, isManual, isWaiting, setWaiting } from "./manualCommit";
import { newSavepoint, toSavepoint } from "./savepoints";
import { preparedStatement, STATEMENT, statementData } from "./preparedStatement";
import { each, RESULT_SET, RESULT_SET_META, resultSetCursor, resultSetData } from "./resultSet";

interface ConnectionData {
  /** True if the next statement begins a transaction. */
  readonly state: ObjectValue;
}

/** A connection of its own; without one given, a new one, which may be without autocommit from the start. */
export function jdbcConnection(
  tools: Tools,
  connection?: Connection,
  options: { readonly isManual?: boolean } = {},
): HandleValue {
  const data: ConnectionData = { state: emptyRecord(tools) };
  if (options.isManual === true) setWaiting(data.state, true, tools);
  return {
    kind: "handle",
    library: JDBC,
    path: "Connection",
    data,
    connection: connection ?? tools.connection(false),
  };
}

/** Prepares a statement on a connection. */
export function prepare(
  handle: HandleValue,
  sql: Value | undefined,
  parameters: readonly Value[],
  tools: Tools,
): HandleValue {
  const session = connectionOf(handle)?.state;
  return preparedStatement(
    JDBC,
    sql,
    parameters,
    { connection: handle.connection, session },
    tools,
  );
}

const statement: Method<ConnectionData> = ({ handle, call, tools }) => {
  const [sql, keys] = call.arguments;
  return prepare(handle, sql && keys ? withKeys(sql, tools) : sql, [], tools);
};

/** PostgreSQL's driver asks for generated keys by RETURNING; others get the number that was made. */
export function withKeys(sql: Value, tools: Tools): Value {
  if (sql.kind === "choice") {
    const { condition } = sql;
    const [then, otherwise] = [withKeys(sql.then, tools), withKeys(sql.otherwise, tools)];
    return { kind: "choice", condition, then, otherwise };
  }
  const isInsert = sql.kind === "text" && /^\s*insert\b/iu.test(constantText(sql) ?? "");
  const isComplete = /\breturning\b/iu.test(constantText(sql) ?? "");
  if (tools.dialect !== "postgres" || !isInsert || isComplete) return sql;
  return { ...sql, parts: [...sql.parts, ...partsOf(textOf("\nRETURNING *"))] };
}

function partsOf(value: Value): readonly TextPart[] {
  return value.kind === "text" ? value.parts : [];
}

const end =
  (how: "commit" | "rollback"): Method<ConnectionData> =>
  ({ handle, data, call, tools }) => {
    if (how === "rollback" && call.arguments.length > 0) {
      return toSavepoint("ROLLBACK TO SAVEPOINT", handle, call, tools);
    }
    tools[how](handle.connection, call.source);
    // The next statement begins the next transaction.
    setWaiting(data.state, true, tools);
    return UNDEFINED;
  };

const setAutoCommit: Method<ConnectionData> = ({ handle, data, call, tools }) => {
  const { source } = call;
  switch (constantScalar(call.arguments[0])) {
    case false:
      if (tools.isMaking()) {
        setWaiting(data.state, true, tools);
        return UNDEFINED;
      }
      // Without autocommit already: a transaction may be open.
      if (!tools.isOpen(handle.connection)) tools.begin(handle.connection, { source });
      break;
    case true:
      if (!isWaiting(data.state)) tools.commit(handle.connection, source);
      break;
    default:
      tools.lose("whether a transaction begins here is only known when it runs", source);
  }
  setWaiting(data.state, false, tools);
  return UNDEFINED;
};

/** `Connection.TRANSACTION_SERIALIZABLE` is a level of SQL with underscores. */
const setLevel: Method<ConnectionData> = ({ handle, call, tools }) => {
  const level = levelOf(call.arguments[0]);
  if (level === undefined) return undefined;
  const sql = textOf(`SET TRANSACTION ISOLATION LEVEL ${level}`);
  tools.sql(handle.connection, sql, {}, call.source);
  return UNDEFINED;
};

/** The levels by the numbers of `Connection`'s constants. */
export const JDBC_LEVELS: Readonly<Record<number, string>> = {
  1: "READ UNCOMMITTED",
  2: "READ COMMITTED",
  4: "REPEATABLE READ",
  8: "SERIALIZABLE",
};

function levelOf(value: Value | undefined): string | undefined {
  const number = constantScalar(value);
  if (typeof number === "number") return JDBC_LEVELS[number];
  const path = value?.kind === "handle" || value?.kind === "external" ? nameOf(value) : "";
  return /TRANSACTION_([A-Z_]+)$/u.exec(path)?.[1]?.replaceAll("_", " ");
}

function nameOf(value: Extract<Value, { kind: "handle" | "external" }>): string {
  return value.kind === "handle" ? value.path : value.name;
}

const nothing: Method<ConnectionData> = () => UNDEFINED;

const CONNECTION = dictionary<Method<ConnectionData>>({
  prepareStatement: statement,
  createStatement: ({ handle, tools }) => prepare(handle, undefined, [], tools),
  setAutoCommit,
  commit: end("commit"),
  rollback: end("rollback"),
  setSavepoint: ({ handle, call, tools }) => newSavepoint(handle, call, tools),
  releaseSavepoint: ({ handle, call, tools }) =>
    toSavepoint("RELEASE SAVEPOINT", handle, call, tools),
  setTransactionIsolation: setLevel,
  ...each(
    nothing,
    "close setReadOnly setSchema setCatalog setHoldability setNetworkTimeout clearWarnings abort setClientInfo",
  ),
});

export const JDBC: Library = {
  name: "jdbc",
  modules: ["java.sql", "javax.sql"],
  imported: (name, _module, tools) => (NAMES.has(name) ? tools.handle(name) : undefined),
  typed: (type, tools) => TYPES[type]?.(tools),
  // No other class of Java's has these methods.
  shaped: ({ receiver, name, method }, tools) => {
    if (!/^prepare(?:Statement|Call)$/u.test(method) || receiver.kind === "handle")
      return undefined;
    const isGiven = receiver.kind === "input" && /^\w+$/u.test(name);
    const id = `${isGiven ? "given" : "shaped"}:${name}`;
    const connection: Connection = { id, isPool: false, ...(isGiven && { isGiven }) };
    const held = jdbcConnection(tools, connection, { isManual: isManual({ isHeld: true }, tools) });
    return { ...held, path: `Connection.${method}` };
  },
  asks: ({ method }) => /^prepare(?:Statement|Call)$/u.test(method),
  cursor: resultSetCursor,
  call: (handle, call, tools) => {
    if (TIMES.test(handle.path)) return call.arguments[0];
    if (call.isNew) return newError(handle, call, tools);
    const [, name = ""] = /\.(\w+)$/u.exec(handle.path) ?? [];
    return OBJECTS.map((object) => object(handle, name, call, tools)).find(
      (value) => value !== undefined,
    );
  },
};

/** A time is the number or text that it is made of. */
const TIMES = /^(?:Timestamp|Date|Time)(?:\.valueOf|\.from)?$/u;

/** An error with its message. */
export function newError({ path }: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [message = UNDEFINED] = call.arguments;
  return /(?:Exception|Error)$/u.test(path) ? tools.object({ message }) : undefined;
}

/** Classes whose static members mean something. */
const NAMES: ReadonlySet<string> = new Set([
  "Connection",
  "DriverManager",
  "PreparedStatement",
  "ResultSet",
  "Statement",
  "Timestamp",
]);

/** The value of something declared with a type. */
const TYPES = dictionary<((tools: Tools) => Value) | undefined>({
  Connection: heldConnection,
  "java.sql.Connection": heldConnection,
  DataSource: (tools) => tools.handle("DataSource"),
  "javax.sql.DataSource": (tools) => tools.handle("DataSource"),
  HikariDataSource: (tools) => tools.handle("DataSource"),
});

function heldConnection(tools: Tools): Value {
  return jdbcConnection(tools, undefined, { isManual: isManual({ isHeld: true }, tools) });
}

type ObjectCall = (
  handle: HandleValue,
  name: string,
  call: Call,
  tools: Tools,
) => Value | undefined;

/** The kinds of objects; each knows its own by their paths. */
const OBJECTS: readonly ObjectCall[] = [
  (handle, name, call, tools) => {
    const data = connectionData(handle);
    if (!data) return undefined;
    if (/^(?:prepare|create|setSavepoint)/u.test(name)) {
      beginIfWaiting(data.state, handle.connection, call.source, tools);
    }
    return CONNECTION[name]?.({ handle, data, call, tools });
  },
  (handle, name, call, tools) => {
    const data = statementData(handle);
    return data && STATEMENT[name]?.({ handle, data, call, tools });
  },
  (handle, name, call, tools) => {
    const data = resultSetData(handle);
    const methods = handle.path.startsWith("ResultSetMetaData.") ? RESULT_SET_META : RESULT_SET;
    return data && ownEntry(methods, name)?.({ handle, data, call, tools });
  },
  ({ path }, _name, _call, tools) =>
    path === "DataSource.getConnection" || path === "DriverManager.getConnection"
      ? jdbcConnection(tools, undefined, { isManual: isManual({ isHeld: false }, tools) })
      : undefined,
];

function connectionData(handle: HandleValue): ConnectionData | undefined {
  return handle.path.startsWith("Connection.") ? connectionOf(handle) : undefined;
}

/** The memory of a connection, also by the path of one of its methods. */
function connectionOf({ path, data }: HandleValue): ConnectionData | undefined {
  // `Connection` itself, the interface, has no data; only `jdbcConnection` gives some.
  return /^Connection(?:\.|$)/u.test(path) ? (data as ConnectionData | undefined) : undefined;
}

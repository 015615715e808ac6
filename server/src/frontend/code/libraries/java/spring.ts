// Spring: declared and programmatic transactions, and its templates for JDBC.
import { dictionary } from "../../../../protocol/dictionary";
import { constantText, UNDEFINED, type HandleValue, type Value } from "../../values";
import type { Call, Library, Tools } from "../library";
import { emptyRecord, type Method } from "./receiverState";
import { JDBC, jdbcConnection, newError } from "./jdbc";
import { clientCall } from "./jdbcClient";
import { resultSet } from "./resultSet";
import { addValue, parameterSource, TEMPLATES, type ParameterData } from "./springTemplates";
import {
  annotatedTransaction,
  SPRING_CONNECTION,
  TRANSACTIONS,
  transactionTemplate,
  type TemplateData,
} from "./springTransactions";

export const SPRING: Library = {
  name: SPRING_CONNECTION.id,
  modules: [
    "org.springframework.jdbc.core",
    "org.springframework.jdbc.core.namedparam",
    "org.springframework.jdbc.core.simple",
    "org.springframework.jdbc.support",
    "org.springframework.jdbc.datasource",
    "org.springframework.transaction",
    "org.springframework.transaction.annotation",
    "org.springframework.transaction.support",
    "org.springframework.transaction.interceptor",
    "jakarta.transaction",
    "javax.transaction",
  ],
  imported: (name, _module, tools) =>
    Object.hasOwn(CONSTRUCTORS, name) || STATICS.has(name) ? tools.handle(name) : undefined,
  typed: (type, tools) => TYPES[type.replace(/^.*\./u, "")]?.(tools),
  extended: (superclass, tools) =>
    DAO_SUPPORT.test(superclass) ? tools.handle("DaoSupport") : undefined,
  call: (handle, call, tools) => {
    if (call.isNew) {
      return CONSTRUCTORS[handle.path]?.(call, tools) ?? newError(handle, call, tools);
    }
    return clientCall(handle, call, tools) ?? called(handle, call, tools);
  },
  rowCall: (row, method, call, tools) => property(row, method, call, tools),
  boundary: annotatedTransaction,
};

const DAO_SUPPORT = /^(?:NamedParameter)?JdbcDaoSupport$/u;

/** The value of something declared with a type. */
const TYPES = dictionary<((tools: Tools) => Value) | undefined>({
  JdbcTemplate: (tools) => template("JdbcTemplate", tools),
  JdbcOperations: (tools) => template("JdbcTemplate", tools),
  NamedParameterJdbcTemplate: (tools) => template("NamedParameterJdbcTemplate", tools),
  NamedParameterJdbcOperations: (tools) => template("NamedParameterJdbcTemplate", tools),
  JdbcClient: (tools) => template("JdbcClient", tools),
  TransactionTemplate: (tools) => transactionTemplate(SPRING, tools),
  TransactionOperations: (tools) => transactionTemplate(SPRING, tools),
  PlatformTransactionManager: (tools) => template("TransactionManager", tools),
  DataSourceTransactionManager: (tools) => template("TransactionManager", tools),
});

/** Classes whose static members mean something. */
const STATICS: ReadonlySet<string> = new Set([
  "DataSourceUtils",
  "JdbcClient",
  "SqlParameterSourceUtils",
  "TransactionAspectSupport",
  "TransactionDefinition",
]);

/** The result of `new`. */
const CONSTRUCTORS = dictionary<((call: Call, tools: Tools) => Value | undefined) | undefined>({
  JdbcTemplate: (_call, tools) => template("JdbcTemplate", tools),
  NamedParameterJdbcTemplate: (_call, tools) => template("NamedParameterJdbcTemplate", tools),
  TransactionTemplate: (_call, tools) => transactionTemplate(SPRING, tools),
  DataSourceTransactionManager: (_call, tools) => template("TransactionManager", tools),
  DefaultTransactionDefinition: (_call, tools) => definition(tools),
  DefaultTransactionAttribute: (_call, tools) => definition(tools),
  MapSqlParameterSource: (call, tools) => parameterSource(SPRING, call, tools),
  BeanPropertySqlParameterSource: (call, tools) => parameterSource(SPRING, call, tools),
  GeneratedKeyHolder: (_call, tools) => {
    const data: ParameterData = { values: emptyRecord(tools) };
    return tools.handle("KeyHolder", data);
  },
  BeanPropertyRowMapper: (_call, tools) => tools.handle("RowMapper"),
  DataClassRowMapper: (_call, tools) => tools.handle("RowMapper"),
  ColumnMapRowMapper: (_call, tools) => tools.handle("RowMapper"),
});

function template(path: string, tools: Tools): Value {
  return tools.handle(path, undefined, SPRING_CONNECTION);
}

function definition(tools: Tools): Value {
  return { ...transactionTemplate(SPRING, tools), path: "TransactionDefinition" };
}

function called(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { path } = handle;
  const method: Method<unknown> | undefined = TEMPLATES[path];
  if (method) return method({ handle, data: handle.data, call, tools });
  const transaction = TRANSACTIONS[path];
  // Handles of these paths come from `transactionTemplate` and `template`.
  if (transaction) return transaction({ handle, data: handle.data as TemplateData, call, tools });
  switch (path) {
    case "SqlParameterSource.addValue":
      return addValue({ handle, data: handle.data as ParameterData, call, tools });
    case "DaoSupport.getJdbcTemplate":
      return template("JdbcTemplate", tools);
    case "DaoSupport.getNamedParameterJdbcTemplate":
      return template("NamedParameterJdbcTemplate", tools);
    case "DataSourceUtils.getConnection":
    case "DaoSupport.getConnection":
      return jdbcConnection(tools, SPRING_CONNECTION);
    case "SqlParameterSourceUtils.createBatch":
      return call.arguments[0];
    case "TransactionAspectSupport.currentTransactionStatus":
      return { ...transactionTemplate(SPRING, tools), path: "TransactionStatus" };
    case "DataSourceUtils.releaseConnection":
    case "DaoSupport.releaseConnection":
      return UNDEFINED;
    case "BeanPropertyRowMapper.newInstance":
    case "DataClassRowMapper.newInstance":
      return tools.handle("RowMapper");
    case "JdbcTemplate.queryForRowSet": {
      const rows = TEMPLATES["JdbcTemplate.query"]?.({ handle, data: undefined, call, tools });
      return rows && resultSet(JDBC, rows, handle.connection, tools);
    }
    default:
      return undefined;
  }
}

/** `row.getOwnerId()` of a row that became an object by its columns' names, and `row.get("owner_id")` of a map. */
function property(
  row: Extract<Value, { kind: "row" | "rows" | "object" }>,
  method: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  if (row.kind !== "row") return undefined;
  const key = method === "get" ? constantText(call.arguments[0]) : undefined;
  const wanted = (key ?? method.replace(/^(?:get|is)(?=[A-Z])/u, ""))
    .replaceAll("_", "")
    .toLowerCase();
  const name = row.columns.order.find(
    (column) => column.replaceAll("_", "").toLowerCase() === wanted,
  );
  return name === undefined ? undefined : tools.member(row, name);
}

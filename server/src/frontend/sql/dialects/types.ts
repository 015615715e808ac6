// Types of MySQL, MariaDB, SQL Server and SQLite as the coarse types of the AR.
import type { Dialect } from "../../../program/dialect";
import type { ValueType } from "../../../program/expression";

const TYPES: ReadonlyMap<string, ValueType> = new Map([
  ...each("int", "int integer tinyint smallint mediumint bigint bool boolean bit year serial"),
  ...each("int", "int2 int4 int8 signed unsigned middleint"),
  ...each("decimal", "decimal dec numeric fixed float double real money smallmoney number"),
  ...each("text", "char varchar nchar nvarchar character text tinytext mediumtext longtext ntext"),
  ...each("text", "enum set uuid uniqueidentifier clob sysname xml inet4 inet6 varchar2"),
  ...each("time", "date time datetime datetime2 smalldatetime timestamp datetimeoffset"),
  ...each("json", "json"),
  ...each("bytes", "binary varbinary blob tinyblob mediumblob longblob image rowversion"),
]);

function each(type: ValueType, names: string): readonly (readonly [string, ValueType])[] {
  return names.split(" ").map((name) => [name, type] as const);
}

/** The type of a column or cast with that name. */
export function columnType(name: string, dialect: Dialect): ValueType {
  if (dialect === "sqlserver" && name === "timestamp") return "bytes";
  const known = TYPES.get(name);
  if (known !== undefined || dialect !== "sqlite") return known ?? "other";
  // SQLite decides by substrings of the name.
  if (name.includes("int")) return "int";
  if (/char|clob|text/.test(name)) return "text";
  return /real|floa|doub|num|dec/.test(name) ? "decimal" : "other";
}

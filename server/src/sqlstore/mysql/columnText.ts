// Defaults and further properties of columns as MySQL and MariaDB list them.
import type { Dialect } from "../../program/dialect";
import { isText } from "../values/types";
import type { Column } from "../catalog";
import { expressionText } from "../system/expressionText";
import type { SqlExpression } from "../tree";
import { usualCollation } from "./typeText";

/** The default as SHOW COLUMNS lists it; null where there is none. */
export function shownDefault(column: Column, dialect: Dialect): string | null {
  const { default: value } = column;
  if (value === undefined || value.kind === "null") return null;
  return value.kind === "string" ? value.value : valueText(value, column, dialect);
}

/** The default as a definition, and MariaDB's information_schema, write it. */
export function writtenDefault(column: Column, dialect: Dialect): string | undefined {
  const { default: value } = column;
  if (value === undefined || value.kind === "null")
    return column.notNull || column.automatic !== undefined ? undefined : "NULL";
  return value.kind === "string"
    ? `'${value.value.replaceAll("'", "''")}'`
    : valueText(value, column, dialect);
}

/** COLUMN_DEFAULT of information_schema. */
export function listedDefault(column: Column, dialect: Dialect): string | null {
  return dialect === "mariadb"
    ? (writtenDefault(column, dialect) ?? null)
    : shownDefault(column, dialect);
}

/** EXTRA. */
export function extraText(column: Column, dialect: Dialect): string {
  if (column.automatic !== undefined) return "auto_increment";
  if (column.generated !== undefined) return "STORED GENERATED";
  const parts = [
    column.default?.kind === "call" && dialect !== "mariadb" ? "DEFAULT_GENERATED" : "",
    column.onUpdate === undefined ? "" : `on update ${presentTime(column, dialect)}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The collation of a column of texts. */
export function collationText({ declared }: Column, dialect: Dialect): string | null {
  const { type, labels, listed } = declared;
  if (type === "json") return dialect === "mariadb" ? "utf8mb4_bin" : null;
  return (isText(type) && !/binary|blob/.test(listed ?? "")) || labels !== undefined
    ? usualCollation(dialect)
    : null;
}

function valueText(value: SqlExpression, column: Column, dialect: Dialect): string {
  switch (value.kind) {
    case "number":
      return withPlaces(value.text, column);
    case "boolean":
      return value.value ? "1" : "0";
    case "unary":
      return value.operator === "-" && value.operand.kind === "number"
        ? `-${withPlaces(value.operand.text, column)}`
        : expressionText(value);
    case "call":
      return /^(now|current_timestamp)$/.test(value.name)
        ? presentTime(column, dialect)
        : expressionText(value);
    default:
      return expressionText(value);
  }
}

/** A decimal with the places of its column. */
function withPlaces(text: string, { declared: { type, scale = 0 } }: Column): string {
  const [, whole, places = ""] = /^(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  if (type !== "numeric" || whole === undefined || scale === 0) return text;
  return `${whole}.${places.slice(0, scale).padEnd(scale, "0")}`;
}

/** The present time with as many digits as the column has. */
export function presentTime({ declared: { seconds = 0 } }: Column, dialect: Dialect): string {
  const digits = seconds === 0 ? "" : String(seconds);
  if (dialect === "mariadb") return `current_timestamp(${digits})`;
  return digits === "" ? "CURRENT_TIMESTAMP" : `CURRENT_TIMESTAMP(${digits})`;
}

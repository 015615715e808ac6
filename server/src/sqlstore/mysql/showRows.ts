// The answers to SHOW and DESCRIBE of MySQL, from what the store knows of its tables.
import { ANY, matchesWildcards, ONE } from "../../program/wildcards";
import type { Catalog, Column, Table } from "../catalog";
import { failure } from "../sqlError";
import { indexesOf } from "../system/objects";
import type { ShowRequest } from "../tree";
import type { DeclaredType } from "../values/types";
import { shownColumn, shownName } from "./spelling";

export interface ShowSurroundings {
  readonly catalog: Catalog;
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
}

export interface ShownRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Fails with 1146 for a table that there is not. */
export function showRows(
  request: ShowRequest,
  { catalog, database, settings }: ShowSurroundings,
): ShownRows {
  switch (request.kind) {
    case "tables": {
      const names = [...catalog.tables.keys(), ...catalog.views.keys()].sort();
      const typed = (name: string): readonly string[] => [
        shownName(catalog, name),
        ...(request.full ? [catalog.views.has(name) ? "VIEW" : "BASE TABLE"] : []),
      ];
      return {
        columns: [`Tables_in_${database}`, ...(request.full ? ["Table_type"] : [])],
        rows: names.filter(like(request.like)).map(typed),
      };
    }
    case "columns":
      return shownColumns(catalog, tableOf(catalog, request.table), request);
    case "indexes":
      return shownIndexes(catalog, tableOf(catalog, request.table));
    case "variables":
      return {
        columns: ["Variable_name", "Value"],
        rows: [...settings].filter(([name]) => like(request.like)(name)).sort(),
      };
    case "databases":
      return { columns: ["Database"], rows: [[database], ["information_schema"]] };
    case "none":
      return { columns: request.columns, rows: [] };
    default:
      return request satisfies never;
  }
}

function tableOf(catalog: Catalog, name: string): Table {
  const table = catalog.tables.get(name);
  if (!table) throw failure("noTable", `Table '${name}' doesn't exist`);
  return table;
}

/** Whether a name fits a pattern of LIKE; without one every name does. */
function like(pattern: string | undefined): (name: string) => boolean {
  if (pattern === undefined) return () => true;
  const form = Array.from(pattern, (each) => (each === "%" ? ANY : each === "_" ? ONE : each));
  return (name) => matchesWildcards(form, name, { insensitive: true });
}

function shownColumns(
  catalog: Catalog,
  table: Table,
  { full, like: pattern }: Extract<ShowRequest, { readonly kind: "columns" }>,
): ShownRows {
  const rows = table.columns
    .filter(({ name }) => like(pattern)(name))
    .map((column) => {
      const plain = [
        shownColumn(catalog, table, column.name),
        typeText(column.declared),
        column.notNull ? "NO" : "YES",
        keyOf(table, column),
        defaultText(column),
        column.automatic ? "auto_increment" : "",
      ];
      const [name = "", type = "", ...rest] = plain;
      return full ? [name, type, null, ...rest, "select,insert,update,references", ""] : plain;
    });
  const columns = ["Field", "Type", "Null", "Key", "Default", "Extra"];
  return {
    columns: full
      ? ["Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"]
      : columns,
    rows,
  };
}

/** COLUMN_KEY of information_schema: how a column takes part in keys. */
export function keyOf(table: Table, column: Column): string {
  const at = table.columns.indexOf(column);
  const keys = table.keys.filter(({ columns }) => columns.includes(at));
  if (keys.some(({ primary }) => primary)) return "PRI";
  if (keys.some(({ columns }) => columns.length === 1)) return "UNI";
  return keys.some(({ columns }) => columns[0] === at) ? "MUL" : "";
}

/** A default as it is listed: constants alone. */
export function defaultText({ default: value }: Column): string | null {
  if (value?.kind === "string") return value.value;
  if (value?.kind === "number") return value.text;
  if (value?.kind === "boolean") return value.value ? "1" : "0";
  return null;
}

/** MySQL's words for a type. */
export function typeText(declared: DeclaredType): string {
  const { type, length, precision, scale, labels, listed } = declared;
  if (listed !== undefined && labels === undefined) return listed;
  const sized = (name: string, ...sizes: readonly (number | undefined)[]): string => {
    const known = sizes.filter((size) => size !== undefined);
    return known.length === 0 ? name : `${name}(${known.join(",")})`;
  };
  switch (type) {
    case "bool":
      return "tinyint(1)";
    case "int2":
      return "smallint";
    case "int4":
      return "int";
    case "int8":
      return "bigint";
    case "uint8":
      return "bigint unsigned";
    case "numeric":
      return sized("decimal", precision, scale);
    case "float4":
      return "float";
    case "float8":
      return "double";
    case "bpchar":
      return sized("char", length);
    case "varchar":
      return sized("varchar", length);
    case "bytea":
      return "blob";
    case "timestamp":
      return "datetime";
    case "timestamptz":
      return "timestamp";
    case "enum":
      return `enum(${(labels ?? []).map((label) => `'${label}'`).join(",")})`;
    case "jsonb":
      return "json";
    default:
      return type;
  }
}

function shownIndexes(catalog: Catalog, table: Table): ShownRows {
  const rows = indexRows(table).map(({ key, unique, order, column }) => [
    shownName(catalog, table.name),
    unique ? "0" : "1",
    shownName(catalog, key),
    String(order),
    shownColumn(catalog, table, column),
    "A",
    "BTREE",
  ]);
  const head = ["Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Collation"];
  return { columns: [...head, "Index_type"], rows };
}

/** The columns of a table's indexes, one after the other. */
export function indexRows(table: Table): readonly {
  readonly key: string;
  readonly unique: boolean;
  /** From 1. */
  readonly order: number;
  readonly column: string;
}[] {
  return indexesOf(table).flatMap(({ key: { name, columns }, unique, primary }) =>
    columns.map((at, index) => ({
      key: primary ? "PRIMARY" : name,
      unique,
      order: index + 1,
      column: table.columns[at]?.name ?? "",
    })),
  );
}

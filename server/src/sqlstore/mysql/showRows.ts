// The answers to SHOW and DESCRIBE of MySQL, from what the store knows of its tables.
import { ANY, matchesWildcards, ONE } from "../../program/wildcards";
import type { Catalog, Column, Table } from "../catalog";
import { failure } from "../sqlError";
import { indexesOf } from "../system/objects";
import type { Diagnostic } from "../sessionDiagnostics";
import type { ShowRequest } from "../statementTree";
import { collationText, extraText, shownDefault } from "./columnText";
import { createdObject, shownRoutines, shownTriggers, type ShownRows } from "./objectRows";
import { shownColumn, shownName } from "./spelling";
import { tableText } from "./tableText";
import { typeText, usualCollation } from "./typeText";

export interface ShowSurroundings {
  readonly catalog: Catalog;
  readonly database: string;
  /** All of the server. */
  readonly databases: readonly string[];
  readonly user: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Fails with 1146 for a table that there is not. */
export function showRows(
  request: ShowRequest,
  { catalog, database, databases, user, settings, diagnostics }: ShowSurroundings,
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
    case "create table": {
      const table = tableOf(catalog, request.table);
      return {
        columns: ["Table", "Create Table"],
        rows: [[shownName(catalog, table.name), tableText(catalog, table)]],
      };
    }
    case "create database": {
      const { name } = request;
      const rest = catalog.dialect === "mysql" ? " /*!80016 DEFAULT ENCRYPTION='N' */" : "";
      const collation = `utf8mb4 COLLATE ${usualCollation(catalog.dialect)}`;
      return {
        columns: ["Database", "Create Database"],
        rows: [
          [
            name,
            `CREATE DATABASE \`${name}\` /*!40100 DEFAULT CHARACTER SET ${collation} */${rest}`,
          ],
        ],
      };
    }
    case "table status":
      return tableStatus(catalog, request.like);
    case "character sets":
      return {
        columns: ["Charset", "Description", "Default collation", "Maxlen"],
        rows: [
          ["binary", "Binary pseudo charset", "binary", "1"],
          ["utf8mb4", "UTF-8 Unicode", usualCollation(catalog.dialect), "4"],
        ],
      };
    case "grants":
      return {
        columns: [`Grants for ${user}@%`],
        rows: [[`GRANT ALL PRIVILEGES ON *.* TO \`${user}\`@\`%\``]],
      };
    case "variables":
      return {
        columns: ["Variable_name", "Value"],
        rows: [...settings].filter(([name]) => like(request.like)(name)).sort(),
      };
    case "diagnostics": {
      const { what, isCount, offset = 0, limit = Infinity } = request;
      const all = diagnostics.filter(({ level }) => what === "warnings" || level === "Error");
      if (isCount)
        return {
          columns: [what === "errors" ? "@@session.error_count" : "@@session.warning_count"],
          rows: [[String(all.length)]],
        };
      const rows = all
        .slice(offset, offset + limit)
        .map(({ level, code, message }) => [level, String(code), message]);
      return { columns: ["Level", "Code", "Message"], rows };
    }
    case "databases":
      return {
        columns: [request.like === undefined ? "Database" : `Database (${request.like})`],
        rows: [...new Set([database, ...databases, "information_schema"])]
          .filter(like(request.like))
          .map((name) => [name]),
      };
    case "create object":
      return createdObject(request, { catalog, user });
    case "triggers":
      return shownTriggers(catalog, user, like(request.like));
    case "routines":
      return shownRoutines(request.what, { catalog, database, user }, like(request.like));
    case "none":
      return { columns: request.columns, rows: [] };
    default:
      return request satisfies never;
  }
}

function tableOf(catalog: Catalog, name: string): Table {
  const table = catalog.tables.get(name);
  if (!table) throw failure("noTable", `Table '${name}' doesn't exist`, { table: name });
  return table;
}

/** True if a name fits a pattern of LIKE; without one every name does. */
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
        typeText(column.declared, catalog.dialect),
        column.notNull ? "NO" : "YES",
        keyOf(table, column),
        shownDefault(column, catalog.dialect),
        extraText(column, catalog.dialect),
      ];
      const [name = "", type = "", ...rest] = plain;
      const collation = collationText(column, catalog.dialect);
      return full ? [name, type, collation, ...rest, "select,insert,update,references", ""] : plain;
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
  return indexesOf(table).some(({ key: { columns } }) => columns[0] === at) ? "MUL" : "";
}

function shownIndexes(catalog: Catalog, table: Table): ShownRows {
  const isMariadb = catalog.dialect === "mariadb";
  const rows = indexRows(table).map(({ key, unique, order, column }) => {
    const isNullable = table.columns.find(({ name }) => name === column)?.notNull === false;
    return [
      shownName(catalog, table.name),
      unique ? "0" : "1",
      shownName(catalog, key),
      String(order),
      shownColumn(catalog, table, column),
      "A",
      "0",
      null,
      null,
      isNullable ? "YES" : "",
      "BTREE",
      "",
      "",
      ...(isMariadb ? ["NO"] : ["YES", null]),
    ];
  });
  return {
    columns: [
      ...["Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Collation"],
      ...["Cardinality", "Sub_part", "Packed", "Null", "Index_type", "Comment", "Index_comment"],
      ...(isMariadb ? ["Ignored"] : ["Visible", "Expression"]),
    ],
    rows,
  };
}

function tableStatus(catalog: Catalog, pattern: string | undefined): ShownRows {
  const collation = usualCollation(catalog.dialect);
  const unknown = ["Rows", "Avg_row_length", "Data_length", "Max_data_length", "Index_length"];
  const later = ["Data_free", "Auto_increment", "Create_time", "Update_time", "Check_time"];
  return {
    columns: [
      ...["Name", "Engine", "Version", "Row_format", ...unknown, ...later],
      ...["Collation", "Checksum", "Create_options", "Comment"],
    ],
    rows: [...catalog.tables.keys()]
      .sort()
      .filter(like(pattern))
      .map((name) => [
        ...[shownName(catalog, name), "InnoDB", "10", "Dynamic", ...unknown.map(() => "0")],
        ...["0", ...later.slice(1).map(() => null), collation, null, "", ""],
      ]),
  };
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

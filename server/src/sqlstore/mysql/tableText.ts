// SHOW CREATE TABLE: a table as the text that makes it. The next number of AUTO_INCREMENT is left out.
import type { Catalog, Column, ForeignKey, Table } from "../catalog";
import { expressionText } from "../system/expressionText";
import { indexesOf, referencedColumns } from "../system/objects";
import { shownColumn, shownName } from "./spelling";
import { presentTime, writtenDefault } from "./columnText";
import { typeText, usualCollation } from "./typeText";

export function tableText(catalog: Catalog, table: Table): string {
  const named = (at: number): string => {
    const { name = "" } = table.columns[at] ?? {};
    return quoted(shownColumn(catalog, table, name));
  };
  const keys = indexesOf(table).map(({ key, unique, primary }) => {
    const columns = `(${key.columns.map(named).join(",")})`;
    if (primary) return `PRIMARY KEY ${columns}`;
    return `${unique ? "UNIQUE KEY" : "KEY"} ${quoted(shownName(catalog, key.name))} ${columns}`;
  });
  const members = [
    ...table.columns.map((column) => columnText(catalog, table, column)),
    ...keys,
    ...[...table.foreignKeys]
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((key) => referenceText(catalog, table, key)),
    ...table.checks.map(
      ({ name, condition }) => `CONSTRAINT ${quoted(name)} CHECK (${expressionText(condition)})`,
    ),
  ];
  const collation = usualCollation(catalog.dialect);
  return `CREATE TABLE ${quoted(shownName(catalog, table.name))} (\n  ${members.join(",\n  ")}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=${collation}`;
}

function columnText(catalog: Catalog, table: Table, column: Column): string {
  const name = quoted(shownColumn(catalog, table, column.name));
  const parts = [name, typeText(column.declared, catalog.dialect)];
  const isJson = catalog.dialect === "mariadb" && column.declared.type === "json";
  if (isJson) parts.push("CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
  if (column.generated !== undefined)
    return `${parts.join(" ")} GENERATED ALWAYS AS (${expressionText(column.generated)}) STORED`;
  const written = writtenDefault(column, catalog.dialect);
  if (column.notNull) parts.push("NOT NULL");
  else if (parts[1]?.startsWith("timestamp") === true) parts.push("NULL");
  if (column.automatic) parts.push("AUTO_INCREMENT");
  else if (written !== undefined) parts.push(`DEFAULT ${written}`);
  if (isJson) parts.push(`CHECK (json_valid(${name}))`);
  if (column.onUpdate) parts.push(`ON UPDATE ${presentTime(column, catalog.dialect)}`);
  return parts.join(" ");
}

/** A reference as the products' messages and definitions write it. */
export function referenceText(catalog: Catalog, table: Table, key: ForeignKey): string {
  const { name, columns, table: parent, onDelete, onUpdate } = key;
  const { dialect } = catalog;
  const own = columns.map((each) => quoted(shownColumn(catalog, table, each))).join(", ");
  const theirs = referencedColumns(catalog, key).map(quoted).join(", ");
  const action = (when: string, what: ForeignKey["onDelete"]): string =>
    what === "restrict" || (what === "no action" && dialect === "mysql")
      ? ""
      : ` ON ${when} ${what.toUpperCase()}`;
  const target = `${quoted(shownName(catalog, parent))} (${theirs})`;
  return `CONSTRAINT ${quoted(shownName(catalog, name))} FOREIGN KEY (${own}) REFERENCES ${target}${action("DELETE", onDelete)}${action("UPDATE", onUpdate)}`;
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

// SHOW CREATE TABLE: a table as the text that makes it. The next number of AUTO_INCREMENT is left out.
import type { Dialect } from "../../program/dialect";
import type { Catalog, Column, ForeignKey, Table } from "../catalog";
import { expressionText } from "../system/expressionText";
import { indexesOf, referencedColumns } from "../system/objects";
import { shownColumn, shownName } from "./spelling";
import { typeText } from "./typeText";

export function usualCollation(dialect: Dialect): string {
  return dialect === "mariadb" ? "utf8mb4_general_ci" : "utf8mb4_0900_ai_ci";
}

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
    ...table.foreignKeys.map((key) => referenceText(catalog, table, key)),
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
  if (column.notNull) parts.push("NOT NULL");
  if (column.automatic) parts.push("AUTO_INCREMENT");
  else if (column.default !== undefined) parts.push(`DEFAULT ${expressionText(column.default)}`);
  else if (!column.notNull) parts.push("DEFAULT NULL");
  if (isJson) parts.push(`CHECK (json_valid(${name}))`);
  if (column.onUpdate) parts.push(`ON UPDATE ${expressionText(column.onUpdate)}`);
  return parts.join(" ");
}

function referenceText(catalog: Catalog, table: Table, key: ForeignKey): string {
  const { name, columns, table: parent, onDelete, onUpdate } = key;
  const own = columns.map((each) => quoted(shownColumn(catalog, table, each))).join(", ");
  const theirs = referencedColumns(catalog, key).map(quoted).join(", ");
  const action = (when: string, what: ForeignKey["onDelete"]): string =>
    what === "restrict" || what === "no action" ? "" : ` ON ${when} ${what.toUpperCase()}`;
  const target = `${quoted(shownName(catalog, parent))} (${theirs})`;
  return `CONSTRAINT ${quoted(shownName(catalog, name))} FOREIGN KEY (${own}) REFERENCES ${target}${action("DELETE", onDelete)}${action("UPDATE", onUpdate)}`;
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

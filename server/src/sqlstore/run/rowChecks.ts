// Checks of a new row alone: computed columns, NOT NULL and CHECK; and whether a change changed anything.
import type { Table } from "../catalog";
import type { Compiler, Env } from "../compile/node";
import { failure } from "../sqlError";
import type { SqlRow } from "../values/value";
import { notNullError, type TableRules } from "./tableRules";

/** The row with its computed columns. */
export function withGeneratedColumns(row: SqlRow, rules: TableRules, env: Env): SqlRow {
  if (rules.generated.every((node) => node === undefined)) return row;
  return row.map((value, at) => {
    const node = rules.generated[at];
    return node === undefined ? value : node.run({ ...env, tuple: [row] });
  });
}

/** NOT NULL and CHECK. */
export function checkRow(
  table: Table,
  rules: TableRules,
  row: SqlRow,
  env: Env,
  compiler: Compiler,
): void {
  for (const [at, column] of table.columns.entries()) {
    rules.domains[at]?.(row[at] ?? null, env);
    if (column.notNull && (row[at] ?? null) === null) throw notNullError(table, column, compiler);
  }
  for (const { name, test } of rules.checks) {
    if (test({ ...env, tuple: [row] }) !== false) continue;
    const parts = { table: table.name, constraint: name };
    switch (compiler.dialect) {
      case "postgres":
        throw failure(
          "check",
          `new row for relation "${table.name}" violates check constraint "${name}"`,
          parts,
        );
      case "mariadb":
        throw failure("mariadbCheck", `CONSTRAINT \`${name}\` failed for \`${table.name}\``, parts);
      default:
        throw failure("check", `Check constraint '${name}' is violated.`, parts);
    }
  }
}

/** True if no column differs. */
export function sameRow(left: SqlRow, right: SqlRow): boolean {
  return left.every(
    (value, at) =>
      value === right[at] || JSON.stringify(value, bigints) === JSON.stringify(right[at], bigints),
  );
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

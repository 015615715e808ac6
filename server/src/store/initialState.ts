// Whether rows can be the beginning of a run: no database holds rows that break its own keys and checks.
import type { Schema, Table } from "../program/schema";
import { uniqueKeysOf } from "./constraints";
import { evaluate, truth } from "./evaluateExpression";
import { runQuery } from "./evaluateQuery";
import { NotExecutable } from "./failure";
import type { Environment, Frame } from "./frame";
import { findTable, type DerivedRow, type TableRows } from "./row";
import { renderValue, type SqlValue } from "./value";

/**
 * Throws NotExecutable when rows share a unique key or violate a CHECK. Foreign keys are not looked at: a witness
 * leaves out parents that nothing touches.
 */
export function requireValidRows(schema: Schema, tables: ReadonlyMap<string, TableRows>): void {
  for (const [name, rows] of tables) {
    const table = findTable(schema, name);
    requireKeys(table, rows, schema);
    for (const row of rows) requireChecks(table, row.values, schema);
  }
}

function requireKeys(table: Table, rows: TableRows, schema: Schema): void {
  for (const key of uniqueKeysOf(table)) {
    const seen = new Set<string>();
    for (const { values } of rows) {
      if (key.columns.some((column) => (values[column] ?? null) === null)) continue;
      if (
        key.where !== undefined &&
        truth(evaluate(key.where, frameOf(table, values, schema))) !== true
      )
        continue;
      const text = key.columns.map((column) => renderValue(values[column] ?? null)).join(",");
      if (seen.has(text))
        throw new NotExecutable(`two initial rows of ${table.name} have the key ${text}`);
      seen.add(text);
    }
  }
}

function requireChecks(
  table: Table,
  values: Readonly<Record<string, SqlValue>>,
  schema: Schema,
): void {
  for (const check of table.checks)
    if (truth(evaluate(check, frameOf(table, values, schema))) === false)
      throw new NotExecutable(`an initial row of ${table.name} violates a CHECK`);
}

const NOBODY: Environment = {
  instance: "",
  parameters: {},
  variables: {},
  results: {},
  affected: {},
  loops: {},
  fresh: () => null,
};

function frameOf(table: Table, values: Readonly<Record<string, SqlValue>>, schema: Schema): Frame {
  const row: DerivedRow = { kind: "derived", values };
  return {
    environment: NOBODY,
    runQuery,
    schema,
    scope: {
      binding: { [table.name]: row },
      group: undefined,
      excluded: undefined,
      outer: undefined,
    },
    tables: undefined,
    acting: undefined,
    recorder: undefined,
    once: undefined,
  };
}

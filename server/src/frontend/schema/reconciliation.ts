// Tables declared both by migrations and by an ORM schema. The migrations take precedence; deviations of the ORM's schema are noted there.
import type { Note } from "../../program/program";
import type { Dialect } from "../../program/dialect";
import { renameInTable } from "../../program/renameTables";
import type { Table } from "../../program/schema";
import { plainName, relationName } from "../sql/relationNames";

export interface Reconciliation {
  readonly tables: readonly Table[];
  readonly notes: readonly Note[];
}

/** The merged tables: keys, checks and defaults of the migrations, columns that only the ORM has, and tables of either. */
export function reconcile(
  migrated: readonly Table[],
  declared: readonly Table[],
  dialect: Dialect,
): Reconciliation {
  const modelled = asMigrated(declared, migrated, dialect);
  const models = new Map(modelled.map((table) => [table.name, table] as const));
  const known = new Set(migrated.map(({ name }) => name));
  const notes: Note[] = [];
  const both = migrated.map((table) => {
    const model = models.get(table.name);
    if (model === undefined) return table;
    const added = model.columns.filter(
      ({ name }) => !table.columns.some((column) => column.name === name),
    );
    const { source } = model;
    const differences = [
      ...keyDifferences(table, model),
      ...added.map(({ name }) => `no migration adds the column ${name}, which is taken from here`),
    ];
    if (source !== undefined) {
      for (const difference of differences) {
        const message = `${table.name}: ${difference}.`;
        notes.push({ severity: "warning", code: "schema-drift", message, source });
      }
    }
    return added.length === 0 ? table : { ...table, columns: [...table.columns, ...added] };
  });
  return { tables: [...both, ...modelled.filter(({ name }) => !known.has(name))], notes };
}

/** The modelled tables under the names that the migrations' tables of their schemas have. */
function asMigrated(
  modelled: readonly Table[],
  migrated: readonly Table[],
  dialect: Dialect,
): readonly Table[] {
  const byName = new Map(migrated.map((each) => [each.name, each] as const));
  const names = new Map<string, string>();
  for (const { name, schema } of modelled) {
    if (schema === undefined) continue;
    const written = { name: plainName({ name, schema }), schema };
    const own = relationName(written, { dialect, table: (each) => byName.get(each) });
    if (own !== name && (byName.has(own) || byName.has(name))) names.set(name, own);
  }
  if (names.size === 0) return modelled;
  return modelled.map((each) => renameInTable(each, (name) => names.get(name) ?? name));
}

function keyDifferences(table: Table, model: Table): readonly string[] {
  const found: string[] = [];
  if (!sameColumns(table.primaryKey, model.primaryKey)) {
    found.push(
      `the primary key is ${listed(model.primaryKey)} here and ${listed(table.primaryKey)} in the migrations, which count`,
    );
  }
  for (const { columns } of model.uniqueKeys) {
    const isKept =
      sameColumns(columns, table.primaryKey) ||
      table.uniqueKeys.some((key) => key.where === undefined && sameColumns(key.columns, columns));
    if (!isKept) {
      found.push(
        `${listed(columns)} is unique here, but no migration makes it so; it is taken not to be`,
      );
    }
  }
  return found;
}

function sameColumns(left: readonly string[], right: readonly string[]): boolean {
  return [...left].sort().join("\0") === [...right].sort().join("\0");
}

function listed(columns: readonly string[]): string {
  return columns.length === 0 ? "nothing" : `(${columns.join(", ")})`;
}

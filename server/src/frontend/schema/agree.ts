// Tables that both migrations and the schema of an ORM declare. What the migrations did to the database counts; where
// the ORM's schema says something else, that is noted there.
import type { Note } from "../../program/program";
import type { Table } from "../../program/schema";

export interface Agreement {
  readonly tables: readonly Table[];
  readonly notes: readonly Note[];
}

/**
 * The tables of both: keys, checks and defaults as the migrations say, columns that no migration adds as the ORM says,
 * and tables that only one of them has.
 */
export function reconcile(migrated: readonly Table[], modelled: readonly Table[]): Agreement {
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

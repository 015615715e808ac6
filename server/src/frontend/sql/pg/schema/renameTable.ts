// Other names and schemas for tables, with all that refers to them.
import type { Table } from "../../../../program/schema";
import { nameOfNew, plainName, type NamedTables, type WrittenName } from "../../relationNames";
import { moveTriggers } from "../triggers/triggerDefinitions";
import { movePolicies } from "./policies";
import type { State } from "./schemaState";

/** Gives a table another name, with all that refers to it. */
export function renameTable(from: string, to: string, state: State): void {
  if (from === to) return;
  moveTriggers(from, to, state.triggers);
  movePolicies(from, to, state.policies);
  const table = state.tables.get(from);
  state.tables.delete(from);
  if (table) state.tables.set(to, renameProperty({ ...table, name: to }, "relation", from, to));
  for (const [name, each] of state.tables) {
    if (each.foreignKeys.every((key) => key.table !== from)) continue;
    const foreignKeys = each.foreignKeys.map((key) =>
      key.table === from ? { ...key, table: to } : key,
    );
    state.tables.set(name, { ...each, foreignKeys });
  }
}

/** The name of a table that is defined. */
export function nameOfDefined(written: WrittenName, state: State): string {
  return nameOfNew(written, renaming(state), "postgres");
}

/** The name of a table where it gets another one or another schema. */
export function nameOfMoved({ name }: Table, written: WrittenName, state: State): string {
  const { known, ...rest } = renaming(state);
  const others: NamedTables["known"] = (each) => (each === name ? undefined : known(each));
  return nameOfNew(written, { known: others, ...rest }, "postgres");
}

function renaming(state: State): NamedTables {
  const rename = (from: string, to: string): void => {
    renameTable(from, to, state);
  };
  const { tables, views, shared } = state;
  return { known: (name) => tables.get(name) ?? views.get(name), shared, rename };
}

/** ALTER TABLE ... SET SCHEMA. */
export function moveTable(table: Table, schema: string, state: State): void {
  const own = nameOfMoved(table, { name: plainName(table), schema }, state);
  renameTable(table.name, own, state);
  state.tables.set(own, { ...(state.tables.get(own) ?? table), schema });
}

/** ALTER SCHEMA ... RENAME TO. */
export function renameSchema(from: string, to: string, state: State): void {
  for (const table of [...state.tables.values()])
    if (table.schema === from) moveTable(table, to, state);
}

/** A copy in which that property is renamed wherever it has that value. */
export function renameProperty<Part>(part: Part, property: string, from: string, to: string): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => renameProperty(each, property, from, to)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    return [
      key,
      key === property && value === from ? to : renameProperty(value, property, from, to),
    ] as const;
  });
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}

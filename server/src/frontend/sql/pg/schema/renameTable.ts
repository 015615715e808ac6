// Other names and schemas for tables, with all that refers to them.
import type { Table } from "../../../../program/schema";
import { goesBySchema, homeOf, qualifiedName } from "../relationNames";
import { moveTriggers } from "../triggers/triggerDefinitions";
import { movePolicies } from "./policies";
import type { State } from "./schemaState";

/** Gives a table another name, with all that refers to it. */
export function renameTable(from: string, to: string, state: State): void {
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

/** ALTER TABLE ... SET SCHEMA. */
export function moveTable(table: Table, schema: string, state: State): void {
  const name = plainName(table);
  const isTaken = name !== table.name && state.tables.has(name);
  const own = isTaken ? qualifiedName(schema, name) : name;
  renameTable(table.name, own, state);
  state.tables.set(own, { ...(state.tables.get(own) ?? table), schema });
}

/** ALTER SCHEMA ... RENAME TO. */
export function renameSchema(from: string, to: string, state: State): void {
  for (const table of [...state.tables.values()])
    if (table.schema === from) moveTable(table, to, state);
}

function plainName(table: Table): string {
  return goesBySchema(table)
    ? table.name.slice(qualifiedName(homeOf(table), "").length)
    : table.name;
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

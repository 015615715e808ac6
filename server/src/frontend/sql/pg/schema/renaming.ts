// Other names for tables and their columns, with all that refers to them.
import { moveTriggers } from "../triggers/triggerDefinitions";
import { movePolicies } from "./policies";
import type { State } from "./schemaState";

/** Gives a table another name, with all that refers to it. */
export function renameTable(from: string, to: string, state: State): void {
  moveTriggers(from, to, state.triggers);
  movePolicies(from, to, state.policies);
  const schema = state.schemas.get(from);
  if (schema !== undefined) state.schemas.set(to, schema);
  state.schemas.delete(from);
  const table = state.tables.get(from);
  state.tables.delete(from);
  if (table) state.tables.set(to, renamed({ ...table, name: to }, "relation", from, to));
  for (const [name, each] of state.tables) {
    if (each.foreignKeys.every((key) => key.table !== from)) continue;
    const foreignKeys = each.foreignKeys.map((key) =>
      key.table === from ? { ...key, table: to } : key,
    );
    state.tables.set(name, { ...each, foreignKeys });
  }
}

/** A copy in which that property is renamed wherever it has that value. */
export function renamed<Part>(part: Part, property: string, from: string, to: string): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => renamed(each, property, from, to)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    return [
      key,
      key === property && value === from ? to : renamed(value, property, from, to),
    ] as const;
  });
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}

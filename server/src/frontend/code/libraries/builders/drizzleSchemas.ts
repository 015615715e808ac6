// Schemas that the relational queries of Drizzle's clients name, where a client was handed on and only its making
// tells.
import type { HandleValue } from "../../values";
import type { Tools } from "../library";
import { DRIZZLE_CLIENTS } from "./drizzleCasing";
import { isTable } from "./drizzleTables";

/** The table that a schema given to any client of the workspace has under that name; undefined where none does. */
export function schemaTable(key: string, tools: Tools): HandleValue | undefined {
  for (const { file, arguments: given } of tools.declared(DRIZZLE_CLIENTS)) {
    const top = tools.top(file);
    for (const each of given) {
      if (each.kind !== "object" || !top) continue;
      for (const entry of each.entries) {
        if (entry.kind !== "property" || entry.key !== "schema") continue;
        const table = tools.member(tools.evaluate(entry.value, top), key);
        if (table.kind === "handle" && isTable(table.data)) return table;
      }
    }
  }
  return undefined;
}

// SHOW CREATE, SHOW TRIGGERS and SHOW PROCEDURE STATUS of MySQL: what is kept as the text that made it.
import type { Catalog, Routine } from "../catalog";
import { failure } from "../sqlError";
import type { ShowRequest } from "../statementTree";
import { shownName } from "./spelling";
import { usualCollation } from "./typeText";

export interface ShownRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

interface Surroundings {
  readonly catalog: Catalog;
  readonly database: string;
  readonly user: string;
}

const MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";
/** All of them are as old as the server. */
const MADE = "2026-01-01 00:00:00";
const SETTINGS = ["character_set_client", "collation_connection", "Database Collation"];

function settingsOf({ dialect }: Catalog): readonly string[] {
  const collation = usualCollation(dialect);
  return ["utf8mb4", collation, collation];
}

/** The text that makes a view, a trigger or a routine. Fails where there is none of that name. */
export function createdObject(
  { what, name }: Extract<ShowRequest, { readonly kind: "create object" }>,
  { catalog, user }: Pick<Surroundings, "catalog" | "user">,
): ShownRows {
  const shown = shownName(catalog, name);
  const definer = `DEFINER=\`${user}\`@\`%\``;
  const settings = settingsOf(catalog);
  switch (what) {
    case "view": {
      const view = catalog.views.get(name);
      if (view === undefined) {
        throw catalog.tables.has(name)
          ? failure("wrongObject", `'${shown}' is not of type 'VIEW'`)
          : failure("noTable", `Table '${name}' doesn't exist`, { table: name });
      }
      const { text: written = "" } = view;
      const query = written.slice((/\bas\b/iu.exec(written)?.index ?? 0) + 2).trim();
      const text = `CREATE ALGORITHM=UNDEFINED ${definer} SQL SECURITY DEFINER VIEW \`${shown}\` AS ${query}`;
      return {
        columns: ["View", "Create View", ...SETTINGS.slice(0, 2)],
        rows: [[shown, text, ...settings.slice(0, 2)]],
      };
    }
    case "trigger": {
      const trigger = [...catalog.triggers.values()].flat().find((each) => each.name === name);
      if (trigger === undefined) throw failure("noTrigger", "Trigger does not exist");
      return {
        columns: ["Trigger", "sql_mode", "SQL Original Statement", ...SETTINGS, "Created"],
        rows: [[shown, MODE, madeBy(trigger.text, definer), ...settings, MADE]],
      };
    }
    case "procedure":
    case "function": {
      const routine = routinesOf(catalog, what).find((each) => each.name === name);
      const word = what === "procedure" ? "Procedure" : "Function";
      if (routine === undefined)
        throw failure("noFunction", `${word.toUpperCase()} ${name} does not exist`);
      return {
        columns: [word, "sql_mode", `Create ${word}`, ...SETTINGS],
        rows: [[shown, MODE, madeBy(routine.text, definer), ...settings]],
      };
    }
    default:
      return what satisfies never;
  }
}

/** The text with its definer. */
function madeBy(text = "", definer: string): string {
  const [, rest = ""] = /\b((?:procedure|function|trigger)\b[^]*)$/iu.exec(text) ?? [];
  return `CREATE ${definer} ${rest}`;
}

function routinesOf({ routines }: Catalog, what: "procedure" | "function"): readonly Routine[] {
  return [...routines.values()]
    .flat()
    .filter(({ isProcedure, isTrigger }) => isProcedure === (what === "procedure") && !isTrigger);
}

export function shownTriggers(
  catalog: Catalog,
  user: string,
  isWanted: (table: string) => boolean,
): ShownRows {
  const triggers = [...catalog.triggers.values()].flat();
  const body = (name: string): string => catalog.routines.get(name)?.[0]?.body ?? "";
  return {
    columns: [
      ...["Trigger", "Event", "Table", "Statement", "Timing", "Created", "sql_mode", "Definer"],
      ...SETTINGS,
    ],
    rows: triggers
      .filter(({ table }) => isWanted(table))
      .map(({ name, events, table, timing, routine }) => [
        ...[shownName(catalog, name), (events[0] ?? "").toUpperCase(), shownName(catalog, table)],
        ...[body(routine), timing.toUpperCase(), MADE, MODE, `${user}@%`, ...settingsOf(catalog)],
      ]),
  };
}

export function shownRoutines(
  what: "procedure" | "function",
  { catalog, database, user }: Surroundings,
  isWanted: (name: string) => boolean,
): ShownRows {
  return {
    columns: [
      ...["Db", "Name", "Type", "Definer", "Modified", "Created", "Security_type", "Comment"],
      ...SETTINGS,
    ],
    rows: routinesOf(catalog, what)
      .filter(({ name }) => isWanted(name))
      .map(({ name }) => [
        ...[database, shownName(catalog, name), what.toUpperCase(), `${user}@%`, MADE, MADE],
        ...["DEFINER", "", ...settingsOf(catalog)],
      ]),
  };
}

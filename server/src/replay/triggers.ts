// Triggers on a server: it runs them itself, so their effects must not be sent as well.
import { changedTable } from "../program/accessedTables";
import { readStoredRoutines } from "../frontend/sql/mysql/routines";
import type { ScannedFile } from "../frontend/sql/scanFile";
import { walkCommand } from "../frontend/sql/walk";
import type { Transaction } from "../program/program";

/** CREATE TRIGGER, and its table. */
const CREATES =
  /^\s*create\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\s.*?\son\s+(?:"?[\w$]+"?\s*\.\s*)?("[^"]+"|[\w$]+)/is;
const CHANGES = /^\s*alter\s+(?:trigger\s|table\s.*\s(?:enable|disable)\s.*\btrigger\s)/is;

/** True if the definition concerns a trigger, and so must follow its table and function. */
export function isAboutTrigger(sql: string): boolean {
  return CREATES.test(sql) || CHANGES.test(sql);
}

/** The tables with triggers. Linear in the definitions. */
export function tablesWithTriggers(files: readonly ScannedFile[]): ReadonlySet<string> {
  const stored = readStoredRoutines(files.filter(({ dialect }) => dialect !== "postgres"));
  const tables = files
    .filter(({ dialect }) => dialect === "postgres")
    .flatMap(({ lines, ddl }) =>
      ddl.map(({ start, end }) => CREATES.exec(lines.text.slice(start, end))?.[1]),
    )
    .filter((name) => name !== undefined);
  return new Set([
    ...tables.map((name) => (name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase())),
    ...stored.triggers.map(({ table }) => table),
  ]);
}

/** The reason why a transaction cannot be sent statement by statement: triggers run some of them. */
export function sendsTriggers(
  { body }: Transaction,
  tables: ReadonlySet<string>,
): string | undefined {
  const fired: string[] = [];
  walkCommand(body, {
    statement: (statement) => {
      const table = changedTable(statement);
      if (table !== undefined && tables.has(table)) fired.push(table);
    },
  });
  const [first] = fired;
  if (first === undefined) return undefined;
  return `the server itself runs the triggers of ${first}, within a statement, where a session cannot be stopped`;
}

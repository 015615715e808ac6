// Tables of a MySQL or MariaDB database as DDL, as SHOW CREATE tells them: keys, checks and references, triggers, routines.
import type { LiveSession } from "../../replay/servers/liveSession";
import type { Catalogue } from "./postgres";

/** Reads the session's own database. Throws the server's sentence where it refuses. */
export async function readMysqlCatalogue(session: LiveSession): Promise<Catalogue> {
  const rows = async (sql: string): Promise<readonly (readonly string[])[]> => {
    const result = await session.execute(sql);
    if (!result.ok) throw new Error(result.message);
    return result.rows.map((row) => Object.values(row).map(String));
  };
  const first = async (sql: string): Promise<readonly string[]> =>
    (await rows(sql)).map(([value = ""]) => value);
  const tables = await first(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY table_name",
  );
  const created: string[] = [];
  for (const table of tables) {
    const [row] = await rows(`SHOW CREATE TABLE ${quoted(table)}`);
    // Where the next key stands is no part of the table.
    created.push((row?.[1] ?? "").replace(/ AUTO_INCREMENT=\d+/, ""));
  }
  const routines: string[] = [];
  for (const [name = "", kind = ""] of await rows(
    "SELECT routine_name, routine_type FROM information_schema.routines WHERE routine_schema = DATABASE() ORDER BY routine_name",
  )) {
    const [row] = await rows(`SHOW CREATE ${kind} ${quoted(name)}`);
    routines.push(row?.[2] ?? "");
  }
  for (const name of await first(
    "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE() ORDER BY event_object_table, trigger_name",
  )) {
    const [row] = await rows(`SHOW CREATE TRIGGER ${quoted(name)}`);
    routines.push(row?.[2] ?? "");
  }
  const level = await first("SELECT @@transaction_isolation").catch(() =>
    first("SELECT @@tx_isolation"),
  );
  return {
    statements: [
      ...orderedByReferences(created, tables),
      ...routines.filter((each) => each !== ""),
    ],
    tables,
    ...(level[0] !== undefined && { level: level[0].replaceAll("-", " ").toLowerCase() }),
  };
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** Tables behind those that they refer to, as far as no circle of references forbids it. */
function orderedByReferences(
  created: readonly string[],
  tables: readonly string[],
): readonly string[] {
  const left = tables.map((table, at) => ({ table, sql: created[at] ?? "" }));
  const done: string[] = [];
  const made = new Set<string>();
  while (left.length > 0) {
    const at = left.findIndex(({ table, sql }) =>
      [...sql.matchAll(/REFERENCES `([^`]+)`/g)].every(
        ([, other = ""]) => other === table || made.has(other),
      ),
    );
    const [next] = left.splice(Math.max(0, at), 1);
    if (next === undefined) break;
    made.add(next.table);
    done.push(next.sql);
  }
  return done;
}

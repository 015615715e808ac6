// A schema of its own on a server: the workspace's tables and routines in it, the witness' rows, and what is in the
// tables at the end. It is dropped whatever happens.
import type { ValueType } from "../program/expression";
import type { Schema, Table } from "../program/schema";
import type { Row, Value } from "../protocol/witness";
import { literal, quoteName } from "./literal";
import type { LiveServer, LiveSession } from "./servers/liveServer";

/** What a server refused, with the statement that it refused. */
export class Refused extends Error {
  constructor(
    readonly sql: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface Stage {
  readonly schema: string;
  readonly admin: LiveSession;
  /** A session whose names are looked up in the schema. */
  open(): Promise<LiveSession>;
  /** Empties all tables and puts these rows into them. */
  reset(initial: Readonly<Record<string, readonly Row[]>>): Promise<void>;
  /** All rows of these tables as text, in an order of their own. */
  contents(tables: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Drops the schema and closes the sessions. */
  close(): Promise<void>;
}

/** Creates the schema and runs the definitions in it. Throws `Refused`, and leaves nothing behind then. */
export async function openStage(
  server: LiveServer,
  name: string,
  tables: Schema,
  definitions: readonly string[],
): Promise<Stage> {
  const admin = await server.open();
  const sessions: LiveSession[] = [admin];
  await must(admin, `CREATE SCHEMA ${name}`);

  async function close(): Promise<void> {
    await admin.execute("ROLLBACK");
    await must(admin, `DROP SCHEMA ${name} CASCADE`);
    for (const session of sessions) await session.close();
  }

  try {
    await must(admin, `SET search_path = ${name}, pg_catalog`);
    for (const definition of definitions) await must(admin, definition);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    schema: name,
    admin,
    async open() {
      const session = await server.open();
      sessions.push(session);
      await must(session, `SET search_path = ${name}, pg_catalog`);
      return session;
    },
    async reset(initial) {
      const all = inInsertOrder(tables);
      if (all.length > 0) {
        const names = all.map((table) => quoteName(table.name)).join(", ");
        await must(admin, `TRUNCATE ${names} RESTART IDENTITY CASCADE`);
      }
      for (const table of all) {
        const rows = initial[table.name] ?? [];
        for (const row of rows) await must(admin, insertText(table, row));
        if (rows.length > 0) await pushSequences(admin, table);
      }
    },
    async contents(asked) {
      const found = new Map<string, readonly string[]>();
      for (const table of asked) {
        const rows = await must(
          admin,
          `SELECT to_jsonb(r)::text AS row FROM ${quoteName(table)} r`,
        );
        found.set(table, rows.map((row) => String(row["row"])).sort());
      }
      return found;
    },
    close,
  };
}

/** Executes, or throws `Refused`. */
export async function must(session: LiveSession, sql: string): Promise<readonly Row[]> {
  const result = await session.execute(sql);
  if (!result.ok) throw new Refused(sql, result.code, result.message);
  return result.rows;
}

function insertText(table: Table, row: Row): string {
  const values = [...Object.entries(row), ...fillers(table, row)];
  const columns = values.map(([column]) => quoteName(column)).join(", ");
  const literals = values.map(([, value]) => literal(value)).join(", ");
  return `INSERT INTO ${quoteName(table.name)} (${columns}) OVERRIDING SYSTEM VALUE VALUES (${literals})`;
}

/** Values for columns that the witness does not speak of and that may not be NULL. */
function fillers(table: Table, row: Row): readonly (readonly [string, Value])[] {
  return table.columns
    .filter(({ name, nullable, default: given }) => !nullable && !given && !(name in row))
    .map(({ name, type }) => [name, FILLERS[type]]);
}

const FILLERS: Readonly<Record<ValueType, Value>> = {
  int: 0,
  decimal: 0,
  text: "",
  bool: false,
  time: "2000-01-01",
  json: "{}",
  bytes: "",
  other: "",
};

/** Rows were inserted with their numbers; the next number is behind them. */
async function pushSequences(admin: LiveSession, table: Table): Promise<void> {
  for (const { name } of table.columns) {
    const [found] = await must(
      admin,
      `SELECT pg_get_serial_sequence(${literal(quoteName(table.name))}, ${literal(name)}) AS sequence`,
    );
    const sequence = found?.["sequence"];
    if (typeof sequence !== "string") continue;
    const most = `SELECT max(${quoteName(name)}) FROM ${quoteName(table.name)}`;
    await must(admin, `SELECT setval(${literal(sequence)}, greatest(1, (${most})))`);
  }
}

/** Tables behind those that their foreign keys name. */
function inInsertOrder({ tables }: Schema): readonly Table[] {
  const ordered: Table[] = [];
  const visit = (table: Table, above: readonly Table[]): void => {
    if (ordered.includes(table) || above.includes(table)) return;
    for (const key of table.foreignKeys) {
      const target = tables.find(({ name }) => name === key.table);
      if (target) visit(target, [...above, table]);
    }
    ordered.push(table);
  };
  for (const table of tables) visit(table, []);
  return ordered;
}

// A separate schema on a server: the workspace's tables and routines, the witness's rows, and the final contents. It belongs to a separate
// user: the administrator executes nothing that could contain workspace texts. Both are always dropped.
import type { Schema, Table } from "../program/schema";
import type { Row, Value } from "../protocol/witness";
import { completeRows } from "./initialRows";
import { literal, quoteName } from "./literal";
import type { Actor } from "./servers/actor";
import type { LiveServer } from "./servers/liveServer";
import type { LiveSession } from "./servers/liveSession";

/** A refusal by the server, with the refused statement. */
export class ServerRefusal extends Error {
  constructor(
    readonly sql: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface Stage {
  /** Opens a session with the schema as search path. */
  open(): Promise<LiveSession>;
  /** Empties all tables and inserts these rows. */
  reset(initial: Readonly<Record<string, readonly Row[]>>): Promise<void>;
  /** All rows of these tables as JSON texts, in a fixed order. */
  contents(tables: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Ends the sessions, even busy ones, and drops the schema. */
  close(): Promise<void>;
}

/** Product-specific syntax. */
interface Words {
  readonly create: (name: string) => readonly string[];
  readonly drop: (name: string) => string;
  readonly createMissing: (name: string) => readonly string[];
  readonly enter: (names: readonly string[]) => readonly string[];
  readonly quote: (name: string) => string;
  readonly value: (value: Value) => string;
  readonly empty: (tables: readonly string[]) => readonly string[];
  /** The text between the columns and VALUES. */
  readonly overriding: string;
  readonly restart: (owner: LiveSession, table: Table) => Promise<void>;
  readonly rows: (table: string) => string;
  /** Selects the statements that drop all triggers. */
  readonly dropTriggers: string;
}

export interface StageContent {
  readonly tables: Schema;
  readonly definitions: readonly string[];
  /** Definitions of triggers, which do not run for the rows of the witness. */
  readonly triggers: readonly string[];
  /** Schemas that definitions name, on a dedicated server; undefined on any other server. */
  readonly own: readonly string[] | undefined;
}

/** Creates the schema and runs the definitions in it. Throws `ServerRefusal`, leaving nothing behind. */
export async function openStage(
  server: LiveServer,
  name: string,
  { tables, definitions, triggers, own }: StageContent,
): Promise<Stage> {
  const words = WORDS[server.product];
  const schemas = [name, ...(own ?? [])];
  const admin = await server.open();
  const sessions: LiveSession[] = [];
  const created: string[] = [];
  let actor: Actor | undefined;

  async function close(): Promise<void> {
    try {
      for (const session of sessions) await server.kill(session);
      for (const each of created) await must(admin, words.drop(each));
    } finally {
      await actor?.drop();
      await admin.close();
    }
  }

  async function open(by: Actor): Promise<LiveSession> {
    const session = await by.open();
    sessions.push(session);
    for (const sql of words.enter(schemas)) await must(session, sql);
    return session;
  }

  async function make(): Promise<{ readonly by: Actor; readonly owner: LiveSession }> {
    for (const each of schemas) {
      const create = each === name ? words.create : words.createMissing;
      for (const sql of create(each)) await must(admin, sql);
      created.push(each);
    }
    const by = await server.actor(admin, name, schemas);
    actor = by;
    const owner = await open(by);
    for (const definition of definitions) await must(owner, definition);
    return { by, owner };
  }

  let made: Awaited<ReturnType<typeof make>>;
  try {
    made = await make();
  } catch (error) {
    await close();
    throw error;
  }
  const { by, owner } = made;
  return {
    open: () => open(by),
    async reset(initial) {
      const all = completeRows(tables, initial);
      if (triggers.length > 0) await dropTriggers(words, owner);
      for (const sql of words.empty(all.map(({ table }) => words.quote(table.name))))
        await must(owner, sql);
      for (const { table, rows } of all) {
        for (const row of rows) await must(owner, insertText(words, table, row));
        if (rows.length > 0) await words.restart(owner, table);
      }
      for (const trigger of triggers) await must(owner, trigger);
    },
    async contents(asked) {
      const found = new Map<string, readonly string[]>();
      for (const table of asked) {
        const rows = await must(owner, words.rows(words.quote(table)));
        const texts = rows.map((row) => ("isolens_row" in row ? row["isolens_row"] : row));
        const written = texts.map((each) =>
          typeof each === "string" ? each : JSON.stringify(each),
        );
        found.set(table, written.sort());
      }
      return found;
    },
    close,
  };
}

/** Executes, or throws `ServerRefusal`. */
export async function must(session: LiveSession, sql: string): Promise<readonly Row[]> {
  const result = await session.execute(sql);
  if (!result.ok) throw new ServerRefusal(sql, result.code, result.message);
  return result.rows;
}

const WORDS: Readonly<Record<LiveServer["product"], Words>> = {
  postgres: {
    create: (name) => [`CREATE SCHEMA ${name}`],
    drop: (name) => `DROP SCHEMA IF EXISTS ${name} CASCADE`,
    createMissing: (name) => [`CREATE SCHEMA IF NOT EXISTS ${name}`],
    enter: (names) => [
      `SET search_path = ${names.join(", ")}, pg_catalog`,
      "SET statement_timeout = '60s'",
    ],
    quote: quoteName,
    value: literal,
    empty: (tables) =>
      tables.length === 0 ? [] : [`TRUNCATE ${tables.join(", ")} RESTART IDENTITY CASCADE`],
    overriding: " OVERRIDING SYSTEM VALUE",
    restart: pushSequences,
    rows: (table) => `SELECT to_jsonb(r)::text AS isolens_row FROM ${table} r`,
    dropTriggers: `SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) AS sql
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND pg_has_role(c.relowner, 'USAGE')`,
  },
  mariadb: {
    create: (name) => [`CREATE DATABASE ${name}`],
    drop: (name) => `DROP DATABASE IF EXISTS ${name}`,
    createMissing: () => [],
    enter: ([name = ""]) => [
      `USE ${name}`,
      "SET SESSION innodb_lock_wait_timeout = 50",
      "SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')",
    ],
    quote: (name) => `\`${name.replaceAll("`", "``")}\``,
    value: (value) =>
      typeof value === "string"
        ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
        : literal(value),
    empty: (tables) => [
      "SET foreign_key_checks = 0",
      ...tables.map((table) => `TRUNCATE ${table}`),
      "SET foreign_key_checks = 1",
    ],
    overriding: "",
    restart: () => Promise.resolve(),
    rows: (table) => `SELECT * FROM ${table}`,
    dropTriggers: `SELECT CONCAT('DROP TRIGGER \`', REPLACE(trigger_name, '\`', '\`\`'), '\`') AS \`sql\`
      FROM information_schema.triggers WHERE trigger_schema = DATABASE()`,
  },
};

async function dropTriggers(words: Words, owner: LiveSession): Promise<void> {
  for (const { sql } of await must(owner, words.dropTriggers))
    if (typeof sql === "string") await must(owner, sql);
}

function insertText(words: Words, table: Table, row: Row): string {
  const values = Object.entries(row);
  const columns = values.map(([column]) => words.quote(column)).join(", ");
  const literals = values.map(([, value]) => words.value(value)).join(", ");
  return `INSERT INTO ${words.quote(table.name)} (${columns})${words.overriding} VALUES (${literals})`;
}

/** Rows were inserted with explicit numbers; sequences continue after them. */
async function pushSequences(owner: LiveSession, table: Table): Promise<void> {
  for (const { name } of table.columns) {
    const [found] = await must(
      owner,
      `SELECT pg_get_serial_sequence(${literal(quoteName(table.name))}, ${literal(name)}) AS sequence`,
    );
    const sequence = found?.["sequence"];
    if (typeof sequence !== "string") continue;
    const most = `SELECT max(${quoteName(name)}) FROM ${quoteName(table.name)}`;
    await must(owner, `SELECT setval(${literal(sequence)}, greatest(1, (${most})))`);
  }
}

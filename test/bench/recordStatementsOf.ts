// One file of programs, run function by function; a part of `recordStatements.ts`, which starts it. Every connection of
// the process is led to the server's socket, and what is written to it is read as the protocol's messages.
import { readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createFrontendReader } from "../../server/src/mock/postgres/frontendMessages";
import { ownEntry, setEntry } from "../../server/src/protocol/dictionary";

/** A statement that a client sent, with its parameters; `on` numbers the connections of a run. */
interface Sent {
  readonly on: number;
  readonly text: string;
  readonly values?: readonly unknown[];
}

type Rows = Readonly<Record<string, readonly Row[]>>;

type Row = Readonly<Record<string, unknown>>;

/** The parts of the clients that are used, which are not among our own packages. */
interface Pg {
  readonly Client: new (url: string | undefined) => {
    readonly connect: () => Promise<void>;
    readonly query: (sql: string) => Promise<{ readonly rows: readonly Row[] }>;
  };
}

interface Mysql {
  readonly Connection: { readonly prototype: object };
  readonly format: (sql: string, values: unknown) => string;
}

interface MysqlPromise {
  readonly createConnection: (options: object) => Promise<{
    readonly query: (sql: string) => Promise<readonly [unknown]>;
  }>;
}

interface Admin {
  readonly run: (sql: string) => Promise<readonly Row[]>;
}

const [file = "", result = "", data = ""] = process.argv.slice(2);
const product = process.env["RECORD_PRODUCT"] ?? "";
const socketPath = process.env["RECORD_SOCKET"] ?? "";
const isPostgres = product === "postgres";
/** Numbers of new rows start here, so that they can be told from all others. */
const FIRST_NUMBER = 1000;
let log: Sent[] = [];
/** The administrator's own statements are not among those of the program. */
let isWatching = false;
const connections = new Map<object, number>();

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

async function main(): Promise<void> {
  watchSockets();
  const load = createRequire(file);
  if (!isPostgres) watchMysql(load("mysql2") as Mysql);
  const admin = await (isPostgres
    ? postgresAdmin(load("pg") as Pg)
    : mysqlAdmin(load("mysql2/promise") as MysqlPromise));
  const initial = JSON.parse(readFileSync(path.join(data, "rows.json"), "utf8")) as Rows;
  const ddl = readFileSync(path.join(data, isPostgres ? "tables.sql" : "tables.mysql.sql"), "utf8");
  await reset(admin, ddl, initial);
  const program = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  const exported = { ...program, ...(program["default"] as object | undefined) };
  await call(exported["connect"], []);
  const runs: unknown[] = [];
  for (const { name, values } of runsOf(readFileSync(file, "utf8"))) {
    await reset(admin, ddl, initial);
    log = [];
    connections.clear();
    isWatching = true;
    const outcome = await call(ownEntry(exported, name), values);
    isWatching = false;
    const rows: Record<string, unknown> = {};
    for (const table of Object.keys(initial)) {
      const left = await admin.run(`SELECT * FROM ${quoted(table)} ORDER BY 1, 2`);
      if (!isDeepStrictEqual(sorted(left), sorted(ownEntry(initial, table) ?? [])))
        setEntry(rows, table, left);
    }
    runs.push({ name, arguments: values, statements: log, ...outcome, rows });
  }
  writeFileSync(result, JSON.stringify(runs));
}

/** `// run 1, "a"` before a function, as often as it is to be run. */
function runsOf(text: string): readonly { name: string; values: readonly unknown[] }[] {
  const found: { name: string; values: readonly unknown[] }[] = [];
  let waiting: (readonly unknown[])[] = [];
  for (const line of text.split("\n")) {
    const [, values] = /^\s*\/\/ run\b(.*)$/.exec(line) ?? [];
    if (values !== undefined) waiting.push(JSON.parse(`[${values}]`) as readonly unknown[]);
    const name = /^export (?:default )?(?:async )?function (\w+)|^export const (\w+)/.exec(line);
    if (name === null) continue;
    found.push(...waiting.map((each) => ({ name: name[1] ?? name[2] ?? "", values: each })));
    waiting = [];
  }
  return found;
}

async function call(
  callee: unknown,
  values: readonly unknown[],
): Promise<{ readonly returned?: unknown; readonly thrown?: string }> {
  if (typeof callee !== "function") return {};
  try {
    const returned: unknown = await (callee as (...args: unknown[]) => unknown)(...values);
    return returned === undefined ? {} : { returned };
  } catch (problem) {
    return { thrown: problem instanceof Error ? problem.message : String(problem) };
  }
}

function quoted(name: string): string {
  return isPostgres ? `"${name}"` : `\`${name}\``;
}

async function reset(admin: Admin, ddl: string, initial: Rows): Promise<void> {
  const tables = Object.keys(initial);
  for (const table of [...tables].reverse()) {
    await admin.run(`DROP TABLE IF EXISTS ${quoted(table)}${isPostgres ? " CASCADE" : ""}`);
  }
  for (const each of ddl.split(/;\s*$/m).filter((part) => part.trim() !== ""))
    await admin.run(each);
  for (const [table, rows] of Object.entries(initial)) {
    for (const row of rows) {
      const values = Object.values(row).map((value) =>
        typeof value === "string" ? `'${value}'` : String(value),
      );
      const columns = Object.keys(row).map(quoted).join(", ");
      await admin.run(`INSERT INTO ${quoted(table)} (${columns}) VALUES (${values.join(", ")})`);
    }
    if (rows[0]?.["id"] === undefined) continue;
    const first = String(FIRST_NUMBER);
    await admin.run(
      isPostgres
        ? `ALTER SEQUENCE ${table}_id_seq RESTART WITH ${first}`
        : `ALTER TABLE ${quoted(table)} AUTO_INCREMENT = ${first}`,
    );
  }
}

function sorted(rows: readonly object[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

/** The number of a connection in this run. */
function numberOf(connection: object): number {
  const known = connections.get(connection) ?? connections.size + 1;
  connections.set(connection, known);
  return known;
}

function keep(connection: object, text: string, values: readonly unknown[]): void {
  if (!isWatching) return;
  const on = numberOf(connection);
  log.push({ on, text, ...(values.length > 0 && { values }) });
}

/** Every socket goes to the server; what is written there is read as messages of PostgreSQL's clients. */
function watchSockets(): void {
  const { connect, write } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    // `net.connect` hands its arguments on as one list.
    const given = args.flat();
    const listener = given.findLast((each) => typeof each === "function") as
      (() => void) | undefined;
    const options: net.IpcSocketConnectOpts = { path: socketPath };
    return (connect as (...args: unknown[]) => net.Socket).call(this, options, listener);
    // The overloads of `connect` are one function.
  };
  if (!isPostgres) return;
  const readers = new WeakMap<net.Socket, (chunk: Buffer) => void>();
  net.Socket.prototype.write = function (this: net.Socket, ...args: unknown[]): boolean {
    const [chunk] = args;
    if (this.remoteAddress === undefined && !(this instanceof Object && "fd" in this)) {
      let read = readers.get(this);
      if (!read) readers.set(this, (read = readerOf(this)));
      if (Buffer.isBuffer(chunk)) read(chunk);
      else if (typeof chunk === "string") read(Buffer.from(chunk));
    }
    return (write as (...args: unknown[]) => boolean).apply(this, args);
    // The overloads of `write` are one function.
  };
}

function readerOf(socket: net.Socket): (chunk: Buffer) => void {
  const reader = createFrontendReader(2 ** 24);
  const prepared = new Map<string, string>();
  return (chunk) => {
    for (const message of reader.read(chunk)) {
      if (message.kind === "query") keep(socket, message.sql, []);
      if (message.kind === "parse") prepared.set(message.name, message.sql);
      if (message.kind === "bind") {
        const values = message.parameters.map(({ bytes }) => bytes?.toString("utf8") ?? null);
        keep(socket, prepared.get(message.statement) ?? "", values);
      }
    }
  };
}

/** mysql2's connections, below its pools and promises. */
function watchMysql(mysql: Mysql): void {
  for (const method of ["query", "execute"]) {
    let owner = mysql.Connection.prototype;
    while (!Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object;
    const methods = owner as Record<string, (...args: unknown[]) => unknown>;
    const original = ownEntry(methods, method);
    setEntry(methods, method, function (this: object, ...args: unknown[]): unknown {
      const [first, second] = args;
      const given = first as string | { readonly sql: string; readonly values?: unknown };
      const own = typeof given === "string" ? undefined : given.values;
      const values = own ?? (typeof second === "function" ? [] : second) ?? [];
      const text = typeof given === "string" ? given : given.sql;
      if (method === "query") keep(this, mysql.format(text, values), []);
      else keep(this, ...positional(text, values));
      return original?.apply(this, args);
    });
  }
}

/** Named placeholders of a statement that is prepared as the server gets them. */
function positional(text: string, values: unknown): [string, readonly unknown[]] {
  if (Array.isArray(values)) return [text, values];
  const list: unknown[] = [];
  const sql = text.replace(/:(\w+)/g, (_, name: string) => {
    list.push(ownEntry(values as Readonly<Record<string, unknown>>, name));
    return "?";
  });
  return [sql, list];
}

async function postgresAdmin(pg: Pg): Promise<Admin> {
  const client = new pg.Client(process.env["DATABASE_URL"]);
  await client.connect();
  return { run: async (sql) => (await client.query(sql)).rows };
}

async function mysqlAdmin(mysql: MysqlPromise): Promise<Admin> {
  const client = await mysql.createConnection({ host: "localhost", user: "root" });
  await client.query("CREATE DATABASE IF NOT EXISTS shop");
  await client.query("USE shop");
  return {
    run: async (sql) => {
      const [rows] = await client.query(sql);
      return Array.isArray(rows) ? (rows as readonly Row[]) : [];
    },
  };
}

// The servers that clients are run on: `isolens serve`, and a real one of the product on a port of this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import mysql from "mysql2/promise";
import pg from "pg";
import { startMariadb, startPostgres } from "../../server/src/replay/servers/temporary";
import type { Product } from "./clients";

export interface RunningServer {
  readonly port: number;
  /** Takes away what clients before have left. */
  reset?(): Promise<void>;
  stop(): Promise<void>;
}

const CLI = path.join(__dirname, "..", "..", "dist", "cli.js");
/** A server that is compared with MariaDB is told to be one. */
const OPTIONS: Readonly<Record<Product, readonly [string, string]>> = {
  postgres: ["postgres", "postgres:read-committed"],
  mysql: ["mariadb", "mariadb:repeatable-read"],
};

export interface MockSettings {
  /** The product's default if absent. */
  readonly level?: string;
  readonly further?: readonly string[];
  /** A folder for a profile of the processor's time. */
  readonly profile?: string;
}

/** `isolens serve`. Rejects when it ends before it listens. */
export async function startMock(
  product: Product,
  { level, further = [], profile }: MockSettings = {},
): Promise<RunningServer> {
  const [protocol, usual] = OPTIONS[product];
  const args = [
    ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]),
    CLI,
    "serve",
    ...["--protocol", protocol],
    ...["--level", level ?? usual],
    ...further,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /listening on 127\.0\.0\.1:(\d+)/u.exec(said);
      if (found) resolve(Number(found[1]));
    });
    child.once("exit", (code) => {
      reject(new Error(`isolens serve ended with ${String(code)}`));
    });
  });
  return {
    port,
    async stop() {
      child.removeAllListeners("exit");
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** `isolens record` in front of a server; its remarks on what it cannot decode are printed. */
export async function startRecording(product: Product, to: number): Promise<RunningServer> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-clients-"));
  const { user, password, host } = USER;
  const server = `${product}://${user}:${password}@${host}:${String(to)}/app`;
  const args = [CLI, "record", "--server", server, "--port", String(port), "--out", folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      const said = chunk.toString();
      if (said.includes("listening on")) resolve();
      else console.log(said.trimEnd());
    });
    child.once("exit", (code) => {
      reject(new Error(`isolens record ended with ${String(code)}`));
    });
  });
  return {
    port,
    async stop() {
      const ended = once(child, "exit");
      // The clients' answers are compared, and nothing is learnt.
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** A server of the product with the user and the database of the programs; undefined where none is installed. */
export async function startReal(product: Product): Promise<RunningServer | undefined> {
  const port = await freePort();
  const started =
    product === "postgres"
      ? await startPostgres(["max_connections=150", "timezone=UTC"], port)
      : await startMariadb(port);
  if (!started.ok) {
    if (started.installed) throw new Error(`${product} does not start: ${started.reason}`);
    return undefined;
  }
  const { temporary } = started;
  const { address } = temporary;
  if (product === "postgres") {
    const client = new pg.Client({
      host: "127.0.0.1",
      port,
      user: address.user,
      database: address.database,
    });
    await client.connect();
    await client.query("create role app superuser login password 'secret'");
    await client.query("create database app owner app");
    await client.end();
  } else {
    const client = await mysql.createConnection({
      socketPath: address.socket ?? "",
      user: address.user,
    });
    await client.query("create database app character set utf8mb4");
    await client.query("create user app@'127.0.0.1' identified by 'secret'");
    await client.query("create user app@localhost identified by 'secret'");
    await client.query("grant all on *.* to app@'127.0.0.1' with grant option");
    await client.query("grant all on *.* to app@localhost with grant option");
    await client.query("set global local_infile = 1");
    await client.query("set global max_connections = 200");
    await client.end();
  }
  return {
    port,
    async reset() {
      await (product === "postgres" ? emptyPostgres(port) : emptyMariadb(port));
    },
    stop: () => temporary.stop(),
  };
}

const USER = { host: "127.0.0.1", user: "app", password: "secret" } as const;

async function emptyPostgres(port: number): Promise<void> {
  const client = new pg.Client({ ...USER, port, database: "app" });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select quote_ident(nspname) as name from pg_namespace where nspname !~ '^(pg_|information_schema$)'",
  );
  for (const { name } of rows) await client.query(`drop schema ${name} cascade`);
  await client.query("create schema public");
  await client.end();
}

async function emptyMariadb(port: number): Promise<void> {
  const client = await mysql.createConnection({ ...USER, port });
  await client.query("drop database app");
  await client.query("create database app character set utf8mb4");
  await client.end();
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a port has no number");
  return address.port;
}

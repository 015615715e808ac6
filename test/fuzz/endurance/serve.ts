// Load on `serve`: transactions of several clients, and connections that say nothing or go in the middle of a word.
import net from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ChildProcess } from "node:child_process";
import pg from "pg";
import { randomOf } from "../servers/random";
import { openMemory } from "./memory";
import { printed, residentMegabytes, startBundle } from "./processes";

const SCHEMA = `CREATE TABLE account (id int PRIMARY KEY, balance int);
INSERT INTO account VALUES (1, 10), (2, 20), (3, 30);`;
const CLIENTS = 6;
/** Idle connections at a time: a process may open some thousand files at the most. */
const AT_A_TIME = 400;

async function withServe<T>(body: (port: number, child: ChildProcess) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-endurance-"));
  const schema = path.join(folder, "schema.sql");
  writeFileSync(schema, SCHEMA);
  const child = startBundle("cli.js", [
    ...["serve", "--protocol", "postgres", "--level", "postgres:read-committed"],
    ...["--schema", schema, "--lock-timeout", "1"],
  ]);
  try {
    const port = Number(await printed(child, /127\.0\.0\.1:(\d+)/));
    return await body(port, child);
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function connect(port: number): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "a", database: "b" });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Transactions of several clients at once. Gives whether memory stayed flat. */
export function endureLoad(minutes: number, seed: number): Promise<boolean> {
  return withServe(async (port, child) => {
    const memory = openMemory("serve", minutes, () => residentMegabytes(child));
    const end = Date.now() + minutes * 60_000;
    let transactions = 0;
    let failed = 0;
    const worker = async (number: number): Promise<void> => {
      const random = randomOf(seed + number);
      const client = await connect(port);
      while (Date.now() < end) {
        const id = 1 + random.below(3);
        try {
          await client.query("BEGIN");
          await client.query("SELECT balance FROM account WHERE id = $1", [id]);
          await client.query("UPDATE account SET balance = balance + 1 WHERE id = $1", [id]);
          await client.query(random.chance(0.1) ? "ROLLBACK" : "COMMIT");
          transactions += 1;
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) throw error;
          failed += 1;
          await client.query("ROLLBACK");
        }
        memory.look(() => `${String(transactions)} transactions, ${String(failed)} refused`);
      }
      await client.end();
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, at) => worker(at)));
    return memory.isFlat();
  });
}

/** Connections that are idle or go abruptly. Gives whether another client is served all the while, and memory stays flat. */
export function endureConnections(count: number, seed: number): Promise<boolean> {
  return withServe(async (port, child) => {
    const random = randomOf(seed);
    const healthy = await connect(port);
    const figures: number[] = [];
    for (let done = 0; done < count; done += AT_A_TIME) {
      const sockets = Array.from({ length: Math.min(AT_A_TIME, count - done) }, () => {
        const socket = net.connect(port, "127.0.0.1");
        socket.on("error", () => undefined);
        // Some say nothing, some the half of a message, some who they are and then nothing.
        const words = random.below(3);
        if (words > 0) socket.write(words === 1 ? Buffer.from([0, 0, 1]) : STARTUP);
        return socket;
      });
      await Promise.all(
        sockets.map(
          (socket) =>
            new Promise((resolve) => socket.once("connect", resolve).once("error", resolve)),
        ),
      );
      const { rows } = await healthy.query("SELECT balance FROM account WHERE id = 1");
      if (rows.length !== 1) return false;
      for (const socket of sockets) if (random.chance(0.5)) socket.resetAndDestroy();
      for (const socket of sockets) socket.destroy();
      figures.push(residentMegabytes(child) ?? 0);
      if (figures.length % 5 === 0)
        console.log(
          `connections: ${String(figures.at(-1))} MB, ${String(done + sockets.length)} connections`,
        );
    }
    await healthy.end();
    const half = figures[Math.floor(figures.length / 2)] ?? 0;
    return (figures.at(-1) ?? 0) <= half + 40;
  });
}

const STARTUP = ((): Buffer => {
  const body = Buffer.from(
    "\u0000\u0003\u0000\u0000user\u0000a\u0000database\u0000b\u0000\u0000",
    "latin1",
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
})();

// The proxy in front of the product's own servers: clients get what they get without it, and every statement is told with
// its arguments and rows.
import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";
import type { Protocol, StatementEvent } from "../../../server/src/record/events";
import { startProxy, type ProxyOptions } from "../../../server/src/record/proxy/proxy";
import { decodingWatch } from "../../../server/src/record/proxy/watch";

const SCHEMA = `CREATE TABLE account (id int PRIMARY KEY, owner varchar(20), balance int);
INSERT INTO account VALUES (1, 'Ann', 10), (2, NULL, 20);`;

interface Recorded {
  readonly port: number;
  readonly direct: number;
  readonly events: readonly StatementEvent[];
  readonly remarks: readonly string[];
  close(): Promise<void>;
}

/** Watches that decode where the bytes pass. */
function decoding(
  protocol: Protocol,
  remarks: string[],
  events: StatementEvent[] = [],
): Pick<ProxyOptions, "watch" | "remark"> {
  let order = 0;
  const remark = (text: string): void => {
    remarks.push(text);
  };
  const emit = (event: StatementEvent): void => {
    events.push(event);
  };
  const nextOrder = (): number => order++;
  return {
    remark,
    watch: (connection) => decodingWatch(connection, { protocol, emit, remark, nextOrder }),
  };
}

async function recorded(protocol: Protocol): Promise<Recorded> {
  const store = await openStore({ protocol, level: "serializable", seed: 1, schema: SCHEMA });
  const direct = Number(new URL(store.url).port);
  const events: StatementEvent[] = [];
  const remarks: string[] = [];
  const proxy = await startProxy({
    upstream: { protocol, host: "127.0.0.1", port: direct },
    port: 0,
    ...decoding(protocol, remarks, events),
  });
  const close = async (): Promise<void> => {
    await proxy.close();
    await store.close();
  };
  return { port: proxy.port, direct, events, remarks, close };
}

/** Events in short. */
function told(events: readonly StatementEvent[]): readonly string[] {
  return events.map(({ sql, arguments: values, columns, rows, affected, error, status }) =>
    [
      sql,
      values.length > 0 ? `(${values.map(String).join(", ")})` : "",
      columns.length > 0
        ? `${columns.join("|")}: ${rows.map((row) => row.map(String).join("|")).join("; ")}`
        : "",
      affected === undefined ? "" : `${String(affected)} changed`,
      error ?? "",
      status,
    ]
      .filter((part) => part !== "")
      .join(" "),
  );
}

async function postgresWork(port: number): Promise<unknown[]> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "isolens", database: "isolens" });
  client.on("error", () => undefined);
  await client.connect();
  const answers: unknown[] = [];
  const ask = async (sql: string | pg.QueryConfig): Promise<void> => {
    try {
      const result = await client.query<Record<string, unknown>>(sql);
      answers.push(Array.isArray(result) ? result.length : result.rows);
    } catch (error) {
      answers.push(error instanceof Error && "code" in error ? error.code : error);
    }
  };
  await ask("BEGIN");
  await ask({ text: "SELECT id, owner FROM account WHERE id = $1", values: [2] });
  await ask({
    name: "change",
    text: "UPDATE account SET balance = $1 WHERE id = $2",
    values: [11, 1],
  });
  await ask({
    name: "change",
    text: "UPDATE account SET balance = $1 WHERE id = $2",
    values: [12, 1],
  });
  await ask("COMMIT");
  await ask("SELECT nothing FROM account");
  await ask("SELECT balance FROM account WHERE id = 1; SELECT 2 AS two");
  await client.end();
  return answers;
}

test("PostgreSQL: answers are the same, and statements are told", async () => {
  const { port, direct, events, close } = await recorded("postgres");
  const plain = await postgresWork(direct);
  assert.deepEqual(await postgresWork(port), plain);
  assert.deepEqual(told(events), [
    "BEGIN open",
    "SELECT id, owner FROM account WHERE id = $1 (2) id|owner: 2|null open",
    "UPDATE account SET balance = $1 WHERE id = $2 (11, 1) 1 changed open",
    "UPDATE account SET balance = $1 WHERE id = $2 (12, 1) 1 changed open",
    "COMMIT idle",
    "SELECT nothing FROM account 42703 idle",
    "SELECT balance FROM account WHERE id = 1 balance: 12 open",
    " SELECT 2 AS two two: 2 idle",
  ]);
  await close();
});

async function mysqlWork(port: number): Promise<unknown[]> {
  const client = await mysql.createConnection({
    host: "127.0.0.1",
    port,
    user: "isolens",
    database: "isolens",
  });
  const answers: unknown[] = [];
  const ask = async (work: Promise<readonly unknown[]>): Promise<void> => {
    try {
      answers.push((await work)[0]);
    } catch (error) {
      answers.push(error instanceof Error && "errno" in error ? error.errno : error);
    }
  };
  await ask(client.query("START TRANSACTION"));
  await ask(client.execute("SELECT id, owner FROM account WHERE id = ?", [2]));
  await ask(client.execute("UPDATE account SET balance = ? WHERE id = ?", [11, 1]));
  await ask(client.query("COMMIT"));
  await ask(client.query("SELECT nothing FROM account"));
  await ask(client.query("SELECT balance FROM account WHERE id = ?", [1]));
  await client.end();
  return answers;
}

test("MySQL: answers are the same, and statements are told", async () => {
  const { port, direct, events, close } = await recorded("mysql");
  const plain = await mysqlWork(direct);
  // A value that is there already would count as no change.
  const again = { host: "127.0.0.1", port: direct, user: "isolens", database: "isolens" };
  const client = await mysql.createConnection(again);
  await client.query("UPDATE account SET balance = 10 WHERE id = 1");
  await client.end();
  assert.deepEqual(JSON.stringify(await mysqlWork(port)), JSON.stringify(plain));
  assert.deepEqual(told(events), [
    "START TRANSACTION 0 changed open",
    "SELECT id, owner FROM account WHERE id = ? (2) id|owner: 2|null open",
    "UPDATE account SET balance = ? WHERE id = ? (11, 1) 1 changed open",
    "COMMIT 0 changed idle",
    "SELECT nothing FROM account 1054 idle",
    "SELECT balance FROM account WHERE id = 1 balance: 11 idle",
  ]);
  await close();
});

test("a client that insists on TLS is told of, also where the recording ends at once", async () => {
  const { port, remarks, close } = await recorded("postgres");
  const client = new pg.Client({ host: "127.0.0.1", port, user: "isolens", ssl: true });
  await assert.rejects(client.connect(), /does not support SSL/);
  await close();
  assert.equal(remarks.filter((text) => /connect without TLS while/.test(text)).length, 1);
});

test("MySQL: a client that insists on TLS is told of, one that comes again without is not", async () => {
  const { port, remarks, close } = await recorded("mysql");
  const address = { host: "127.0.0.1", port, user: "isolens" };
  const left = (): number =>
    remarks.filter((text) => /left at the server's greeting/.test(text)).length;
  await assert.rejects(mysql.createConnection({ ...address, ssl: {} }), /secure connection/);
  const client = await mysql.createConnection(address);
  await client.end();
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.equal(left(), 0);
  await assert.rejects(mysql.createConnection({ ...address, ssl: {} }), /secure connection/);
  await close();
  assert.equal(left(), 1);
});

test("a client that insists on TLS is told of, in its own words and to the user", async () => {
  const { port, remarks, close } = await recorded("postgres");
  const client = new pg.Client({ host: "127.0.0.1", port, user: "isolens", ssl: true });
  await assert.rejects(client.connect(), /does not support SSL/);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.match(remarks.join(), /connect without TLS while you record/);
  await close();
});

test("a server that is away ends the client's connection and is told", async () => {
  const closed = net.createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const address = closed.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await new Promise((resolve) => closed.close(resolve));
  const remarks: string[] = [];
  const proxy = await startProxy({
    upstream: { protocol: "postgres", host: "127.0.0.1", port },
    port: 0,
    ...decoding("postgres", remarks),
  });
  const client = new pg.Client({ host: "127.0.0.1", port: proxy.port, user: "isolens" });
  client.on("error", () => undefined);
  await assert.rejects(client.connect());
  assert.match(remarks.join(), /does not take connections: connect ECONNREFUSED/);
  await proxy.close();
});

test("watches over connections that are open have ended when the proxy has closed", async () => {
  const store = await openStore({ protocol: "postgres", level: "serializable" });
  const { watch, remark } = decoding("postgres", []);
  const ended: number[] = [];
  const proxy = await startProxy({
    upstream: { protocol: "postgres", host: "127.0.0.1", port: Number(new URL(store.url).port) },
    port: 0,
    remark,
    watch: (connection) => ({ ...watch(connection), end: () => void ended.push(connection) }),
  });
  const client = new pg.Client({ host: "127.0.0.1", port: proxy.port, user: "isolens" });
  client.on("error", () => undefined);
  await client.connect();
  await proxy.close();
  assert.deepEqual(ended, [1]);
  await store.close();
});

test("bytes that are of no protocol go on unchanged, and are told once", async () => {
  const sent = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0, 0x51, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]);
  const server = net.createServer((socket) => {
    socket.on("data", (chunk) => socket.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const remarks: string[] = [];
  const proxy = await startProxy({
    upstream: { protocol: "postgres", host: "127.0.0.1", port },
    port: 0,
    ...decoding("postgres", remarks),
  });
  const client = net.connect(proxy.port, "127.0.0.1");
  const received: Buffer[] = [];
  client.on("data", (chunk: Buffer) => received.push(chunk));
  client.write(sent.subarray(0, 12));
  client.write(sent.subarray(12));
  while (Buffer.concat(received).length < sent.length)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(Buffer.concat(received), sent);
  assert.equal(remarks.length, 1);
  assert.match(remarks[0] ?? "", /is not recorded from here on/);
  client.destroy();
  await proxy.close();
  await new Promise((resolve) => server.close(resolve));
});

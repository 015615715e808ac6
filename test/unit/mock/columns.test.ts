// Columns of results as the servers tell clients of them, and transactions of one message or pipeline.
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";

const SHOWN = `CREATE TABLE parent (id int AUTO_INCREMENT PRIMARY KEY);
CREATE TABLE shown (
  id int AUTO_INCREMENT PRIMARY KEY, n decimal(10,2), s varchar(40) NOT NULL UNIQUE, b blob,
  u int unsigned NOT NULL DEFAULT 1, d datetime(3), e enum('a','b'), parent int, t tinyint(1),
  FOREIGN KEY (parent) REFERENCES parent (id));`;

test("columns have the names, flags and lengths that MariaDB 10.11 gives them", async () => {
  const store = await openStore({
    protocol: "mysql",
    level: "mariadb:repeatable-read",
    strategy: "latest",
    schema: SHOWN,
  });
  const client = await mysql.createConnection({ host: "127.0.0.1", port: store.port, user: "app" });
  try {
    const [, fields] = await client.query(
      "select id, n as renamed, s, b, u, d, e, parent, t from shown",
    );
    assert.deepEqual(
      fields.map(({ name, orgName, flags, columnLength }) => [name, orgName, flags, columnLength]),
      [
        ["id", "id", 16_899, 11],
        ["renamed", "n", 0, 12],
        ["s", "s", 20_485, 160],
        ["b", "b", 144, 65_535],
        ["u", "u", 33, 10],
        ["d", "d", 128, 23],
        ["e", "e", 256, 4],
        ["parent", "parent", 16_392, 11],
        ["t", "t", 0, 1],
      ],
    );
  } finally {
    await client.end();
    await store.close();
  }
});

test("rows in binary form have their fields, with their types", async () => {
  const store = await openStore({ level: "postgres:read-committed", schema: "" });
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  try {
    const query = { name: "r", text: "SELECT row(1, 'a', null) AS r", binary: true };
    const { rows } = await client.query<{ r: unknown }>(query);
    // Three fields: int4 in four bytes, a literal of no type, and NULL.
    const bytes = Buffer.from(String(rows[0]?.r), "utf8");
    assert.equal(bytes.readInt32BE(0), 3);
    assert.equal(bytes.readInt32BE(4), 23);
    assert.equal(bytes.readInt32BE(12), 1);
  } finally {
    await client.end();
    await store.close();
  }
});

test("values of domains come as those of the types under them", async () => {
  const store = await openStore({
    level: "postgres:read-committed",
    schema: "CREATE DOMAIN positive AS int CHECK (value > 0); CREATE DOMAIN digit AS positive;",
  });
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  try {
    const { rows } = await client.query("SELECT 5::positive AS a, 7::digit AS b");
    assert.deepEqual(rows, [{ a: 5, b: 7 }]);
  } finally {
    await client.end();
    await store.close();
  }
});

/** A message of the extended protocol. */
function message(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function executed(sql: string): Buffer {
  return Buffer.concat([
    message("P", `\0${sql}\0`, Buffer.alloc(2)),
    message("B", "\0\0", Buffer.alloc(6)),
    message("E", "\0", Buffer.alloc(4)),
  ]);
}

test("statements before one Sync share a transaction, and so do those of one text", async () => {
  const store = await openStore({
    level: "postgres:read-committed",
    strategy: "latest",
    schema: "CREATE TABLE t (id int PRIMARY KEY)",
  });
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  const socket = net.connect(store.port, "127.0.0.1");
  try {
    const wrong = client.query("INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)");
    await assert.rejects(wrong, { code: "23505" });
    assert.deepEqual(store.rows("SELECT id FROM t"), []);
    await client.query("INSERT INTO t VALUES (2); COMMIT; INSERT INTO t VALUES (3)");

    const received: Buffer[] = [];
    const isReady = async (count: number): Promise<void> => {
      const readies = (): number =>
        Buffer.concat(received).toString("latin1").split("Z\0\0\0\x05I").length - 1;
      while (readies() < count) await once(socket, "data");
    };
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    const introduction = Buffer.from("\0\x03\0\0user\0app\0\0", "latin1");
    const size = Buffer.alloc(4);
    size.writeInt32BE(introduction.length + 4);
    socket.write(Buffer.concat([size, introduction]));
    await isReady(1);
    const sync = message("S");
    const failing = [executed("INSERT INTO t VALUES (4)"), executed("SELECT 1/0"), sync];
    socket.write(Buffer.concat(failing));
    await isReady(2);
    socket.write(Buffer.concat([executed("INSERT INTO t VALUES (5)"), sync]));
    await isReady(3);
    const { rows } = await client.query("SELECT id FROM t ORDER BY id");
    assert.deepEqual(rows, [{ id: 2 }, { id: 3 }, { id: 5 }]);
  } finally {
    socket.destroy();
    await client.end();
    await store.close();
  }
});

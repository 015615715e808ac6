// A real client of MySQL against the wire protocol alone.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import mysql from "mysql2/promise";
import { listen } from "../../../server/src/mock/listen";
import type { StatementResult } from "../../../server/src/mock/session";
import type { SqlType } from "../../../server/src/sqlstore/values/types";
import { scriptedSession, type Scripted } from "./scriptedSession";

/** A type with a value, what the client makes of it, and the number of the type in the protocol. */
const TYPES: readonly (readonly [SqlType, string, unknown, number])[] = [
  ["int2", "-7", -7, 2],
  ["int4", "-42", -42, 3],
  ["int8", "1234567890123", 1234567890123, 8],
  ["uint8", "42", 42, 8],
  ["numeric", "12.50", "12.50", 246],
  ["bool", "1", 1, 1],
  ["varchar", "naïve 'text'", "naïve 'text'", 253],
  ["text", "long", "long", 253],
  ["float8", "1.5", 1.5, 5],
  ["date", "2024-01-02", "2024-01-02", 10],
  ["timestamp", "2024-01-02 03:04:05", "2024-01-02 03:04:05", 12],
  ["time", "-30:00:01", "-30:00:01", 11],
  ["json", '{"a": [1]}', { a: [1] }, 245],
];

const columns = TYPES.map(([type], index) => ({ name: `c${String(index)}`, type }));
const NAMES = columns.map(({ name }) => name);

function row(cells: readonly (string | null)[]): Scripted {
  return { columns, run: () => ({ columns, rows: [cells], tag: "SELECT 1", affected: 1 }) };
}

const ECHO = [
  { name: "number", type: "int4" },
  { name: "text", type: "varchar" },
] as const;

const SCRIPT: Readonly<Record<string, Scripted>> = {
  "select all": row(TYPES.map(([, text]) => text)),
  "select nulls": row(TYPES.map(() => null)),
  "echo ? ?": {
    parameters: ["int4", "varchar"],
    columns: ECHO,
    run: (values): StatementResult => ({
      columns: ECHO,
      rows: [values.map((value) => (value === null ? null : String(value)))],
      tag: "SELECT 1",
      affected: 1,
    }),
  },
  BEGIN: { run: () => ({ rows: [], tag: "BEGIN", affected: 0 }) },
  "insert it": { run: () => ({ rows: [], tag: "INSERT 0 1", affected: 1, inserted: 17 }) },
  conflict: {
    run: () => ({ code: "40P01", number: 1213, mysqlState: "40001", message: "Deadlock found" }),
  },
};

async function withClient(body: (client: mysql.Connection) => Promise<void>): Promise<void> {
  const open = () => scriptedSession(SCRIPT);
  const server = await listen({ protocol: "mysql", port: 0, open });
  const client = await mysql.createConnection({
    host: "127.0.0.1",
    port: server.port,
    user: "u",
    database: "d",
    dateStrings: true,
    multipleStatements: true,
  });
  try {
    await body(client);
    await client.end();
  } finally {
    await server.close();
  }
}

describe("a client of MySQL", () => {
  for (const [how, ask] of [
    ["text", (client: mysql.Connection, sql: string) => client.query(sql)],
    ["binary", (client: mysql.Connection, sql: string) => client.execute(sql)],
  ] as const) {
    test(`reads values of each type as ${how}`, () =>
      withClient(async (client) => {
        const [rows, fields] = await ask(client, "select all");
        assert.deepEqual(
          fields.map(({ columnType }) => columnType),
          TYPES.map(([, , , number]) => number),
        );
        assert.deepEqual(rows, [
          Object.fromEntries(TYPES.map(([, , value], index) => [NAMES[index], value])),
        ]);
        const [nulls] = await ask(client, "select nulls");
        assert.deepEqual(nulls, [Object.fromEntries(NAMES.map((name) => [name, null]))]);
      }));
  }

  test("sends arguments, and uses a prepared statement again", () =>
    withClient(async (client) => {
      for (const [number, text] of [
        [1, "one"],
        [null, "none"],
        [-3, null],
      ] as const) {
        const [rows] = await client.execute("echo ? ?", [number, text]);
        assert.deepEqual(rows, [{ number, text }]);
      }
    }));

  test("learns what changed, and number and state of an error", () =>
    withClient(async (client) => {
      const [result] = await client.query<mysql.ResultSetHeader>("insert it");
      assert.equal(result.affectedRows, 1);
      assert.equal(result.insertId, 17);
      await client.query("BEGIN");
      const expected = { errno: 1213, code: "ER_LOCK_DEADLOCK", sqlState: "40001" };
      await assert.rejects(client.query("conflict"), expected);
      await assert.rejects(client.execute("conflict"), expected);
      await client.ping();
    }));

  test("sends several statements at once, up to the first error", () =>
    withClient(async (client) => {
      const [results] = await client.query("insert it; select nulls");
      assert.ok(Array.isArray(results));
      assert.equal(results.length, 2);
      await assert.rejects(client.query("insert it; conflict; insert it"), { errno: 1213 });
      await client.ping();
    }));

  test("starts afresh on the same connection", () =>
    withClient(async (client) => {
      await client.query("BEGIN");
      await client.changeUser({ user: "other" });
      await client.query("insert it");
    }));
});

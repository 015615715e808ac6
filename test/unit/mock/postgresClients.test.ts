// A real client of PostgreSQL against the wire protocol alone.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { listen } from "../../../server/src/mock/listen";
import type { StatementResult } from "../../../server/src/mock/session";
import type { SqlType } from "../../../server/src/sqlstore/values/types";
import { scriptedSession, type Scripted } from "./scriptedSession";

const TYPES: readonly (readonly [SqlType, string, unknown])[] = [
  ["int4", "42", 42],
  ["int8", "9007199254740993", "9007199254740993"],
  ["numeric", "12.50", "12.50"],
  ["bool", "t", true],
  ["text", "naïve 'text'", "naïve 'text'"],
  ["float8", "1.5", 1.5],
  ["uuid", "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000001"],
  ["timestamptz", "2024-01-02 03:04:05.678+00", new Date("2024-01-02T03:04:05.678Z")],
  ["jsonb", '{"a": [1]}', { a: [1] }],
  ["int4[]", "{1,NULL,3}", [1, null, 3]],
];

const columns = TYPES.map(([type], index) => ({ name: `c${String(index)}`, type }));

function done(tag: string): Scripted {
  return { run: () => ({ rows: [], tag, affected: 0 }) };
}

const SCRIPT: Readonly<Record<string, Scripted>> = {
  BEGIN: done("BEGIN"),
  COMMIT: done("COMMIT"),
  "select all": {
    columns,
    run: () => ({ columns, rows: [TYPES.map(([, text]) => text)], tag: "SELECT 1", affected: 1 }),
  },
  "select nulls": {
    columns,
    run: () => ({ columns, rows: [TYPES.map(() => null)], tag: "SELECT 1", affected: 1 }),
  },
  "echo $1 $2": {
    parameters: ["int4", "text"],
    columns: [
      { name: "number", type: "int4" },
      { name: "text", type: "text" },
    ],
    run: ([number, text]): StatementResult => ({
      columns: [
        { name: "number", type: "int4" },
        { name: "text", type: "text" },
      ],
      rows: [[number === null ? null : String(number), text === null ? null : String(text)]],
      tag: "SELECT 1",
      affected: 1,
    }),
  },
  "update it": { run: () => ({ rows: [], tag: "UPDATE 3", affected: 3 }) },
  conflict: {
    run: () => ({
      code: "40001",
      number: 1213,
      mysqlState: "40001",
      message: "could not serialize",
    }),
  },
};

async function withClient(body: (client: pg.Client) => Promise<void>): Promise<void> {
  const open = () => scriptedSession(SCRIPT);
  const server = await listen({ protocol: "postgres", port: 0, open });
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "u", database: "d" });
  try {
    await client.connect();
    await body(client);
    await client.end();
  } finally {
    await server.close();
  }
}

/** The same in binary; `pg` passes it on to the server, though its types do not mention it. */
const BINARY = { binary: true };

describe("a client of PostgreSQL", () => {
  test("reads values of each type as text", () =>
    withClient(async (client) => {
      const { rows } = await client.query<unknown[]>({ text: "select all", rowMode: "array" });
      assert.deepEqual(
        rows[0],
        TYPES.map(([, , value]) => value),
      );
      const nulls = await client.query<unknown[]>({ text: "select nulls", rowMode: "array" });
      assert.deepEqual(
        nulls.rows[0],
        TYPES.map(() => null),
      );
    }));

  test("sends arguments, and uses a prepared statement again", () =>
    withClient(async (client) => {
      for (const [number, text] of [
        [1, "one"],
        [null, "none"],
        [3, null],
      ]) {
        const { rows } = await client.query({
          name: "echo",
          text: "echo $1 $2",
          values: [number, text],
        });
        assert.deepEqual(rows, [{ number, text }]);
      }
    }));

  test("reads numbers in binary", () =>
    withClient(async (client) => {
      const { rows } = await client.query({ text: "echo $1 $2", values: [7, "seven"], ...BINARY });
      assert.deepEqual(rows, [{ number: 7, text: "seven" }]);
    }));

  test("learns how many rows changed, and the code of an error", () =>
    withClient(async (client) => {
      assert.equal((await client.query("update it")).rowCount, 3);
      await client.query("BEGIN");
      await assert.rejects(client.query("conflict"), { code: "40001", severity: "ERROR" });
      await client.query("COMMIT");
      await assert.rejects(client.query({ text: "conflict", values: [] }), { code: "40001" });
      assert.equal((await client.query({ text: "update it", values: [] })).rowCount, 3);
    }));

  test("sends several statements at once, up to the first error", () =>
    withClient(async (client) => {
      const results: unknown = await client.query("update it; select all");
      assert.ok(Array.isArray(results));
      assert.equal(results.length, 2);
      await assert.rejects(client.query("update it; conflict; select all"), { code: "40001" });
      await client.query("");
    }));
});

// The mock database from the command line: a client of PostgreSQL runs against it, and its history is judged afterwards.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { describe, test } from "node:test";
import pg from "pg";
import { isolens, makeFolder } from "./cli";

const SCHEMA = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
INSERT INTO account VALUES (1, 100), (2, 100);`;

/** Runs the server until the body is through, and returns what the command line left. */
async function served(args: readonly string[], cwd: string, body: (port: number) => Promise<void>) {
  let ran: Promise<void> | undefined;
  const begin = (child: ChildProcess, port: number): Promise<void> =>
    body(port).finally(() => child.kill("SIGINT"));
  const result = await isolens(["serve", "--protocol", "postgres", ...args], {
    cwd,
    watch: (child) => {
      child.stdout?.on("data", (text: string) => {
        const port = /^listening on 127\.0\.0\.1:(\d+)\n$/.exec(text)?.[1];
        if (port !== undefined) ran = begin(child, Number(port));
      });
    },
  });
  assert.ok(ran, `it does not listen: ${result.error}`);
  await ran;
  return result;
}

async function connect(port: number): Promise<pg.Client> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "u", database: "d" });
  await client.connect();
  return client;
}

/** Adds to a balance by reading first, as applications do. */
async function deposit(client: pg.Client, amount: number): Promise<void> {
  await client.query("BEGIN");
  const { rows } = await client.query<{ balance: number }>(
    "SELECT balance FROM account WHERE id = $1",
    [1],
  );
  await client.query("UPDATE account SET balance = $1 WHERE id = 1", [
    (rows[0]?.balance ?? 0) + amount,
  ]);
  await client.query("COMMIT");
}

describe("isolens serve", () => {
  test("loses updates at causal consistency, and writes down how", async () => {
    const folder = makeFolder({ "schema.sql": SCHEMA });
    try {
      const files = ["--schema", "schema.sql", "--history", "run.json"];
      const result = await served(["--level", "causal", ...files], folder.path, async (port) => {
        const clients = await Promise.all([connect(port), connect(port)]);
        for (let round = 0; round < 8; round++)
          await Promise.all(clients.map((client) => deposit(client, 1)));
        for (const client of clients) await client.end();
      });
      assert.equal(result.code, 0, result.error);
      const judged = await isolens([
        "history",
        path.join(folder.path, "run.json"),
        "--format",
        "json",
      ]);
      const report: unknown = JSON.parse(judged.out);
      assert.ok(typeof report === "object" && report !== null && "verdicts" in report);
      assert.deepEqual(report.verdicts, {
        "read-committed": "ok",
        "read-atomic": "ok",
        causal: "ok",
        "parallel-snapshot-isolation": "violated",
        "snapshot-isolation": "violated",
        serializable: "violated",
      });
    } finally {
      folder.remove();
    }
  });

  test("refuses with the serialization failure of the protocol at serializability", async () => {
    const folder = makeFolder({ "schema.sql": SCHEMA });
    try {
      const args = ["--level", "serializable", "--strategy", "latest", "--schema", "schema.sql"];
      await served(args, folder.path, async (port) => {
        const [one, other] = await Promise.all([connect(port), connect(port)]);
        for (const client of [one, other]) {
          await client.query("BEGIN");
          await client.query("SELECT balance FROM account WHERE id = 1");
          await client.query("UPDATE account SET balance = 1 WHERE id = 1");
        }
        await one.query("COMMIT");
        await assert.rejects(other.query("COMMIT"), { code: "40001" });
        await one.query("SELECT isolens_reset()");
        const { rows } = await other.query("SELECT balance FROM account WHERE id = 1");
        assert.deepEqual(rows, [{ balance: 100 }]);
        for (const client of [one, other]) await client.end();
      });
    } finally {
      folder.remove();
    }
  });

  for (const [args, message] of [
    [["serve"], /needs --protocol/],
    [["serve", "--protocol", "oracle", "--level", "causal"], /no protocol "oracle"/],
    [["serve", "--protocol", "postgres"], /needs --level/],
    [["serve", "--protocol", "postgres", "--level", "casual"], /did you mean "causal"/],
    [["serve", "--protocol", "postgres", "--level", "causal", "--port", "x"], /--port must be/],
    [
      ["serve", "--protocol", "mysql", "--level", "causal", "--lock-timeout", "0"],
      /--lock-timeout must be a whole number of seconds/,
    ],
    [
      ["serve", "--protocol", "postgres", "--level", "causal", "--schema", "no.sql"],
      /no\.sql: not read/,
    ],
  ] as const) {
    test(`leaves with 3 for ${args.join(" ")}`, async () => {
      const result = await isolens(args);
      assert.equal(result.code, 3);
      assert.match(result.error, message);
      assert.equal(result.out, "");
    });
  }
});

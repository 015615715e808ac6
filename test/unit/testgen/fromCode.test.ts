// Tests and scripts from anomalies of application code: the statements that it makes, with its values and branches.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { generateTest } from "../../../server/src/testgen/generate";
import type { TestLanguage } from "../../../server/src/testgen/languages";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import type { TemporaryServer } from "../../../server/src/replay/servers/temporary";
import { serverFor } from "../../support/liveServers";
import { productOf } from "../store/programs";
import { analyseProgram, sql } from "../truth/analyse";
import { openTestFolder, runNode } from "./testgenCases";

const LEVEL = "postgres:read-committed";
const SCHEMA = sql(
  "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);",
  "schema.sql",
);
const TRANSACTION = `import { Pool } from "pg";
const pool = new Pool();
async function balanceOf(client, id: number) {
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  return rows[0]?.balance ?? 0;
}
export async function pay(from: number, to: number, amount: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const has = await balanceOf(client, from);
  const other = await balanceOf(client, to);
  if (has < amount) {
    await client.query("ROLLBACK");
    return;
  }
  await client.query("UPDATE account SET balance = $2 WHERE id = $1", [from, has - amount]);
  const { rowCount } = await client.query("UPDATE account SET balance = $2 WHERE id = $1", [to, other + amount]);
  if (rowCount === 0) throw new Error("nobody");
  await client.query("COMMIT");
}`;
// One that waits for the other sees what it did; each is given an id and a time that no other run gives.
const SEATS = sql(
  "CREATE TABLE show (id int PRIMARY KEY, seats int NOT NULL);\nCREATE TABLE booking (id text PRIMARY KEY DEFAULT gen_random_uuid(), show int NOT NULL, made timestamptz NOT NULL DEFAULT now());",
  "schema.sql",
);
const BOOK = `import { Pool } from "pg";
const pool = new Pool();
export async function book(show: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const { rows } = await client.query("SELECT seats FROM show WHERE id = $1", [show]);
  const taken = (await client.query("SELECT count(*)::int AS n FROM booking WHERE show = $1", [show])).rows[0].n;
  if (rows.length === 0 || taken >= rows[0].seats) {
    await client.query("ROLLBACK");
    return null;
  }
  const made = await client.query("INSERT INTO booking (show) VALUES ($1) RETURNING id, made", [show]);
  await client.query("COMMIT");
  return made.rows[0];
}`;
const UNIT = `import { Pool } from "pg";
const pool = new Pool();
export async function pay(id: number) {
  const { rows } = await pool.query("SELECT balance FROM account WHERE id = $1", [id]);
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("UPDATE account SET balance = $2 WHERE id = $1", [id, rows[0].balance - 1]);
  await client.query("COMMIT");
}`;

/** Of the first anomaly that is found. */
async function generated(code: string, language: TestLanguage, schema = SCHEMA) {
  const files = [schema, sql(code, "pay.ts")];
  const parsers = { pg: await loadPgParser() };
  const reader = createProjectReader(parsers, await loadCodeParsers());
  const program = reader.read({ files, context: [], configuration: DEFAULT_CONFIGURATION });
  const { anomalies } = await analyseProgram(program, LEVEL, 2);
  const [anomaly] = anomalies.filter(({ status }) => status === "confirmed");
  assert.ok(anomaly);
  const levelOf = () => productOf(LEVEL);
  return generateTest({ anomaly, program, files, parsers, levelOf, folder: "." }, language);
}

describe("generated from application code", () => {
  let temporary: TemporaryServer | undefined;
  before(async () => {
    temporary = await serverFor("postgres", { diagnostic: () => undefined });
  });
  after(async () => {
    await temporary?.stop();
  });

  /** The generated test fails as it is, and passes with the change that mends the code. */
  async function failsUntil(code: string, schema: typeof SCHEMA, from: RegExp, to: string) {
    const made = await generated(code, "ts", schema);
    assert.ok(made.ok, made.ok ? "" : made.reason);
    if (!temporary) return;
    const folder = openTestFolder([schema]);
    folder.write("now.test.ts", made.text);
    const fixed = made.text.replaceAll(from, to);
    folder.write("fixed.test.ts", fixed);
    const now = await runNode(folder, ["now.test.ts"], temporary.address);
    assert.match(now.out, /at the same time gives what no order one after the other gives/);
    const later = await runNode(folder, ["fixed.test.ts"], temporary.address);
    assert.deepEqual([later.passed, later.failed], [1, 0], later.out);
    folder.remove();
  }

  test("a test that fails while the anomaly is possible, and passes at a stricter level", () =>
    failsUntil(TRANSACTION, SCHEMA, /^const LEVEL = .*$/gm, 'const LEVEL = "SERIALIZABLE";'));

  test("a test that passes with a lock, whatever ids and times callers are given", () =>
    failsUntil(BOOK, SEATS, /(seats FROM .*?)( \\\\gset)/g, "$1 FOR UPDATE$2"));

  test("a script for people says where transactions of a unit begin and end", async () => {
    const made = await generated(UNIT, "sql");
    assert.ok(made.ok);
    const own = made.text
      .split("\n")
      .filter((line) => /^(?:BEGIN|COMMIT|SELECT|UPDATE)/.test(line));
    const one = own.filter((line) => !line.startsWith("SELECT * FROM"));
    assert.deepEqual(
      one.map((line) => line.replace(/[ ;].*/, "")).sort(),
      ["BEGIN", "BEGIN", "COMMIT", "COMMIT", "SELECT", "SELECT", "UPDATE", "UPDATE"],
      made.text,
    );
    assert.match(made.text, /^SELECT account\.balance FROM account WHERE account\.id = \d+;$/m);
  });

  test("a test is not written for what commits before its end", async () => {
    const made = await generated(UNIT, "ts");
    assert.ok(!made.ok);
    assert.match(made.reason, /commits before its end/);
  });
});

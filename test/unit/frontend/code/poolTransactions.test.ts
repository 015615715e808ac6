// BEGIN that a pool is asked for is no transaction of what follows; on one connection, and within one text, it is.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Dialect } from "../../../../server/src/program/dialect";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { readOver } from "./codePrograms";

const DDL = "CREATE TABLE wallet (id int PRIMARY KEY, cents int NOT NULL);";

interface Expected {
  /** True if the function is one transaction. */
  readonly isOne: boolean;
  readonly isSaid?: boolean;
  readonly isOpaque?: boolean;
}

async function check(text: string, dialect: Dialect, expected: Expected): Promise<void> {
  const { transactions, notes } = await readOver(DDL, { "a.ts": text }, dialect);
  const [own] = transactions;
  assert.equal(transactions.length, 1);
  assert.ok(own);
  let statements = 0;
  walkCommand(own.body, { statement: () => (statements += 1) });
  assert.equal(statements, 2);
  assert.equal(own.boundary !== "unit", expected.isOne);
  const said = notes.filter(({ code }) => code === "pool-transaction");
  assert.equal(said.length > 0, expected.isSaid === true);
  assert.equal(
    own.taint.some(({ effect }) => effect === "opaque"),
    expected.isOpaque === true,
  );
}

const body = (run: (sql: string) => string): string => `export async function f(id) {
  ${run("BEGIN")}
  ${run("SELECT cents FROM wallet WHERE id = 1 FOR UPDATE")}
  ${run("UPDATE wallet SET cents = 0 WHERE id = 1")}
  ${run("COMMIT")}
}`;

const single: Expected = { isOne: false, isSaid: true };
const whole: Expected = { isOne: true };

describe("BEGIN in a text", () => {
  const query = (of: string) => body((sql) => `await ${of}.query("${sql}");`);
  const tagged = (of: string) => body((sql) => `await ${of}\`${sql}\`;`);
  const cases: readonly (readonly [string, Dialect, string, Expected])[] = [
    ["a pool of pg", "postgres", `import { Pool } from "pg"; const p = new Pool();\n${query("p")}`, single],
    ["a pool of pg by its namespace", "postgres", `import pg from "pg"; const p = new pg.Pool();\n${query("p")}`, single],
    ["a client of pg", "postgres", `import { Client } from "pg"; const c = new Client();\n${query("c")}`, whole],
    ["a pool of mysql2", "mysql", `import mysql from "mysql2/promise"; const p = mysql.createPool({});\n${query("p")}`, single],
    ["a connection of mysql2", "mysql", `import mysql from "mysql2/promise";\n${query("(await mysql.createConnection({}))").replace("{\n", "{ const c = await mysql.createConnection({});\n").replaceAll("(await mysql.createConnection({})).", "c.")}`, whole],
    ["postgres.js", "postgres", `import postgres from "postgres"; const sql = postgres();\n${tagged("sql")}`, single],
    ["an argument that is a pool by its type", "postgres", `import type { Pool } from "pg";\n${query("p").replace("(id)", "(p: Pool)")}`, single],
    ["an argument that is a pool by its name alone", "postgres", query("db").replace("(id)", "(db)"), { isOne: false, isOpaque: true }],
  ]; // prettier-ignore
  for (const [name, dialect, text, expected] of cases) {
    it(`to ${name}`, () => check(text, dialect, expected));
  }

  it("with all statements beside it runs on one connection of the pool", () =>
    check(
      'import { Pool } from "pg"; const p = new Pool();\nexport const f = () => p.query("BEGIN; UPDATE wallet SET cents = 0; DELETE FROM wallet; COMMIT");',
      "postgres",
      whole,
    ));
});

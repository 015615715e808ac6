// Errors of the server that code keeps within the transaction, and twins that let them out, return to a savepoint, or try
// again from BEGIN on.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRefusals } from "../../../../server/src/analysis/contention/refusals";
import { explainRefusal } from "../../../../server/src/analysis/explain/refusal";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Anomaly } from "../../../../server/src/protocol/report";
import { analysablePart } from "../../../../server/src/service/search/analysable";
import { readOver } from "../../frontend/code/codePrograms";

const DDL = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

async function refusals(
  text: string,
  levelName: string,
  dialect: Dialect,
  file = "a.ts",
): Promise<readonly Anomaly[]> {
  const level = findLevel(levelName);
  assert.ok(level);
  const { transactions, tables } = await readOver(DDL, { [file]: text }, dialect);
  const read = { schema: { tables }, transactions, notes: [], files: [] };
  const { program, flat } = analysablePart(read, 2);
  return findRefusals(program, flat, level).map((each) => explainRefusal(program, level, each));
}

const FIRST = `"UPDATE account SET balance = balance - 1 WHERE id = $1", [from]`;
const SECOND = `"UPDATE account SET balance = balance + 1 WHERE id = $1", [to]`;

function pg(second: string): string {
  return `import { Pool } from "pg";
const pool = new Pool();
export async function f(from: number, to: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(${FIRST});
    ${second}
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}`;
}

interface Case {
  readonly name: string;
  readonly second: string;
  readonly kinds: readonly string[];
}

const RUN = `await client.query(${SECOND});`;
const CASES: readonly Case[] = [
  { name: "no handler", second: RUN, kinds: ["deadlock"] },
  {
    name: "a handler that writes a log",
    second: `try { ${RUN} } catch (error) { console.error(error); }`,
    kinds: ["swallowed-error"],
  },
  {
    name: "a handler that throws",
    second: `try { ${RUN} } catch (error) { console.error(error); throw error; }`,
    kinds: ["deadlock"],
  },
  {
    name: "a handler of one error that throws all others",
    second: `try { ${RUN} } catch (error: any) { if (error.code !== "23505") throw error; }`,
    kinds: ["deadlock"],
  },
  {
    name: "a loop that tries again",
    second: `for (let tries = 0; tries < 3; tries++) { try { ${RUN} break; } catch (error: any) { if (error.code !== "40P01") throw error; } }`,
    kinds: ["retry-in-transaction"],
  },
  {
    name: "a savepoint",
    second: `await client.query("SAVEPOINT s"); try { ${RUN} } catch (error) { await client.query("ROLLBACK TO SAVEPOINT s"); }`,
    kinds: [],
  },
  {
    name: "a ROLLBACK with an answer",
    second: `try { ${RUN} await client.query("COMMIT"); return true; } catch (error) { await client.query("ROLLBACK"); return false; }`,
    kinds: [],
  },
];

/** A transaction within what its caller runs around it. */
function knex(inside: string, handler: string): string {
  return `import { Knex } from "knex";
import { mailer } from "./mailer";
async function notifyOwner(id: number) { await mailer.sendMail({ to: id }); }
export async function f(knex: Knex, from: number, to: number) {
  for (let tries = 0; tries < 3; tries++) {
    try {
      await knex.transaction(async (trx) => {
        await trx("account").where("id", from).decrement("balance", 1);
        ${inside}
        await trx("account").where("id", to).increment("balance", 1);
      });
      return;
    } catch (error: any) {
      ${handler}
    }
  }
}`;
}

const REFUSED = 'if (error.code !== "40001" && error.code !== "40P01") throw error;';
const REPEATED: readonly (Case & { readonly handler: string })[] = [
  { name: "nothing else", second: "", handler: REFUSED, kinds: [] },
  { name: "a mail", second: "await mailer.sendMail({ to });", handler: REFUSED, kinds: ["repeated-effect"] }, // prettier-ignore
  { name: "a mail of a function of its own", second: "await notifyOwner(to);", handler: REFUSED, kinds: ["repeated-effect"] }, // prettier-ignore
  { name: "a mail before a handler of duplicates", second: "await mailer.sendMail({ to });", handler: 'if (error.code !== "23505") throw error;', kinds: [] }, // prettier-ignore
  { name: "a log", second: "console.log(to);", handler: REFUSED, kinds: [] },
  { name: "a request that changes nothing", second: 'await fetch("http://rates");', handler: REFUSED, kinds: [] }, // prettier-ignore
  { name: "a request that does", second: 'await fetch("http://pay", { method: "POST" });', handler: REFUSED, kinds: ["repeated-effect"] }, // prettier-ignore
  { name: "a mail in some runs", second: "if (from > 9) await mailer.sendMail({ to });", handler: REFUSED, kinds: [] }, // prettier-ignore
];

describe("a loop that runs a transaction again repeats", () => {
  for (const { name, second, handler, kinds } of REPEATED)
    it(name, async () => {
      const found = await refusals(knex(second, handler), "pg:rc", "postgres");
      assert.deepEqual(
        found.map(({ kind }) => kind),
        kinds,
      );
    });

  it("what a library or an annotation runs again", async () => {
    const retried = `import pRetry from "p-retry";
import { Pool } from "pg";
import { mailer } from "./mailer";
const pool = new Pool();
async function once(from: number, to: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query(${FIRST});
  await mailer.sendMail({ to });
  await client.query(${SECOND});
  await client.query("COMMIT");
}
export const f = (from: number, to: number) => pRetry(() => once(from, to), { retries: 3 });`;
    const found = await refusals(retried, "pg:rc", "postgres");
    assert.deepEqual([...new Set(found.map(({ kind }) => kind))], ["repeated-effect"]);
    const java = `import org.springframework.jdbc.core.JdbcTemplate;
class Transfers {
  private final JdbcTemplate jdbc;
  private final JavaMailSender sender;
  @Retryable
  @Transactional
  public void move(int from, int to) {
    jdbc.update("UPDATE account SET balance = balance - 1 WHERE id = ?", from);
    sender.send(new SimpleMailMessage());
    jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = ?", to);
  }
}`;
    const others = await refusals(java, "pg:rc", "postgres", "Transfers.java");
    assert.deepEqual(
      others.map(({ kind }) => kind),
      ["repeated-effect"],
    );
  });

  it("is told with the call's line", async () => {
    const [found] = await refusals(knex("await mailer.sendMail({ to });", REFUSED), "pg:rc", "postgres"); // prettier-ignore
    assert.match(
      found?.message ?? "",
      /^The server ends f\(\d, \d\) \(40P01\), and mailer\.sendMail\(\) of line 9 is called again: what line 6 begins/u,
    );
  });
});

describe("an error of the server that is met by", () => {
  for (const { name, second, kinds } of CASES)
    it(name, async () => {
      const found = await refusals(pg(second), "pg:rc", "postgres");
      assert.deepEqual(
        found.map(({ kind }) => kind),
        kinds,
      );
    });

  it("a handler that goes on is told as the product ends it", async () => {
    const second = `try { ${RUN} } catch (error) { console.error(error); }`;
    const [found] = await refusals(pg(second), "pg:rc", "postgres");
    assert.match(
      found?.message ?? "",
      /^The server ends f\(\d, \d\) \(40P01\), and the code goes on as if nothing had happened: the handler of line 8 keeps the error; every further statement fails with 25P02, and COMMIT undoes all without an error \(swallowed error\)\.$/u,
    );
    const mysql = `import mysql from "mysql2/promise";
const pool = mysql.createPool({});
export async function f(from: number, to: number) {
  const client = await pool.getConnection();
  await client.beginTransaction();
  await client.query("UPDATE account SET balance = balance - 1 WHERE id = ?", [from]);
  try {
    await client.query("UPDATE account SET balance = balance + 1 WHERE id = ?", [to]);
  } catch (error) {
    console.error(error);
  }
  await client.commit();
}`;
    const [other] = await refusals(mysql, "mariadb:repeatable-read", "mariadb");
    assert.equal(other?.kind, "swallowed-error");
    assert.match(other.message, /what came before is undone, and what follows commits by itself/u);
  });
});

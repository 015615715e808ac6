// Refusals that code answers in the wrong way, on real servers: swallowed, tried again within the transaction or after an
// effect that nobody takes back, or not answered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { breaksData } from "../../../server/src/protocol/report";
import { serverFor } from "../../support/liveServers";
import { sql } from "../truth/analyse";
import { checkNothingLeft, programOfCode, replayAll, verdictsOf } from "./replayCases";

const SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

/** The words of one driver. */
interface Driver {
  readonly product: "postgres" | "mariadb";
  readonly begun: string;
  readonly connected: string;
  readonly begin: string;
  readonly commit: string;
  readonly rollback: string;
  /** Takes the snapshot, which MariaDB's BEGIN does not. */
  readonly read: string;
  readonly update: (sign: "+" | "-", id: string) => string;
  /** The level at which the server refuses changes of rows that changed since the snapshot. */
  readonly snapshot: string;
}

const PG: Driver = {
  product: "postgres",
  begun: 'import { Pool } from "pg";\nconst pool = new Pool();\n',
  connected: "await pool.connect()",
  begin: 'await client.query("BEGIN")',
  commit: 'await client.query("COMMIT")',
  rollback: 'await client.query("ROLLBACK")',
  read: 'await client.query("SELECT count(*) FROM account")',
  update: (sign, id) =>
    `await client.query("UPDATE account SET balance = balance ${sign} 1 WHERE id = $1", [${id}])`,
  snapshot: "postgres:repeatable-read",
};
const MYSQL2: Driver = {
  product: "mariadb",
  begun: 'import mysql from "mysql2/promise";\nconst pool = mysql.createPool({});\n',
  connected: "await pool.getConnection()",
  begin: "await client.beginTransaction()",
  commit: "await client.commit()",
  rollback: "await client.rollback()",
  read: 'await client.query("SELECT count(*) FROM account")',
  update: (sign, id) =>
    `await client.execute("UPDATE account SET balance = balance ${sign} 1 WHERE id = ?", [${id}])`,
  snapshot: "mariadb:repeatable-read(snapshot-isolation=on)",
};

interface Case {
  readonly kind: string;
  /** The level; by default READ COMMITTED, at which the server ends deadlocks alone. */
  readonly isSnapshot?: true;
  readonly code: (driver: Driver) => string;
}

const CASES: readonly Case[] = [
  {
    kind: "swallowed-error",
    code: ({
      begin,
      commit,
      connected,
      update,
    }) => `export async function move(from: number, to: number) {
  const client = ${connected};
  ${begin};
  ${update("-", "from")};
  try {
    ${update("+", "to")};
  } catch (error) {
    console.log(error);
  }
  ${commit};
}`,
  },
  {
    kind: "retry-in-transaction",
    code: ({
      begin,
      commit,
      connected,
      update,
    }) => `export async function move(from: number, to: number) {
  const client = ${connected};
  ${begin};
  ${update("-", "from")};
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      ${update("+", "to")};
      break;
    } catch (error) {
      if (attempt === 2) throw error;
    }
  }
  ${commit};
}`,
  },
  {
    kind: "repeated-effect",
    code: ({ begin, commit, rollback, connected, update }) => `import nodemailer from "nodemailer";
const mailer = nodemailer.createTransport({});
export async function move(from: number, to: number) {
  const client = ${connected};
  for (let attempt = 0; ; attempt++) {
    try {
      ${begin};
      ${update("-", "from")};
      await mailer.sendMail({ to: "a@b.c", text: "moved" });
      ${update("+", "to")};
      ${commit};
      return;
    } catch (error) {
      ${rollback};
      if (attempt === 3) throw error;
    }
  }
}`,
  },
  {
    kind: "serialization-failure",
    isSnapshot: true,
    code: ({ begin, commit, connected, read, update }) => `export async function add(id: number) {
  const client = ${connected};
  ${begin};
  ${read};
  ${update("+", "id")};
  ${commit};
}`,
  },
];

for (const driver of [PG, MYSQL2])
  test(`refusals that code meets on ${driver.product}`, async (context) => {
    const { product } = driver;
    const temporary = await serverFor(product, context);
    if (!temporary) return;
    try {
      for (const { kind, isSnapshot, code } of CASES) {
        const files = [sql(SCHEMA, "schema.sql"), sql(`${driver.begun}${code(driver)}`, "a.ts")];
        const level = isSnapshot ? driver.snapshot : `${product}:read-committed`;
        const all = await replayAll(temporary.server, files, level, {
          ...(product === "mariadb" && { dialect: "mariadb" }),
          program: await programOfCode(files),
          wanted: (each) => !breaksData(each),
        });
        assert.deepEqual(verdictsOf(all), [`${kind}: reproduced`], `${kind}, at ${level}`);
      }
      await checkNothingLeft(temporary.server);
    } finally {
      await temporary.stop();
    }
  });

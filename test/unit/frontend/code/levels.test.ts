// The level that code asks for: constants from anywhere, and a level without a name where it is not known.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";

const DDL = "CREATE TABLE t (id int PRIMARY KEY, n int);";

const LEVELS = `
export const LOWER = "serializable" as const;
export const UPPER = "SERIALIZABLE";
export const OPTIONS = { isolationLevel: "serializable" } as const;
export enum Iso { Strong = "SERIALIZABLE", Weak = "READ COMMITTED" }`;

const HEAD = `
import { Pool } from "pg";
import knexLib from "knex";
import { Kysely } from "kysely";
import { drizzle } from "drizzle-orm/node-postgres";
import { Sequelize, Transaction } from "sequelize";
import { DataSource } from "typeorm";
import { neon } from "@neondatabase/serverless";
import postgres from "postgres";
import { IsolationLevel, runInTransaction, wrapInTransaction } from "typeorm-transactional";
import { Iso, LOWER, OPTIONS, UPPER } from "./levels";
const pool = new Pool();
const knex = knexLib({});
const kysely = new Kysely<any>({});
const db = drizzle(pool);
const sequelize = new Sequelize("postgres://");
const source = new DataSource({ type: "postgres" });
const sql = postgres();
const http = neon("postgres://");
`;

const S = "postgres:serializable";
const R = "postgres:repeatable-read";
const UNKNOWN = "";
const SET = "UPDATE t SET n = 1";

const onClient = (...texts: readonly string[]): string =>
  `const c = await pool.connect(); ${[...texts, `"${SET}"`, '"COMMIT"'].map((text) => `await c.query(${text});`).join(" ")}`;

const PROGRAMS = [
  [S, onClient('"BEGIN"', '"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"')],
  [S, onClient("`BEGIN ISOLATION LEVEL ${UPPER}`")],
  [S, onClient('"BEGIN"', "`SET TRANSACTION ISOLATION LEVEL ${Iso.Strong}`")],
  [UNKNOWN, onClient("`BEGIN ISOLATION LEVEL ${level}`")],
  [UNKNOWN, onClient('"BEGIN"', "`SET TRANSACTION ISOLATION LEVEL ${level}`")],
  [
    S,
    'await knex.transaction(async (tx) => { await tx("t").update({ n: 1 }); }, { isolationLevel: LOWER });',
  ],
  [S, 'await knex.transaction(async (tx) => { await tx("t").update({ n: 1 }); }, OPTIONS);'],
  [
    S,
    'const tx = await knex.transaction({ isolationLevel: LOWER }); await tx("t").update({ n: 1 }); await tx.commit();',
  ],
  [
    UNKNOWN,
    'await knex.transaction(async (tx) => { await tx("t").update({ n: 1 }); }, { isolationLevel: level });',
  ],
  [undefined, 'await knex.transaction(async (tx) => { await tx("t").update({ n: 1 }); });'],
  [
    S,
    'await kysely.transaction().setIsolationLevel(LOWER).execute(async (tx) => { await tx.updateTable("t").set({ n: 1 }).execute(); });',
  ],
  [
    UNKNOWN,
    'await kysely.transaction().setIsolationLevel(level).execute(async (tx) => { await tx.updateTable("t").set({ n: 1 }).execute(); });',
  ],
  [
    S,
    'const tx = await kysely.startTransaction().setIsolationLevel(LOWER).execute(); await tx.updateTable("t").set({ n: 1 }).execute(); await tx.commit().execute();',
  ],
  [S, "await db.transaction(async (tx) => { await tx.execute(SET); }, OPTIONS);"],
  [
    UNKNOWN,
    "await db.transaction(async (tx) => { await tx.execute(SET); }, { isolationLevel: level });",
  ],
  [
    R,
    "await sequelize.transaction({ isolationLevel: Transaction.ISOLATION_LEVELS.REPEATABLE_READ }, async (transaction) => { await sequelize.query(SET, { transaction }); });",
  ],
  [
    S,
    "const transaction = await sequelize.transaction({ isolationLevel: UPPER }); await sequelize.query(SET, { transaction }); await transaction.commit();",
  ],
  [
    UNKNOWN,
    "await sequelize.transaction({ isolationLevel: level }, async (transaction) => { await sequelize.query(SET, { transaction }); });",
  ],
  [S, 'await source.transaction("SERIALIZABLE", async (m) => { await m.query(SET); });'],
  [S, "await source.transaction(Iso.Strong as any, async (m) => { await m.query(SET); });"],
  [undefined, "await source.transaction(async (m) => { await m.query(SET); });"],
  [UNKNOWN, "await source.transaction(level, async (m) => { await m.query(SET); });"],
  [
    S,
    "const r = source.createQueryRunner(); await r.startTransaction(UPPER); await r.query(SET); await r.commitTransaction();",
  ],
  [
    UNKNOWN,
    "const r = source.createQueryRunner(); await r.startTransaction(level); await r.query(SET); await r.commitTransaction();",
  ],
  [
    R,
    "await runInTransaction(async () => { await source.query(SET); }, { isolationLevel: IsolationLevel.REPEATABLE_READ });",
  ],
  [
    S,
    "const inside = wrapInTransaction(async () => { await source.query(SET); }, { isolationLevel: UPPER }); await inside();",
  ],
  [
    S,
    'await sql.begin("isolation level serializable", async (own) => { await own.unsafe(SET); });',
  ],
  [
    S,
    "await sql.begin(`ISOLATION LEVEL ${Iso.Strong}`, async (own) => { await own.unsafe(SET); });",
  ],
  [
    UNKNOWN,
    "await sql.begin(`isolation level ${level}`, async (own) => { await own.unsafe(SET); });",
  ],
  [R, 'await http.transaction([http`UPDATE t SET n = 1`], { isolationLevel: "RepeatableRead" });'],
  [UNKNOWN, "await http.transaction([http`UPDATE t SET n = 1`], { isolationLevel: level });"],
] as const;

describe("levels that code asks for", () => {
  for (const [expected, body] of PROGRAMS) {
    it(`is ${expected === undefined ? "the default" : expected === UNKNOWN ? "not known" : expected}: ${body}`, async () => {
      const text = `${HEAD}const SET = "${SET}";\nexport async function f(level: any) { ${body} }`;
      const read = await transactionsOf(DDL, { "levels.ts": LEVELS, "a.ts": text });
      assert.deepEqual(
        read.map(({ boundary, level }) => [boundary, level?.name]),
        [["explicit", expected]],
      );
    });
  }
});

// Statements that run while a transaction is open, on a connection that is not its own.
import assert from "node:assert/strict";
import { it } from "node:test";
import { precisionOf } from "../../../../server/src/program/precision";
import { readOver, transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

const READ = "r1 = select account.balance as balance from account where (account.id = :id)";
const TAKEN = "update account set balance = (r1.balance - :n) where (account.id = :id)";

const read = (text: string) => transactionsOf(DDL, { "a.ts": text }, "postgres");

it("tells what runs on the pool before the transaction's first statement as what runs before it", async () => {
  const text = `import { Pool } from "pg";
const pool = new Pool();
export async function take(id, n) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await pool.query("SELECT balance FROM account WHERE id = $1 FOR UPDATE", [id]);
    if (rows[0].balance < n) throw new Error("too little");
    await client.query("UPDATE account SET balance = $1 WHERE id = $2", [rows[0].balance - n, id]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}`;
  const [take] = await read(text);
  assert.ok(take);
  assert.deepEqual(losses(take), []);
  assert.deepEqual(printed([take]), [
    "take unit",
    `  ${READ} for update`,
    "  atomic",
    "    if (size(r1) <= 0)",
    "      rollback",
    "    if (r1.balance < :n)",
    "      rollback",
    `    ${TAKEN}`,
  ]);
});

it("tells it so in the callback of a transaction, at whatever level that is", async () => {
  const text = `import knexLib from "knex";
const knex = knexLib({ client: "pg" });
export async function take(id, n) {
  await knex.transaction(async (trx) => {
    const row = await knex("account").where({ id }).first("balance");
    await trx("account").where({ id }).update({ balance: row.balance - n });
  }, { isolationLevel: "serializable" });
}`;
  const [take] = await read(text);
  assert.ok(take);
  assert.deepEqual(losses(take), []);
  assert.deepEqual(printed([take]), [
    "take unit",
    `  ${READ} limit 1`,
    "  atomic postgres:serializable",
    "    if (size(r1) <= 0)",
    "      rollback",
    `    ${TAKEN}`,
  ]);
});

it("leaves open what runs on another connection behind a statement of the transaction", async () => {
  const text = `import knexLib from "knex";
const knex = knexLib({ client: "pg" });
export async function take(id, n) {
  await knex.transaction(async (trx) => {
    await trx("account").where({ id }).update({ balance: n });
    await knex("account").where({ id }).update({ balance: n });
  });
}`;
  const [take] = await read(text);
  assert.ok(take);
  const { notes } = await readOver(DDL, { "a.ts": text }, "postgres");
  assert.equal(notes.filter(({ code }) => code === "other-connection").length, 1);
  assert.deepEqual(losses(take), [
    "this statement runs on another connection, outside of the open transaction",
  ]);
  assert.equal(precisionOf(take.taint), "opaque");
});

it("leaves open an error on another connection that is caught: the transaction goes on behind it", async () => {
  const caught = [
    `try { await pool.query("DELETE FROM account WHERE id = $1", [id]); } catch { isOpen = false; }`,
    `isOpen = await pool.query("DELETE FROM account WHERE id = $1", [id]).then(() => true, () => false);`,
    `try { await pool.query("DELETE FROM account WHERE id = $1", [id]); }
     catch { await client.query("UPDATE account SET balance = 0 WHERE id = $1", [id]); }`,
  ];
  for (const each of caught) {
    const text = `import { Pool } from "pg";
const pool = new Pool();
export async function leave(id) {
  const client = await pool.connect();
  let isOpen = true;
  await client.query("BEGIN");
  ${each}
  if (!isOpen) await client.query("UPDATE account SET balance = 1 WHERE id = $1", [id]);
  await client.query("COMMIT");
}`;
    const [leave] = await read(text);
    assert.ok(leave);
    const why = "this statement runs on another connection, outside of the open transaction";
    assert.ok(losses(leave).includes(why), each);
    assert.equal(precisionOf(leave.taint), "opaque", each);
  }
});

it("leaves open a transaction on another connection inside of an open one, which it is taken for a part of", async () => {
  const text = `import knexLib from "knex";
const knex = knexLib({ client: "pg" });
export async function take(id, n) {
  await knex.transaction(async (trx) => {
    const row = await knex.transaction((own) => own("account").where({ id }).first("balance"));
    await trx("account").where({ id }).update({ balance: row.balance - n });
  });
}`;
  const [take] = await read(text);
  assert.ok(take);
  assert.deepEqual(losses(take), [
    "this statement runs on another connection, outside of the open transaction",
  ]);
  assert.equal(precisionOf(take.taint), "opaque");
  assert.deepEqual(printed([take]), [
    "take explicit",
    `  ${READ} limit 1`,
    "  if (size(r1) <= 0)",
    "    rollback",
    `  ${TAKEN}`,
    "  ! this statement runs on another connection, outside of the open transaction",
  ]);
});

it("takes queries of Sequelize for a part of the transaction that they join by continuation-local storage", async () => {
  const text = (
    from: string,
    setup: string,
  ): string => `import { Sequelize, DataTypes } from "${from}";
${setup}
const Account = sequelize.define("account", { balance: DataTypes.INTEGER }, { tableName: "account", timestamps: false });
export async function take(id, n) {
  await sequelize.transaction(async () => {
    const row = await Account.findByPk(id, { lock: true });
    await row.update({ balance: row.balance - n });
  });
}`;
  const url = '"postgres://localhost/db"';
  const cases = [
    ["sequelize", `Sequelize.useCLS(namespace); const sequelize = new Sequelize(${url});`, true],
    ["@sequelize/core", `const sequelize = new Sequelize(${url});`, true],
    ["@sequelize/core", `const sequelize = new Sequelize(${url}, { disableClsTransactions: true });`, false], // prettier-ignore
    ["sequelize", `const sequelize = new Sequelize(${url});`, false],
  ] as const;
  for (const [from, setup, joins] of cases) {
    const { notes } = await readOver(DDL, { "a.ts": text(from, setup) }, "postgres");
    assert.equal(
      notes.some(({ code }) => code === "other-connection"),
      !joins,
      `${from} ${setup}`,
    );
  }
});

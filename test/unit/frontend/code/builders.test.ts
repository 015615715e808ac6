// Query builders: their calls become SQL text, which is read like all other SQL.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL, balance int NOT NULL, note text);
CREATE TABLE log (id serial PRIMARY KEY, account int, amount int NOT NULL);
`;

/** What a module gives: its transactions with their commands, and what was lost. */
async function check(text: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), expected);
}

describe("query builders", () => {
  it("are those of knex", () =>
    check(
      `import knex from "knex";
const db = knex({ client: "pg" });
export async function withdraw(id, n) {
  return db.transaction(async (trx) => {
    const account = await trx("accounts").where({ id }).first("balance");
    if (!account) throw new Error("none");
    if (account.balance < n) return null;
    await trx("accounts").where("id", id).update({ balance: account.balance - n });
    await trx("log").insert({ account: id, amount: n });
    return account.balance - n;
  }, { isolationLevel: "repeatable read" });
}
export async function credit(id, n) {
  await db("accounts").where({ id }).increment("balance", n);
  const rows = await db.select("id", "balance").from("accounts").where("balance", ">", 10).orderBy("balance", "desc").limit(5);
  for (const r of rows) await db("accounts").where("id", r.id).update({ balance: db.raw("balance - ?", [n]), note: null });
  const [{ total }] = await db("log").count("* as total").where({ account: id });
  if (total > 10) await db("log").whereIn("account", [id, 2]).del();
  const [made] = await db("log").insert({ account: id, amount: 1 }).returning(["id"]);
  return made.id;
}
export async function byHand(id) {
  const trx = await db.transaction();
  try {
    const rows = await trx("accounts").where({ id }).forUpdate();
    await db("accounts").transacting(trx).where({ id }).update({ balance: rows[0].balance + 1 });
    await trx.commit();
  } catch (e) { await trx.rollback(); throw e; }
}`,
      [
        "withdraw explicit @ postgres:repeatable-read",
        "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id) limit 1",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  if (r1.balance < :n)",
        "    @returned1 := null",
        "  else",
        "    update accounts set balance = (r1.balance - :n) where (accounts.id = :id)",
        "    insert log {id = fresh sequence, account = :id, amount = :n}",
        "    @returned1 := (r1.balance - :n)",
        "  return @returned1",
        "credit unit",
        "  update accounts set balance = (accounts.balance + :n) where (accounts.id = :id)",
        "  r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.balance > 10) order by accounts.balance desc limit 5",
        "  loop rows",
        "    update accounts set balance = (accounts.balance - :n), note = null where (accounts.id = r1.id)",
        "  r2 = select count(*) as total from log where (log.account = :id)",
        "  if (r2.total > 10)",
        "    delete log where (log.account in [:id, 2])",
        "  insert log {id = fresh sequence, account = :id, amount = 1} returning r3: log.id as id",
        "  return r3.id",
        "byHand explicit",
        "  r1 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance, accounts.note as note from accounts where (accounts.id = :id) for update",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  update accounts set balance = (r1.balance + 1) where (accounts.id = :id)",
      ],
    ));

  it("are Drizzle's, over tables that the code declares", () =>
    check(
      `import { pgTable, serial, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/node-postgres";
import { eq, and, sql, desc, count, lt } from "drizzle-orm";
export const accounts = pgTable("accounts", { id: integer("id").primaryKey(), owner: text("owner").notNull(), balance: integer("balance").notNull().default(0), note: text() });
export const logs = pgTable("log", { id: serial("id").primaryKey(), accountId: integer("account").references(() => accounts.id, { onDelete: "cascade" }), amount: integer("amount").notNull() }, (t) => [uniqueIndex("u").on(t.accountId, t.amount)]);
const db = drizzle(process.env.URL, { schema: { accounts, logs } });
export async function withdraw(id: number, n: number, note?: string) {
  return await db.transaction(async (tx) => {
    const [account] = await tx.select().from(accounts).where(eq(accounts.id, id)).for("update");
    if (!account || account.balance < n) { tx.rollback(); return; }
    await tx.update(accounts).set({ balance: account.balance - n, note }).where(and(eq(accounts.id, id), lt(accounts.balance, 1000)));
    const [made] = await tx.insert(logs).values({ accountId: id, amount: n }).onConflictDoNothing().returning();
    return made.id;
  }, { isolationLevel: "serializable" });
}
export async function grow(id: number) {
  const total = await db.select({ n: count() }).from(logs).where(eq(logs.accountId, id));
  if (total[0].n >= 5) throw new Error("too many");
  await db.insert(logs).values({ accountId: id, amount: 1 });
  await db.update(accounts).set({ balance: sql\`\${accounts.balance} + \${1}\` }).where(eq(accounts.id, id));
  const last = await db.query.logs.findFirst({ where: eq(logs.accountId, id), orderBy: desc(logs.id) });
  await db.delete(logs).where(eq(logs.id, last.id));
}
`,
      [
        "withdraw explicit @ postgres:serializable",
        "  r1 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance, accounts.note as note from accounts where (accounts.id = :id) for update",
        "  if ((size(r1) <= 0) or (r1.balance < :n))",
        "    if true",
        "      rollback",
        "  else",
        "    update accounts set balance = (r1.balance - :n), note = ((:note is null) ? accounts.note : :note) where ((accounts.id = :id) and (accounts.balance < 1000))",
        "    insert log {id = fresh sequence, account = :id, amount = :n} on conflict () nothing returning r2: log.id as id, log.account as accountId, log.amount as amount",
        "    if (size(r2) <= 0)",
        "      rollback",
        "  return",
        "grow unit",
        "  r1 = select count(*) as n from log where (log.account = :id)",
        "  if (r1.n >= 5)",
        "    rollback",
        "  insert log {id = fresh sequence, account = :id, amount = 1}",
        "  update accounts set balance = (accounts.balance + 1) where (accounts.id = :id)",
        "  r2 = select log.id as id, log.account as accountId, log.amount as amount from log where (log.account = :id) order by log.id desc limit 1",
        "  if (size(r2) <= 0)",
        "    rollback",
        "  delete log where (log.id = r2.id)",
      ],
    ));

  it("are Kysely's, with its expression builders", () =>
    check(
      `import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
async function balance(trx: Transaction<DB>, id: number) {
  const a = await trx.selectFrom("accounts").select(["id", "balance"]).where("id", "=", id).forUpdate().executeTakeFirstOrThrow();
  return a.balance;
}
export async function withdraw(id: number, n: number) {
  return db.transaction().setIsolationLevel("repeatable read").execute(async (trx) => {
    const b = await balance(trx, id);
    if (b < n) return false;
    const done = await trx.updateTable("accounts").set({ balance: b - n }).where("id", "=", id).executeTakeFirst();
    if (done.numUpdatedRows !== 1n) throw new Error("lost");
    await trx.insertInto("log").values({ account: id, amount: n }).onConflict((oc) => oc.column("id").doUpdateSet({ amount: n })).execute();
    return true;
  });
}
export async function grow(id: number) {
  const { n } = await db.selectFrom("log").select((eb) => eb.fn.countAll().as("n")).where("account", "=", id).executeTakeFirstOrThrow();
  if (Number(n) >= 3) throw new Error("many");
  const [made] = await db.insertInto("log").values([{ account: id, amount: 1 }]).returning("id").execute();
  await db.updateTable("accounts").set((eb) => ({ balance: eb("balance", "+", 1) })).where((eb) => eb.or([eb("id", "=", id), eb("owner", "=", "x")])).execute();
  await sql\`delete from log where id = \${made.id}\`.execute(db);
}
`,
      [
        "withdraw explicit @ postgres:repeatable-read",
        "  r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.id = :id) for update",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  if (r1.balance < :n)",
        "    @returned1 := false",
        "  else",
        "    update accounts set balance = (r1.balance - :n) where (accounts.id = :id)",
        "    if not (affected(withdraw/2) = 1)",
        "      rollback",
        "    insert log {id = fresh sequence, account = :id, amount = :n} on conflict (id) update amount = :n",
        "    @returned1 := true",
        "  return @returned1",
        "grow unit",
        "  r1 = select count(*) as n from log where (log.account = :id)",
        "  if (r1.n >= 3)",
        "    rollback",
        "  insert log {id = fresh sequence, account = :id, amount = 1} returning r2: log.id as id",
        '  update accounts set balance = (accounts.balance + 1) where ((accounts.id = :id) or (accounts.owner = "x"))',
        "  delete log where (log.id = r2.id)",
      ],
    ));
});

it("values that Kysely writes into its text are values", () =>
  check(
    `import { Kysely, sql } from "kysely";
const db = new Kysely<any>({ dialect: new PostgresDialect({}) });
export async function f(owner: string) {
  await db.deleteFrom("accounts").where("owner", "=", sql.lit("bank")).where("note", "=", sql.val(owner)).execute();
}`,
    [
      "f autocommit",
      '  delete accounts where ((accounts.owner = "bank") and (accounts.note = :owner))',
    ],
  ));

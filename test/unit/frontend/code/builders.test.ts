// Query builders: their calls become SQL text, which is read like all other SQL.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL, balance int NOT NULL, note text);
CREATE TABLE log (id serial PRIMARY KEY, account int, amount int NOT NULL);
`;

/** The reading of a module: its transactions with their commands, and what was lost. */
async function check(text: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), expected);
}

describe("query builders", () => {
  for (const [how, join] of [
    ["join", "sql.join(rows, sql`, `)"],
    ["reduce", "rows.reduce((all, each) => sql`${all}, ${each}`)"],
  ] as const)
    it(`make one text of parts of queries by ${how}`, () =>
      check(
        `import { drizzle } from "drizzle-orm/node-postgres";
import { sql } from "drizzle-orm";
const db = drizzle(process.env.URL);
export async function add(account: number, amounts: number[]) {
  const rows = amounts.map((each) => sql\`(\${account}, \${each})\`);
  await db.execute(sql\`INSERT INTO log (account, amount) VALUES \${JOIN}\`);
}`.replace("JOIN", join),
        [
          "add autocommit",
          "  insert log {id = fresh sequence, account = :account, amount = :amounts[1]} {id = fresh sequence, account = :account, amount = :amounts[2]}",
        ],
      ));

  it("run the one of two methods that a condition names", () =>
    check(
      `import knex from "knex";
const db = knex({ client: "pg" });
export async function change(isMore: boolean, id, n) {
  await db("accounts").where({ id })[isMore ? "increment" : "decrement"]("balance", n);
}`,
      [
        "change autocommit",
        "  if (:isMore = true)",
        "    update accounts set balance = (accounts.balance + :n) where (accounts.id = :id)",
        "  else",
        "    update accounts set balance = (accounts.balance - :n) where (accounts.id = :id)",
      ],
    ));

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

const KYSELY = `import { Kysely, PostgresDialect, sql, CamelCasePlugin } from "kysely";
const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
`;

it("queries of Kysely that differ by path in more than conditions are statements of their own", async () => {
  const text = `${KYSELY}export async function read(id: number, options: { lock: boolean; note: boolean }) {
  let query = db.selectFrom("accounts").select("balance").$if(options.note, (q) => q.select("note"));
  if (options.lock) query = query.forUpdate();
  return query.where("id", "=", id).executeTakeFirst();
}
export async function oldest(id: number) {
  return db.selectFrom("log").selectAll("log").where("account", "=", id).orderBy("id", id > 3 ? "asc" : "desc").limit(1).execute();
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "read autocommit",
    "  if (:options.lock = true)",
    "    if (:options.note = true)",
    "      r1 = select accounts.balance as balance, accounts.note as note from accounts where (accounts.id = :id) for update",
    "    else",
    "      r2 = select accounts.balance as balance from accounts where (accounts.id = :id) for update",
    "  else",
    "    if (:options.note = true)",
    "      r3 = select accounts.balance as balance, accounts.note as note from accounts where (accounts.id = :id)",
    "    else",
    "      r4 = select accounts.balance as balance from accounts where (accounts.id = :id)",
    "  return",
    "oldest autocommit",
    "  if (:id > 3)",
    "    r1 = select log.id as id, log.account as account, log.amount as amount from log where (log.account = :id) order by log.id limit 1",
    "  else",
    "    r2 = select log.id as id, log.account as account, log.amount as amount from log where (log.account = :id) order by log.id desc limit 1",
    "  return",
  ]);
});

it("columns that Kysely is given nothing for keep what they hold, or get their defaults", async () => {
  const text = `${KYSELY}export async function change(id: number, data: { owner?: string; note?: string | null }) {
  await db.updateTable("accounts").set({ owner: data.owner, note: data.note }).where("id", "=", id).execute();
}
export async function note(id: number, amount: number, account?: number) {
  await db.insertInto("log").values({ account, amount }).execute();
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "change autocommit",
    "  update accounts set owner = ((:data.owner is null) ? accounts.owner : :data.owner), note = (((:data.note is null) and not (:data.note.isNull == true)) ? accounts.note : :data.note) where (accounts.id = :id)",
    "note autocommit",
    "  insert log {id = fresh sequence, account = ((:account is null) ? null : :account), amount = :amount}",
  ]);
});

it("Kysely's plugin for camel case says what tables and columns are called", async () => {
  const text = `${KYSELY.replace("pool })", "pool }), plugins: [new CamelCasePlugin()]")}export async function leave(userId: number) {
  const one = await db.selectFrom("groupUsers").selectAll().where("userId", "=", userId).executeTakeFirst();
  if (!one || one.leftAt) throw new Error("none");
  await db.updateTable("groupUsers").set({ leftAt: null }).where("groupUsers.id", "=", one.id).execute();
}`;
  assert.deepEqual(
    printed(
      await transactionsOf(
        "CREATE TABLE group_users (id int PRIMARY KEY, user_id int NOT NULL, left_at timestamp)",
        { "a.ts": text },
      ),
    ),
    [
      "leave unit",
      "  r1 = select group_users.id as id, group_users.user_id as user_id, group_users.left_at as left_at from group_users where (group_users.user_id = :userId)",
      "  if ((size(r1) <= 0) ? (size(r1) <= 0) : not (r1.left_at is null))",
      "    rollback",
      "  if (size(r1) <= 0)",
      "    rollback",
      "  update group_users set left_at = null where (group_users.id = r1.id)",
    ],
  );
});

it("cases, unions, other tables and queries that Kysely inserts are read, and what is not known is said", async () => {
  const text = `${KYSELY}export async function several(id: number) {
  const rows = await db.selectFrom("accounts as a").innerJoin("log", (join) => join.onRef("log.account", "=", "a.id").on("log.amount", ">", 3))
    .select((eb) => ["a.id", eb.case().when("a.balance", ">", 10).then("rich").else("poor").end().as("kind")])
    .where(({ and, eb, exists, selectFrom }) => and([eb.between("a.balance", 1, 5), exists(selectFrom("log as l").select("l.id").whereRef("l.account", "=", "a.id"))])).execute();
  await db.deleteFrom("log").where("account", "in", db.selectFrom("accounts").select("id").where("owner", "=", "x").unionAll(db.selectFrom("log").select("account as id"))).execute();
  await db.updateTable("accounts").from("log").set((eb) => ({ balance: eb.ref("log.amount") })).whereRef("log.account", "=", "accounts.id").where("log.id", "=", id).execute();
  await db.insertInto("log").columns(["account", "amount"]).expression((eb) => eb.selectFrom("accounts").select(["id", "balance"]).where("id", "=", id)).execute();
  await db.selectFrom("log").selectAll().modifyEnd(sql\`x\`).execute();
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "several unit",
    '  r1 = select a.id as id, ((a.balance > 10) ? "rich" : "poor") as kind from accounts a inner join log on ((log.account = a.id) and (log.amount > 3)) where ((a.balance >= 1) and (a.balance <= 5) and exists (select l.id as id from log l where (l.account = a.id)))',
    '  delete log where (log.account in (select accounts.id as id from accounts where (accounts.owner = "x") union all select log.account as id from log))',
    "  update accounts set balance = log.amount from log where ((log.account = accounts.id) and (log.id = :id))",
    "  insert log (account, amount, id) select accounts.id as id, accounts.balance as balance, fresh sequence as id from accounts where (accounts.id = :id)",
    "  opaque reads log",
    "  ! kysely: modifyEnd() of a query is not known",
  ]);
});

it("a plugin of Kysely that gives its queries back changes nothing", async () => {
  const text = `${KYSELY}class Same { transformQuery(args) { return args.node; } }
export async function plugged(id: number) {
  await db.withPlugin(new Same()).transaction().execute(async (trx) => {
    if (!trx.isTransaction || db.isTransaction) throw new Error("never");
    const { ref } = trx.dynamic;
    await trx.deleteFrom("log").where(ref("log.account"), "=", id).execute();
  });
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "plugged explicit",
    "  delete log where (log.account = :id)",
  ]);
});

it("which of two repositories is used is not the first", async () => {
  const text = `import { DataSource, Entity, PrimaryColumn, Column } from "typeorm";
@Entity("users") class User { @PrimaryColumn() id: number; @Column() name: string; }
@Entity("admins") class Admin { @PrimaryColumn() id: number; @Column() name: string; }
const source = new DataSource({ type: "postgres", entities: [User, Admin] });
export async function rename(id: number, isAdmin: boolean) {
  const repository = isAdmin ? source.getRepository(Admin) : source.getRepository(User);
  await repository.update({ id }, { name: "x" });
}`;
  assert.deepEqual(printed(await transactionsOf("", { "a.ts": text })), [
    "rename autocommit",
    "  if (:isAdmin = true)",
    '    update admins set name = "x" where (admins.id = :id)',
    "  else",
    '    update users set name = "x" where (users.id = :id)',
  ]);
});

const KNEX = `import knex from "knex";
const db = knex({ client: "pg" });
`;

it("what knex' orWhere begins goes on to the next one", async () => {
  const text = `${KNEX}export async function either(id: number, n: number) {
  await db("accounts").where({ id }).orWhere("balance", ">", n).andWhere("owner", "x").whereNotNull("note").del();
  await db("accounts").where((q) => q.where("id", id).orWhere({ id: n })).whereNot("owner", "x").del();
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "either unit",
    '  delete accounts where ((accounts.id = :id) or ((accounts.balance > :n) and (accounts.owner = "x") and not (accounts.note is null)))',
    '  delete accounts where (((accounts.id = :id) or (accounts.id = :n)) and not (accounts.owner = "x"))',
  ]);
});

it("callbacks of knex' joins, all columns that it groups by, and columns that come back from an update", async () => {
  const text = `${KNEX}export async function joins(id: number) {
  const rows = await db("accounts as a").leftJoin("log as l", function () { this.on("l.account", "=", "a.id").andOnVal("l.amount", ">", 3); })
    .select("a.id", db.raw("sum(l.amount) as total")).groupBy("a.id", "a.owner").orderBy([{ column: "a.id", order: "desc" }]);
  const [one] = await db("accounts").where({ id }).update({ note: null }, ["balance"]);
  const [{ kinds }] = await db("log").where({ account: one.balance }).countDistinct("amount as kinds");
  if (kinds > 3) await db("log").where("account", "in", [1, 2]).del();
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "joins unit",
    "  r1 = select a.id as id, sum(l.amount) as total from accounts a left join log l on ((l.account = a.id) and (l.amount > 3)) group by a.id, a.owner order by a.id desc",
    "  update accounts set note = null where (accounts.id = :id) returning r2: accounts.balance as balance",
    "  if (size(r2) <= 0)",
    "    rollback",
    "  r3 = select count(distinct log.amount) as kinds from log where (log.account = r2.balance)",
    "  if (r3.kinds > 3)",
    "    delete log where (log.account in [1, 2])",
  ]);
});

it("what knex merges into is the row that was to be inserted, and its bindings are values and names", async () => {
  const text = `${KNEX}export async function merge(id: number, note?: string) {
  await db("accounts").insert({ id, owner: "x", balance: 1, note }).onConflict("id").merge().where("accounts.balance", "<", 3);
  await db.raw("update accounts set note = :note where id = :id", { note: null, id });
  await db.raw("update accounts set balance = ? where ?? = ?", [4, "accounts.id", id]);
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "merge unit",
    '  insert accounts {id = :id, owner = "x", balance = 1, note = ((:note is null) ? null : :note)} on conflict (id) update id = excluded.id, owner = excluded.owner, balance = excluded.balance, note = excluded.note where (accounts.balance < 3)',
    "  update accounts set note = null where (accounts.id = :id)",
    "  update accounts set balance = 4 where (accounts.id = :id)",
  ]);
});

it("queries within knex' queries, and what is not known is said where it runs", async () => {
  const text = `${KNEX}export async function others(id: number) {
  const rows = await db.with("rich", (q) => q.select("id").from("accounts").where("balance", ">", 9)).select("id").from("rich").whereIn("id", db("log").select("account")).union(db("log").select("account"));
  await db("accounts").whereExists(function () { this.select("*").from("log").whereRaw("log.account = accounts.id"); }).forUpdate();
  await db("accounts").where({ id }).orderBy(rows).select("id");
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "others unit",
    "  r1 = select rich.id as id from (select accounts.id as id from accounts where (accounts.balance > 9)) rich where (rich.id in (select log.account as account from log)) union select log.account as account from log",
    "  r2 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance, accounts.note as note from accounts where exists (select log.id as id, log.account as account, log.amount as amount from log where (log.account = accounts.id)) for update",
    "  opaque reads accounts",
    "  ! knex: orderBy() of a query is not known",
  ]);
});

it("knex' clients say whether they are transactions, and work that is given is run by them", async () => {
  const text = `${KNEX}const inTransaction = (client, work) => (client.isTransaction ? work(client) : client.transaction((trx) => work(trx)));
export async function once(id: number) {
  await inTransaction(db, (client) => inTransaction(client, async (trx) => { await trx("log").where({ id }).del(); }));
}
export function starter() { return (work) => db.transaction(work); }`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "once explicit",
    "  delete log where (log.id = :id)",
    "starter explicit",
    "  opaque writes ",
    "  return",
    "  ! callback() is given a connection, and what it does is not known",
    "  ! callback() is given a connection, and what it does is not known",
  ]);
});
it("what a package of ids says of one makes none", async () => {
  const text = `${KNEX}import { v4, validate } from "uuid";
export async function touch(key: string) {
  if (!validate(key)) throw new Error("none");
  await db("accounts").where({ owner: key }).update({ note: v4() });
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "touch autocommit",
    "  if not (not (code:validate(:key) is null) and code:truth(code:validate(:key)))",
    "    rollback",
    "  update accounts set note = fresh uuid where (accounts.owner = :key)",
  ]);
});

it("services that come in records, and from what wraps them, are told by their types", async () => {
  const services = `import type { Knex } from "knex";
export type Wrapped<S> = S & { transactional: <R>(work: (service: S) => R, name?: string) => Promise<R> };
export class Store {
  constructor(private db: Knex) {}
  async get(id: number) { return this.db("accounts").where({ id }).first("balance"); }
  async set(id: number, balance: number) { await this.db("accounts").where({ id }).update({ balance }); }
}
export class Service {
  private store: Store;
  constructor({ store }: Pick<Stores, "store">) { this.store = store; }
  async bump(id: number) { const { balance } = await this.store.get(id); await this.store.set(id, balance + 1); }
}
export interface Stores { store: Store; size: number }
export interface Services { service: Service; wrapped: Wrapped<Service> }
`;
  const controller = `import type { Services, Service, Wrapped } from "./services";
export class Controller {
  private service: Service;
  private wrapped: Wrapped<Service>;
  constructor(config: unknown, { service, wrapped }: Services) { this.service = service; this.wrapped = wrapped; }
  async plain(id: number) { await this.service.bump(id); }
  async alone(id: number) { await this.wrapped.bump(id); }
  async together(id: number) { await this.wrapped.transactional((service) => service.bump(id)); }
}
export const run = (work: (each: Service) => Promise<void>, atomically: (task: (service: Service) => Promise<void>) => Promise<void>) => atomically((service) => service.bump(1));
`;
  const lines = printed(await transactionsOf(DDL, { "services.ts": services, "a.ts": controller }));
  assert.deepEqual(lines, [
    "Controller.plain unit",
    "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id) limit 1",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  update accounts set balance = (r1.balance + 1) where (accounts.id = :id)",
    "Controller.alone unit",
    "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id) limit 1",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  update accounts set balance = (r1.balance + 1) where (accounts.id = :id)",
    "Controller.together explicit",
    "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id) limit 1",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  update accounts set balance = (r1.balance + 1) where (accounts.id = :id)",
    "  ! this.wrapped.transactional() is not known: it is taken to run what it is given in one transaction, at the default level",
    "run explicit",
    "  r1 = select accounts.balance as balance from accounts where (accounts.id = 1) limit 1",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  update accounts set balance = (r1.balance + 1) where (accounts.id = 1)",
    "  return",
    "  ! atomically() is not known: it is taken to run what it is given in one transaction, at the default level",
  ]);
});

it("queries of knex that differ by path in more than conditions are statements of their own", async () => {
  const text = `${KNEX}export async function list(id: number, all: boolean) {
  const query = db("log").select("id").where({ account: id });
  if (all) query.select("amount"); else query.limit(3);
  query.orderBy("id");
  return await query;
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "list autocommit",
    "  if (:all = true)",
    "    r1 = select log.id as id, log.amount as amount from log where (log.account = :id) order by log.id",
    "  else",
    "    r2 = select log.id as id from log where (log.account = :id) order by log.id limit 3",
    "  return",
  ]);
});

it("what is awaited is the whole of a chain behind type arguments, and lists that may be left out are awaited item by item", async () => {
  const text = `${KNEX}interface Row { id: number }
export async function made(amount: number) {
  const [row] = await db<Row>("log").insert({ amount }, ["id"]);
  return row.id;
}
export async function all(id: number, amounts?: number[]) {
  const work = (amounts || []).filter((each) => each !== 3).map((amount) => db("log").insert({ account: id, amount }));
  await Promise.all(work);
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "made autocommit",
    "  insert log {id = fresh sequence, account = null, amount = :amount} returning r1: log.id as id",
    "  return r1.id",
    "all unit",
    "  if not (:amounts is null)",
    "    loop count",
    "      if not (:amounts[@i1] == 3)",
    "        insert log {id = fresh sequence, account = :id, amount = :amounts[@i1]}",
  ]);
});

it("a lock that only the second of two paths adds is on that path", async () => {
  const text = `${KNEX}export async function read(id: number, all: boolean) {
  const query = db("accounts").select("balance").where({ id });
  if (all) query.where("balance", ">", 0); else query.forUpdate();
  return await query;
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "read autocommit",
    "  if (:all = true)",
    "    r1 = select accounts.balance as balance from accounts where ((accounts.id = :id) and (accounts.balance > 0))",
    "  else",
    "    r2 = select accounts.balance as balance from accounts where (accounts.id = :id) for update",
    "  return",
  ]);
});

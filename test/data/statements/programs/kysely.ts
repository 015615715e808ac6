import { Kysely, PostgresDialect, sql, type Generated, type Transaction } from "kysely";
import { Pool } from "pg";

interface Database {
  accounts: { id: Generated<number>; owner: string; balance: Generated<number>; note: string | null; version: Generated<number> };
  orders: { id: Generated<number>; account_id: number; total: number; status: Generated<string> };
  lines: { order_id: number; product: string; quantity: number };
}

const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: process.env.DATABASE_URL }) }) });

export async function connect() {
  await sql`SELECT 1`.execute(db);
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  await db.transaction().execute(async (trx) => {
    const source = await trx.selectFrom("accounts").select("balance").where("id", "=", from).forUpdate().executeTakeFirstOrThrow();
    if (source.balance < amount) throw new Error("not enough");
    await trx.updateTable("accounts").set((eb) => ({ balance: eb("balance", "-", amount) })).where("id", "=", from).execute();
    await trx.updateTable("accounts").set({ balance: sql`balance + ${amount}` }).where("id", "=", to).execute();
  });
}

async function accountOf(trx: Transaction<Database> | Kysely<Database>, owner: string) {
  return trx.selectFrom("accounts").selectAll().where("owner", "=", owner).executeTakeFirst();
}

// run "ann"
// run "dee"
export async function ensure(owner: string) {
  return db.transaction().setIsolationLevel("serializable").execute(async (trx) => {
    const known = await accountOf(trx, owner);
    if (known) return known.id;
    const made = await trx.insertInto("accounts").values({ owner }).returning("id").executeTakeFirstOrThrow();
    return made.id;
  });
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  await db.insertInto("accounts").values({ owner, balance: amount })
    .onConflict((oc) => oc.column("owner").doUpdateSet((eb) => ({ balance: eb("accounts.balance", "+", eb.ref("excluded.balance")), note: "again" })))
    .execute();
}

// run "ann"
export async function once(owner: string) {
  const result = await db.insertInto("accounts").values({ owner, balance: 1 }).onConflict((oc) => oc.columns(["owner"]).doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows);
}

// run 1, 1
// run 1, 4
export async function guarded(id: number, version: number) {
  const result = await db.updateTable("accounts").set({ note: "seen", version: version + 1 }).where("id", "=", id).where("version", "=", version).executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new Error("stale");
  await db.deleteFrom("lines").where("order_id", "=", id).execute();
}

// run [1, 3], "open"
export async function filters(accounts: number[], status: string) {
  const rows = await db.selectFrom("orders").select(["id", "total as amount"])
    .where("account_id", "in", accounts)
    .where((eb) => eb.or([eb("status", "=", status), eb("total", ">", 15)]))
    .where("status", "is not", null)
    .where((eb) => eb.not(eb("total", "=", 0)))
    .orderBy("total", "desc").orderBy("id")
    .limit(10).offset(1)
    .execute();
  return rows.length;
}

// run 1
export async function joined(id: number) {
  const rows = await db.selectFrom("orders as o")
    .innerJoin("accounts as a", "a.id", "o.account_id")
    .leftJoin("lines as l", (join) => join.onRef("l.order_id", "=", "o.id").on("l.quantity", ">", 1))
    .where("a.id", "=", id)
    .select(["o.id", "l.product", "a.owner as who"])
    .distinct()
    .execute();
  return rows.length;
}

// run 1
export async function counts(account: number) {
  const { count } = await db.selectFrom("orders").where("account_id", "=", account).select((eb) => eb.fn.countAll().as("count")).executeTakeFirstOrThrow();
  const { most } = await db.selectFrom("orders").where("account_id", "=", account).select(({ fn }) => [fn.max("total").as("most")]).executeTakeFirstOrThrow();
  return `${count} ${most}`;
}

// run 1
// run 3
export async function limited(account: number) {
  return await db.transaction().execute(async (trx) => {
    const { n } = await trx.selectFrom("orders").where("account_id", "=", account).select(sql<number>`count(*)::int`.as("n")).executeTakeFirstOrThrow();
    if (n >= 2) return false;
    await trx.insertInto("orders").values({ account_id: account, total: n + 1 }).execute();
    return true;
  });
}

// run 1
export async function remove(account: number) {
  const gone = await db.deleteFrom("lines").where("order_id", "in", (eb) => eb.selectFrom("orders").select("id").where("account_id", "=", account)).executeTakeFirst();
  return Number(gone.numDeletedRows);
}

// run [4, 5], 2
export async function bulk(totals: number[], account: number) {
  await db.insertInto("orders").values(totals.map((total) => ({ account_id: account, total, status: "new" }))).execute();
}

// run "open", 8
// run null, null
export async function search(status: string | null, min: number | null) {
  let query = db.selectFrom("orders").selectAll();
  if (status !== null) query = query.where("status", "=", status);
  query = query.$if(min !== null, (qb) => qb.where("total", ">=", min ?? 0));
  const rows = await query.orderBy("id", "asc").execute();
  return rows.length;
}

// run 1
export async function present(account: number) {
  const row = await db.selectFrom("accounts").select("owner")
    .where(({ exists, selectFrom, and }) => and([exists(selectFrom("orders").select("orders.id").whereRef("orders.account_id", "=", "accounts.id").where("orders.status", "=", "open"))]))
    .where("id", "=", account)
    .executeTakeFirst();
  return row?.owner ?? null;
}

// run 1, "ann"
export async function raw(id: number, owner: string) {
  const { rows } = await sql<{ balance: number }>`SELECT balance FROM accounts WHERE id = ${id} AND owner = ${owner} FOR SHARE`.execute(db);
  await db.updateTable("accounts").set("balance", rows[0].balance + 1).where("id", "=", id).execute();
}

// run 1, 5
export async function returned(id: number, amount: number) {
  const { balance } = await db.updateTable("accounts").set((eb) => ({ balance: eb("balance", "+", amount) })).where("id", "=", id).returning(["balance"]).executeTakeFirstOrThrow();
  if (balance > 100) await db.insertInto("orders").values({ account_id: id, total: balance }).execute();
  return balance;
}

// run 1
export async function loop(account: number) {
  await db.transaction().execute(async (trx) => {
    const orders = await trx.selectFrom("orders").select(["id", "total"]).where("account_id", "=", account).where("status", "=", "open").orderBy("id").forUpdate().skipLocked().execute();
    for (const { id, total } of orders) {
      await trx.updateTable("orders").set({ status: "paid", total: total + 1 }).where("id", "=", id).execute();
    }
  });
}

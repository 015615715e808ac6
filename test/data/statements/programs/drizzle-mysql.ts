import { eq, sql } from "drizzle-orm";
import { int, mysqlTable, text, varchar } from "drizzle-orm/mysql-core";
import { drizzle } from "drizzle-orm/mysql2";
import mysql from "mysql2/promise";

const accounts = mysqlTable("accounts", {
  id: int("id").primaryKey().autoincrement(),
  owner: varchar("owner", { length: 100 }).notNull().unique(),
  balance: int("balance").notNull().default(0),
  note: text("note"),
  version: int("version").notNull().default(1),
});
const orders = mysqlTable("orders", {
  id: int("id").primaryKey().autoincrement(),
  accountId: int("account_id").notNull(),
  total: int("total").notNull(),
  status: varchar("status", { length: 20 }).notNull().default("open"),
});

const db = drizzle(mysql.createPool({ host: "localhost", user: "root", database: "shop" }));

export async function connect() {
  await db.execute(sql`SELECT 1`);
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const [result] = await db.insert(accounts).values({ owner, balance });
  await db.insert(orders).values({ accountId: result.insertId, total: balance });
  return result.insertId;
}

// run "dee", 7
export async function openReturning(owner: string, balance: number) {
  const [{ id }] = await db.insert(accounts).values({ owner, balance }).$returningId();
  return id;
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  await db.insert(accounts).values({ owner, balance: amount }).onDuplicateKeyUpdate({ set: { balance: sql`balance + ${amount}` } });
}

// run 1, 30
export async function take(id: number, amount: number) {
  await db.transaction(async (tx) => {
    const [account] = await tx.select().from(accounts).where(eq(accounts.id, id)).for("update");
    await tx.update(accounts).set({ balance: account.balance - amount }).where(eq(accounts.id, id));
  }, { isolationLevel: "read committed" });
}

// run 1, 9
// run 7, 9
export async function changed(id: number, balance: number) {
  const [result] = await db.update(accounts).set({ balance }).where(eq(accounts.id, id));
  if (result.affectedRows === 0) throw new Error("none");
}

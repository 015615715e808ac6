import { and, asc, count, desc, eq, exists, gt, gte, inArray, isNull, lt, max, ne, or, sql, sum } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { relations } from "drizzle-orm";
import { integer, pgTable, primaryKey, serial, text } from "drizzle-orm/pg-core";
import { Pool } from "pg";

export const accounts = pgTable("accounts", {
  id: serial("id").primaryKey(),
  owner: text("owner").notNull().unique(),
  balance: integer("balance").notNull().default(0),
  note: text("note"),
  version: integer("version").notNull().default(1),
});
export const orders = pgTable("orders", {
  id: serial("id").primaryKey(),
  accountId: integer("account_id").notNull().references(() => accounts.id),
  total: integer("total").notNull(),
  status: text("status").notNull().default("open"),
});
export const lines = pgTable("lines", {
  orderId: integer("order_id").notNull().references(() => orders.id),
  product: text("product").notNull(),
  quantity: integer("quantity").notNull(),
}, (table) => [primaryKey({ columns: [table.orderId, table.product] })]);
export const accountRelations = relations(accounts, ({ many }) => ({ orders: many(orders) }));
export const orderRelations = relations(orders, ({ one }) => ({ account: one(accounts, { fields: [orders.accountId], references: [accounts.id] }) }));

const db = drizzle(new Pool({ connectionString: process.env.DATABASE_URL }), { schema: { accounts, orders, lines, accountRelations, orderRelations } });

export async function connect() {
  await db.execute(sql`SELECT 1`);
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  await db.transaction(async (tx) => {
    const [source] = await tx.select({ balance: accounts.balance }).from(accounts).where(eq(accounts.id, from)).for("update");
    if (source.balance < amount) {
      tx.rollback();
    }
    await tx.update(accounts).set({ balance: sql`${accounts.balance} - ${amount}` }).where(eq(accounts.id, from));
    await tx.update(accounts).set({ balance: sql`${accounts.balance} + ${amount}` }).where(eq(accounts.id, to));
  });
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const [{ id }] = await db.insert(accounts).values({ owner, balance }).returning({ id: accounts.id });
  await db.insert(orders).values({ accountId: id, total: balance });
  return id;
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  await db.insert(accounts).values({ owner, balance: amount })
    .onConflictDoUpdate({ target: accounts.owner, set: { balance: sql`${accounts.balance} + excluded.balance`, note: "again" } });
}

// run "ann"
export async function once(owner: string) {
  const made = await db.insert(accounts).values({ owner }).onConflictDoNothing().returning();
  return made.length;
}

// run 1, 1
// run 1, 4
export async function guarded(id: number, version: number) {
  const changed = await db.update(accounts).set({ note: "seen", version: version + 1 }).where(and(eq(accounts.id, id), eq(accounts.version, version))).returning({ id: accounts.id });
  if (changed.length === 0) throw new Error("stale");
  const result = await db.delete(lines).where(eq(lines.orderId, id));
  return result.rowCount;
}

// run [1, 3], "open"
export async function filters(ids: number[], status: string) {
  const rows = await db.select().from(orders)
    .where(and(inArray(orders.accountId, ids), or(eq(orders.status, status), gt(orders.total, 15)), ne(orders.total, 0), undefined))
    .orderBy(desc(orders.total), asc(orders.id)).limit(10).offset(1);
  return rows.length;
}

// run 1
export async function joined(id: number) {
  const rows = await db.selectDistinct({ order: orders.id, product: lines.product, who: accounts.owner }).from(orders)
    .innerJoin(accounts, eq(accounts.id, orders.accountId))
    .leftJoin(lines, and(eq(lines.orderId, orders.id), gt(lines.quantity, 1)))
    .where(and(eq(accounts.id, id), isNull(accounts.note)));
  return rows.length;
}

// run 1
export async function counts(account: number) {
  const [{ n }] = await db.select({ n: count() }).from(orders).where(eq(orders.accountId, account));
  const [{ most, all }] = await db.select({ most: max(orders.total), all: sum(orders.total) }).from(orders).where(eq(orders.accountId, account));
  const short = await db.$count(orders, eq(orders.accountId, account));
  return `${n} ${most} ${all} ${short}`;
}

// run 1
// run 3
export async function limited(account: number) {
  return db.transaction(async (tx) => {
    const [{ n }] = await tx.select({ n: sql<number>`count(*)::int` }).from(orders).where(eq(orders.accountId, account));
    if (n >= 2) return false;
    await tx.insert(orders).values({ accountId: account, total: n + 1 });
    return true;
  }, { isolationLevel: "serializable", accessMode: "read write" });
}

// run 2
export async function nested(id: number) {
  await db.transaction(async (tx) => {
    await tx.update(accounts).set({ note: "outer" }).where(eq(accounts.id, id));
    try {
      await tx.transaction(async (inner) => {
        await inner.update(accounts).set({ balance: 1 }).where(eq(accounts.id, id));
        throw new Error("undo");
      });
    } catch {
      await tx.update(accounts).set({ version: 2 }).where(eq(accounts.id, id));
    }
  });
}

// run "ann"
// run "zoe"
export async function found(owner: string) {
  const account = await db.query.accounts.findFirst({ where: eq(accounts.owner, owner) });
  if (!account) return null;
  await db.update(accounts).set({ balance: account.balance + 1 }).where(eq(accounts.id, account.id));
  return account.balance;
}

// run 8
export async function listed(min: number) {
  const rows = await db.query.orders.findMany({ where: (order, { gte: atLeast }) => atLeast(order.total, min), columns: { id: true, total: true }, orderBy: [desc(orders.total)], limit: 5 });
  return rows.length;
}

// run 1
export async function remove(account: number) {
  const own = db.select({ id: orders.id }).from(orders).where(eq(orders.accountId, account));
  const gone = await db.delete(lines).where(inArray(lines.orderId, own)).returning();
  return gone.length;
}

// run [4, 5], 2
export async function bulk(totals: number[], account: number) {
  await db.insert(orders).values(totals.map((total) => ({ accountId: account, total, status: "new" })));
}

// run "open", 8
// run null, null
export async function search(status: string | null, min: number | null) {
  const conditions = [];
  if (status) conditions.push(eq(orders.status, status));
  if (min !== null) conditions.push(gte(orders.total, min));
  const rows = await db.select({ id: orders.id }).from(orders).where(and(...conditions)).orderBy(orders.id);
  return rows.length;
}

// run "open", 8
// run null, null
export async function searchInline(status: string | null, min: number | null) {
  const rows = await db.select({ id: orders.id }).from(orders)
    .where(and(status ? eq(orders.status, status) : undefined, min === null ? undefined : lt(orders.total, min)))
    .orderBy(orders.id);
  return rows.length;
}

// run 1
export async function present(id: number) {
  const rows = await db.select({ owner: accounts.owner }).from(accounts)
    .where(and(eq(accounts.id, id), exists(db.select({ one: sql`1` }).from(orders).where(and(eq(orders.accountId, accounts.id), eq(orders.status, "open"))))));
  return rows.length > 0;
}

// run 1, "ann"
export async function raw(id: number, owner: string) {
  const { rows } = await db.execute<{ balance: number }>(sql`SELECT balance FROM accounts WHERE id = ${id} AND owner = ${owner} FOR UPDATE`);
  await db.execute(sql`UPDATE ${accounts} SET balance = ${rows[0].balance + 1} WHERE ${accounts.id} = ${id}`);
}

// run 3, "pen", 4
export async function keyed(order: number, product: string, quantity: number) {
  await db.insert(lines).values({ orderId: order, product, quantity })
    .onConflictDoUpdate({ target: [lines.orderId, lines.product], set: { quantity: sql`${lines.quantity} + ${quantity}` }, setWhere: lt(lines.quantity, 10) });
}

// run 1
export async function loop(account: number) {
  await db.transaction(async (tx) => {
    const open = await tx.select().from(orders).where(and(eq(orders.accountId, account), eq(orders.status, "open"))).orderBy(orders.id).for("no key update", { skipLocked: true });
    for (const order of open) {
      await tx.update(orders).set({ status: "paid", total: order.total + 1 }).where(eq(orders.id, order.id));
    }
  });
}

// run 1
export async function withOrders(id: number) {
  const account = await db.query.accounts.findFirst({ where: eq(accounts.id, id), with: { orders: true } });
  return account?.orders.length;
}

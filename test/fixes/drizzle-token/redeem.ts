// A voucher is used once: a column that is NULL, or not, decides.
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, serial, integer, text, timestamp } from "drizzle-orm/pg-core";
import { eq, sql } from "drizzle-orm";
export const vouchers = pgTable("vouchers", { id: serial("id").primaryKey(), code: text("code").notNull().unique(), usedAt: timestamp("used_at"), cents: integer("cents").notNull() });

export const wallets = pgTable("wallets", { id: serial("id").primaryKey(), cents: integer("cents").notNull().default(0) });

const db = drizzle(process.env.DATABASE_URL!);

/** Pays what a voucher is worth, once. */
export async function redeem(code: string, wallet: number) {
  await db.transaction(async (tx) => {
    const [v] = await tx.select().from(vouchers).where(eq(vouchers.code, code));
    if (!v || v.usedAt !== null) throw new Error("not usable");
    await tx.update(vouchers).set({ usedAt: new Date() }).where(eq(vouchers.id, v.id));
    await tx.update(wallets).set({ cents: sql`${wallets.cents} + ${v.cents}` }).where(eq(wallets.id, wallet));
  });
}

// A row that is read, changed in memory and saved.
import { and, eq, sql } from "drizzle-orm";
import { db } from "./client";
import { items } from "./schema";

export async function restock(id: number, amount: number) {
  await db.transaction(async (tx) => {
    const [item] = await tx.select().from(items).where(eq(items.id, id));
    if (!item) throw new Error("there is no such item");
    item.stock += amount;
    await tx.update(items).set({ stock: item.stock }).where(eq(items.id, id));
  });
}

export async function restockAtomically(id: number, amount: number) {
  await db
    .update(items)
    .set({ stock: sql`${items.stock} + ${amount}` })
    .where(eq(items.id, id));
}

export async function restockLocked(id: number, amount: number) {
  await db.transaction(async (tx) => {
    const [item] = await tx.select().from(items).where(eq(items.id, id)).for("update");
    if (!item) throw new Error("there is no such item");
    await tx
      .update(items)
      .set({ stock: item.stock + amount })
      .where(eq(items.id, id));
  });
}

export async function restockVersioned(id: number, amount: number) {
  await db.transaction(async (tx) => {
    const [item] = await tx.select().from(items).where(eq(items.id, id));
    if (!item) throw new Error("there is no such item");
    const saved = await tx
      .update(items)
      .set({ stock: item.stock + amount, version: item.version + 1 })
      .where(and(eq(items.id, id), eq(items.version, item.version)))
      .returning({ id: items.id });
    if (saved.length === 0) throw new Error("somebody else was faster");
  });
}

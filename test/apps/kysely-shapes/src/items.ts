// A row that is read, changed in memory and saved.
import { db } from "./database";

export async function restock(id: number, amount: number) {
  await db.transaction().execute(async (trx) => {
    const { stock } = await trx
      .selectFrom("items")
      .select("stock")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await trx
      .updateTable("items")
      .set({ stock: stock + amount })
      .where("id", "=", id)
      .execute();
  });
}

export async function restockAtomically(id: number, amount: number) {
  await db
    .updateTable("items")
    .set((eb) => ({ stock: eb("stock", "+", amount) }))
    .where("id", "=", id)
    .execute();
}

export async function restockLocked(id: number, amount: number) {
  await db.transaction().execute(async (trx) => {
    const { stock } = await trx
      .selectFrom("items")
      .select("stock")
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await trx
      .updateTable("items")
      .set({ stock: stock + amount })
      .where("id", "=", id)
      .execute();
  });
}

export async function restockVersioned(id: number, amount: number) {
  await db.transaction().execute(async (trx) => {
    const item = await trx
      .selectFrom("items")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const { numUpdatedRows } = await trx
      .updateTable("items")
      .set({ stock: item.stock + amount, version: item.version + 1 })
      .where("id", "=", id)
      .where("version", "=", item.version)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Error("somebody else was faster");
  });
}

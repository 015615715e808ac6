// A row that is read, changed in memory and saved.
import { db } from "./database";

export async function restock(id: number, amount: number) {
  await db.transaction(async (trx) => {
    const item = await trx("items").where({ id }).first();
    if (!item) throw new Error("there is no such item");
    await trx("items")
      .where({ id })
      .update({ stock: item.stock + amount });
  });
}

export async function restockAtomically(id: number, amount: number) {
  await db("items").where({ id }).increment("stock", amount);
}

export async function restockLocked(id: number, amount: number) {
  const trx = await db.transaction();
  try {
    const item = await trx("items").where({ id }).forUpdate().first();
    if (!item) throw new Error("there is no such item");
    await trx("items")
      .where({ id })
      .update({ stock: item.stock + amount });
    await trx.commit();
  } catch (error) {
    await trx.rollback();
    throw error;
  }
}

export async function restockVersioned(id: number, amount: number) {
  await db.transaction(async (trx) => {
    const item = await trx("items").where({ id }).first();
    if (!item) throw new Error("there is no such item");
    const saved = await trx("items")
      .where({ id, version: item.version })
      .update({ stock: item.stock + amount, version: item.version + 1 });
    if (saved === 0) throw new Error("somebody else was faster");
  });
}

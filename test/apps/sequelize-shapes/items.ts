// A row that is read, changed in memory and saved.
import { Item, Part, sequelize } from "./models";

export async function restock(id: number, amount: number) {
  const item = await Item.findByPk(id, { rejectOnEmpty: true });
  item.stock += amount;
  await item.save();
}

export async function restockLocked(id: number, amount: number) {
  await sequelize.transaction(async (transaction) => {
    const item = await Item.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!item) throw new Error("there is no such item");
    await item.update({ stock: item.stock + amount }, { transaction });
  });
}

export async function restockAtomically(id: number, amount: number) {
  await Item.increment("stock", { by: amount, where: { id } });
}

export async function restockVersioned(id: number, amount: number) {
  const part = await Part.findByPk(id, { rejectOnEmpty: true });
  part.stock += amount;
  await part.save();
}

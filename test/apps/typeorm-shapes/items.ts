// A row that is read, changed in memory and saved.
import { dataSource, Item } from "./entities";

const items = dataSource.getRepository(Item);

export async function restock(id: number, amount: number) {
  const item = await items.findOneByOrFail({ id });
  item.stock += amount;
  await items.save(item);
}

export async function restockLocked(id: number, amount: number) {
  await dataSource.transaction(async (manager) => {
    const item = await manager.findOneOrFail(Item, {
      where: { id },
      lock: { mode: "pessimistic_write" },
    });
    item.stock += amount;
    await manager.save(item);
  });
}

export async function restockAtomically(id: number, amount: number) {
  await items.increment({ id }, "stock", amount);
}

export async function restockVersioned(id: number, amount: number) {
  const item = await items.findOneByOrFail({ id });
  const { affected } = await items.update(
    { id, version: item.version },
    { stock: item.stock + amount },
  );
  if (affected === 0) throw new Error("somebody else was faster");
}

// Stock is read, compared and written back.
import { Column, DataSource, Entity, PrimaryColumn } from "typeorm";

@Entity("item")
class Item {
  @PrimaryColumn("integer")
  id: number;

  @Column("integer")
  stock: number;
}

const dataSource = new DataSource({ type: "postgres", url: process.env.DATABASE_URL, entities: [Item] });

export async function take(id: number, amount: number) {
  await dataSource.transaction(async (manager) => {
    const item = await manager.findOneByOrFail(Item, { id });
    if (item.stock < amount) throw new Error("there is not enough");
    await manager.update(Item, { id }, { stock: item.stock - amount });
  });
}

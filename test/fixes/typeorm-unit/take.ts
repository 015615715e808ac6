// Stock is read, compared and written back, each by itself.
import { Column, DataSource, Entity, PrimaryColumn } from "typeorm";

@Entity("item")
class Item {
  @PrimaryColumn("integer")
  id: number;

  @Column("integer")
  stock: number;
}

const dataSource = new DataSource({ type: "postgres", url: process.env.DATABASE_URL, entities: [Item] });

const items = dataSource.getRepository(Item);

export async function take(id: number, amount: number) {
  const item = await items.findOneByOrFail({ id });
  item.stock -= amount;
  await items.save(item);
}

// Stock is read, compared and written back.
import { Entity, MikroORM, PrimaryKey, Property } from "@mikro-orm/postgresql";

@Entity()
class Item {
  @PrimaryKey({ type: "integer" })
  id!: number;

  @Property({ type: "integer" })
  stock!: number;
}

const orm = await MikroORM.init({ clientUrl: process.env.DATABASE_URL, entities: [Item] });

export async function take(id: number, amount: number) {
  await orm.em.fork().transactional(async (em) => {
    const item = await em.findOneOrFail(Item, id);
    if (item.stock < amount) throw new Error("there is not enough");
    item.stock -= amount;
  });
}

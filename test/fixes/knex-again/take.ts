// Stock is read, compared and written back at a level whose refusals nobody catches.
import knex from "knex";

const db = knex({ client: "pg", connection: process.env.DATABASE_URL });

export async function take(id: number, amount: number) {
  await db.transaction(async (trx) => {
    const item = await trx("item").where({ id }).first();
    if (!item || item.stock < amount) throw new Error("there is not enough");
    const left = item.stock - amount;
    await trx("item").where({ id }).update({ stock: left });
  });
}

// Stock is read on another connection than that of the transaction.
import knex from "knex";

const db = knex({ client: "pg", connection: process.env.DATABASE_URL });

export async function take(id: number, amount: number) {
  await db.transaction(async (trx) => {
    const item = await db("item").where({ id }).first().forUpdate();
    if (!item || item.stock < amount) throw new Error("there is not enough");
    await trx("item").where({ id }).update({ stock: item.stock - amount });
  });
}

// Two rows are changed in the order in which the caller names them.
import knex from "knex";

const db = knex({ client: "pg", connection: process.env.DATABASE_URL });

export async function move(from: number, to: number, amount: number) {
  await db.transaction(async (trx) => {
    await trx("item").where({ id: from }).decrement("stock", amount);
    await trx("item").where({ id: to }).increment("stock", amount);
  });
}

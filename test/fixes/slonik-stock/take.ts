// Stock is read, compared and written back.
import { createPool, sql } from "slonik";

const pool = await createPool(process.env.DATABASE_URL);

export async function take(id: number, amount: number) {
  await pool.transaction(async (tx) => {
    const { stock } = await tx.one(sql.unsafe`SELECT stock FROM item WHERE id = ${id}`);
    if (stock < amount) throw new Error("there is not enough");
    await tx.query(sql.unsafe`UPDATE item SET stock = ${stock - amount} WHERE id = ${id}`);
  });
}

// Stock is read on another connection than that of the transaction.
import { Pool } from "pg";

const pool = new Pool();

export async function take(id: number, amount: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await pool.query("SELECT stock FROM item WHERE id = $1 FOR UPDATE", [id]);
    if (rows[0].stock < amount) throw new Error("there is not enough");
    await client.query("UPDATE item SET stock = $2 WHERE id = $1", [id, rows[0].stock - amount]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

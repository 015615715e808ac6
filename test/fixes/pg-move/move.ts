// Two rows are changed in the order in which the caller names them.
import { Pool } from "pg";

const pool = new Pool();

export async function move(from: number, to: number, amount: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("UPDATE item SET stock = stock - $2 WHERE id = $1", [from, amount]);
    await client.query("UPDATE item SET stock = stock + $2 WHERE id = $1", [to, amount]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

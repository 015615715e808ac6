// A score is read and written back, each by itself.
import { Pool } from "pg";

const pool = new Pool();

export async function rate(id: number, stars: number): Promise<void> {
  const found = await pool.query("SELECT score FROM film WHERE id = $1", [id]);
  const { score } = found.rows[0];
  await pool.query("UPDATE film SET score = $1 WHERE id = $2", [score * 9 + stars, id]);
}

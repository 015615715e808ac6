// A desk is booked for a day unless it is booked already.
import { Pool } from "pg";

const pool = new Pool();

export async function book(id: number, desk: number, day: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const taken = await client.query("SELECT id FROM booking WHERE desk_id = $1 AND day = $2", [
      desk,
      day,
    ]);
    if (taken.rows.length > 0) throw new Error("it is taken");
    await client.query("INSERT INTO booking (id, desk_id, day) VALUES ($1, $2, $3)", [
      id,
      desk,
      day,
    ]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

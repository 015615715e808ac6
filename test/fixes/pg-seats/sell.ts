// Tickets are counted before one more is sold.
import { Pool } from "pg";

const pool = new Pool();

export async function sell(ticket: number, event: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows: events } = await client.query("SELECT seats FROM event WHERE id = $1", [event]);
    const { rows } = await client.query("SELECT count(*) AS sold FROM ticket WHERE event_id = $1", [
      event,
    ]);
    if (Number(rows[0].sold) >= events[0].seats) throw new Error("it is sold out");
    await client.query("INSERT INTO ticket (id, event_id) VALUES ($1, $2)", [ticket, event]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

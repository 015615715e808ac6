import { transaction } from "./database";

/** Takes seats if there are enough. */
export function reserve(flight: number, seats: number): Promise<boolean> {
  return transaction(async (client) => {
    const { rows } = await client.query("SELECT free FROM flight WHERE id = $1", [flight]);
    const free = rows[0].free - seats;
    if (free < 0) return false;
    await client.query("UPDATE flight SET free = $2 WHERE id = $1", [flight, free]);
    return true;
  });
}

/** Sells one seat of which nobody has a ticket yet. */
export async function sell(flight: number): Promise<number> {
  return transaction(async (client) => {
    const { rows } = await client.query(
      "SELECT COALESCE(MAX(seat), 0) + 1 AS next FROM ticket WHERE flight = $1",
      [flight],
    );
    await client.query("INSERT INTO ticket (flight, seat) VALUES ($1, $2)", [flight, rows[0].next]);
    return rows[0].next;
  });
}

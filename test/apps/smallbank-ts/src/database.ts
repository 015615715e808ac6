import { Pool, type PoolClient } from "pg";

export const pool = new Pool({ connectionString: process.env.DATABASE_URL });

/** Runs `work` in a transaction of its own: committed when it returns, rolled back when it throws. */
export async function withTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

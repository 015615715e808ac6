// A token is used once: a column that is true for JavaScript, or not, decides.
import { Pool } from "pg";

const pool = new Pool();

/** Pays what a token is worth, once. */
export async function redeem(code: string, account: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT id, used, credit FROM tokens WHERE code = $1", [code]);
    const [token] = rows;
    if (!token) throw new Error("unknown");
    if (token.used) throw new Error("used already");
    await client.query("UPDATE tokens SET used = true WHERE id = $1", [token.id]);
    await client.query("UPDATE accounts SET credit = credit + $1 WHERE id = $2", [token.credit, account]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

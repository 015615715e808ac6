import { Client, Pool, type PoolClient } from "pg";

const pool = new Pool({ connectionString: process.env.DATABASE_URL });

async function withTransaction<T>(work: (client: PoolClient) => Promise<T>, level = "READ COMMITTED"): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${level}`);
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

// run 1, 2, 30
// run 1, 2, 300
// run 9, 2, 30
export async function transfer(from: number, to: number, amount: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", [from]);
    if (rows.length === 0) throw new Error("no such account");
    if (rows[0].balance < amount) {
      await client.query("ROLLBACK");
      return false;
    }
    await client.query("UPDATE accounts SET balance = balance - $2 WHERE id = $1", [from, amount]);
    await client.query("UPDATE accounts SET balance = balance + $1 WHERE id = $2", [amount, to]);
    await client.query("COMMIT");
    return true;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

// run "dee", 7
export function open(owner: string, balance: number) {
  return withTransaction(async (client) => {
    const inserted = await client.query("INSERT INTO accounts (owner, balance) VALUES ($1, $2) RETURNING id", [owner, balance]);
    const id: number = inserted.rows[0].id;
    await client.query("INSERT INTO orders (account_id, total) VALUES ($1, $2)", [id, balance * 2]);
    return id;
  }, "SERIALIZABLE");
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  await pool.query(
    `INSERT INTO accounts (owner, balance) VALUES ($1, $2)
     ON CONFLICT (owner) DO UPDATE SET balance = accounts.balance + EXCLUDED.balance`,
    [owner, amount],
  );
}

// run 1, 1, "new"
// run 1, 4, "new"
export async function saveIfUnchanged(id: number, version: number, note: string) {
  const result = await pool.query(
    "UPDATE accounts SET note = $3, version = version + 1 WHERE id = $1 AND version = $2",
    [id, version, note],
  );
  if (result.rowCount === 0) throw new Error("changed meanwhile");
  await pool.query({ text: "UPDATE orders SET status = 'seen' WHERE account_id = $1", values: [id] });
}

// run {"balance": 5, "note": "n"}, 2
// run {"note": "only"}, 2
export async function patch(changes: { balance?: number; note?: string }, id: number) {
  const sets: string[] = [];
  const values: unknown[] = [];
  if (changes.balance !== undefined) {
    values.push(changes.balance);
    sets.push(`balance = $${values.length}`);
  }
  if (changes.note !== undefined) {
    values.push(changes.note);
    sets.push(`note = $${values.length}`);
  }
  if (sets.length === 0) return 0;
  values.push(id);
  const { rowCount } = await pool.query(`UPDATE accounts SET ${sets.join(", ")} WHERE id = $${values.length}`, values);
  return rowCount;
}

// run "open", 8
// run "open", null
// run null, null
export async function search(status: string | null, min: number | null) {
  let sql = "SELECT id, total FROM orders WHERE 1 = 1";
  const args: (string | number)[] = [];
  if (status) {
    args.push(status);
    sql += ` AND status = $${args.length}`;
  }
  if (min !== null) {
    args.push(min);
    sql += ` AND total >= $${args.length}`;
  }
  sql += " ORDER BY id";
  const { rows } = await pool.query(sql, args);
  return rows.length;
}

// run 3, [{"product": "pen", "quantity": 4}, {"product": "cap", "quantity": 6}]
export async function addLines(order: number, lines: { product: string; quantity: number }[]) {
  await withTransaction(async (client) => {
    for (const line of lines) {
      await client.query("INSERT INTO lines (order_id, product, quantity) VALUES ($1, $2, $3)", [order, line.product, line.quantity]);
    }
    await client.query("UPDATE orders SET total = total + $1 WHERE id = $2", [lines.length, order]);
  });
}

// run 1
export async function settle(account: number) {
  const client = new Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query("BEGIN");
  await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  const open = await client.query("SELECT id, total FROM orders WHERE account_id = $1 AND status = $2 ORDER BY id FOR NO KEY UPDATE SKIP LOCKED", [account, "open"]);
  let sum = 0;
  for (const order of open.rows) {
    await client.query("UPDATE orders SET status = 'paid' WHERE id = $1", [order.id]);
    sum += order.total;
  }
  await client.query("UPDATE accounts SET balance = balance - $1 WHERE id = $2", [sum, account]);
  await client.query("COMMIT");
  await client.end();
  return sum;
}

// run 1, 2
// run 1, 9
export async function remove(account: number, most: number) {
  const { rows: [{ count }] } = await pool.query("SELECT count(*)::int AS count FROM orders WHERE account_id = $1", [account]);
  if (count > most) return "too many";
  await pool.query("DELETE FROM lines WHERE order_id IN (SELECT id FROM orders WHERE account_id = $1)", [account]);
  const gone = await pool.query("DELETE FROM orders WHERE account_id = $1 RETURNING id", [account]);
  return gone.rowCount;
}

// run 2
export async function nested(id: number) {
  return withTransaction(async (client) => {
    await client.query("UPDATE accounts SET balance = balance + 1 WHERE id = $1", [id]);
    await client.query("SAVEPOINT attempt");
    try {
      await client.query("INSERT INTO accounts (owner) VALUES ('ann')");
      await client.query("RELEASE SAVEPOINT attempt");
    } catch {
      await client.query("ROLLBACK TO SAVEPOINT attempt");
      await client.query("UPDATE accounts SET note = 'taken' WHERE id = $1", [id]);
    }
    const { rows } = await client.query("SELECT a.owner, sum(o.total) AS sum FROM accounts a JOIN orders o ON o.account_id = a.id WHERE a.id = $1 GROUP BY a.owner", [id]);
    return rows[0].owner;
  });
}

// run ["ann", "cid"], 3
export async function raise(owners: string[], by: number) {
  const result = await pool.query("UPDATE accounts SET balance = balance + $2 WHERE owner = ANY($1)", [owners, by]);
  return result.rowCount;
}

// run "ann", 1, 2
export async function page(owner: string, page: number, size: number) {
  const result = await pool.query({
    text: `SELECT o.id FROM orders o WHERE o.account_id = (SELECT id FROM accounts WHERE owner = $1) ORDER BY o.id DESC LIMIT $2 OFFSET $3`,
    values: [owner, size, (page - 1) * size],
  });
  return result.rows.map((row) => row.id);
}

// run [4, 5, 6], 1
export async function bulk(totals: number[], account: number) {
  const tuples = totals.map((_, i) => `($1, $${i + 2})`).join(", ");
  await pool.query(`INSERT INTO orders (account_id, total) VALUES ${tuples}`, [account, ...totals]);
}

// run 1
// run 3
export async function next(account: number) {
  const last = await pool.query("SELECT coalesce(max(total), 0) AS last FROM orders WHERE account_id = $1", [account]);
  const total = last.rows[0].last + 1;
  const exists = await pool.query("SELECT EXISTS (SELECT 1 FROM orders WHERE total = $1) AS taken", [total]);
  if (exists.rows[0].taken) return null;
  await pool.query("INSERT INTO orders (account_id, total, status) VALUES ($1, $2, DEFAULT)", [account, total]);
  return total;
}

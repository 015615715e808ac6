import mysql, { type ResultSetHeader, type RowDataPacket } from "mysql2/promise";

const pool = mysql.createPool({ host: "localhost", user: "root", database: "shop", connectionLimit: 4 });

export async function connect() {
  await pool.query("SELECT 1");
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  try {
    const [rows] = await connection.execute<RowDataPacket[]>("SELECT balance FROM accounts WHERE id = ? FOR UPDATE", [from]);
    if (rows[0].balance < amount) {
      await connection.rollback();
      return "refused";
    }
    await connection.execute("UPDATE accounts SET balance = balance - ? WHERE id = ?", [amount, from]);
    await connection.execute("UPDATE accounts SET balance = balance + ? WHERE id = ?", [amount, to]);
    await connection.commit();
    return "done";
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const [result] = await pool.query<ResultSetHeader>("INSERT INTO accounts SET ?", { owner, balance });
  await pool.query("INSERT INTO orders (account_id, total) VALUES (?, ?)", [result.insertId, balance]);
  return result.insertId;
}

// run 3, [{"product": "pen", "quantity": 4}, {"product": "cap", "quantity": 6}]
export async function addLines(order: number, items: { product: string; quantity: number }[]) {
  await pool.query("INSERT INTO `lines` (order_id, product, quantity) VALUES ?", [items.map((item) => [order, item.product, item.quantity])]);
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  await pool.execute("INSERT INTO accounts (owner, balance) VALUES (?, ?) ON DUPLICATE KEY UPDATE balance = balance + VALUES(balance)", [owner, amount]);
}

// run 1, 1
// run 1, 7
export async function guarded(id: number, version: number) {
  const [result] = await pool.execute<ResultSetHeader>("UPDATE accounts SET note = 'v', version = version + 1 WHERE id = ? AND version = ?", [id, version]);
  if (result.affectedRows === 0) throw new Error("stale");
  return result.affectedRows;
}

// run [1, 3]
export async function several(ids: number[]) {
  const [rows] = await pool.query<RowDataPacket[]>("SELECT id, balance FROM accounts WHERE id IN (?)", [ids]);
  return rows.length;
}

// run "open", 8
// run null, 8
// run null, null
export async function search(status: string | null, min: number | null) {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  if (status !== null) {
    conditions.push("status = ?");
    values.push(status);
  }
  if (min !== null) {
    conditions.push("total >= ?");
    values.push(min);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  const [rows] = await pool.query<RowDataPacket[]>(`SELECT id FROM orders ${where} ORDER BY id`, values);
  return rows.length;
}

// run 1
export async function serializable(account: number) {
  const connection = await pool.getConnection();
  await connection.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
  await connection.query("START TRANSACTION");
  const [[{ n }]] = await connection.query<RowDataPacket[]>("SELECT COUNT(*) AS n FROM orders WHERE account_id = ? AND status = ?", [account, "open"]);
  if (n < 3) await connection.query("INSERT INTO orders (account_id, total) VALUES (?, ?)", [account, n]);
  await connection.query("COMMIT");
  connection.release();
  return n;
}

// run 2, {"balance": 9, "note": "y"}
export async function change(id: number, account: { balance: number; note: string }) {
  const [{ affectedRows }] = await pool.query<ResultSetHeader>("UPDATE accounts SET ? WHERE id = ?", [{ balance: account.balance, note: account.note }, id]);
  return affectedRows;
}

// run 1
export async function named(id: number) {
  const connection = await mysql.createConnection({ host: "localhost", user: "root", database: "shop", namedPlaceholders: true });
  const [rows] = await connection.execute<RowDataPacket[]>("SELECT o.id FROM orders o JOIN accounts a ON a.id = o.account_id WHERE a.id = :id AND o.status <> :status LOCK IN SHARE MODE", { id, status: "paid" });
  for (const row of rows) await connection.execute("UPDATE orders SET status = :status WHERE id = :id", { status: "held", id: row.id });
  await connection.end();
}

// run 1
export async function clear(account: number) {
  const [orders] = await pool.query<RowDataPacket[]>("SELECT id FROM orders WHERE account_id = ? ORDER BY id LIMIT 1", [account]);
  if (!orders.length) return 0;
  await pool.query("DELETE FROM `lines` WHERE order_id = ?", [orders[0].id]);
  const [gone] = await pool.query<ResultSetHeader>("DELETE FROM orders WHERE id = ?", orders[0].id);
  return gone.affectedRows;
}

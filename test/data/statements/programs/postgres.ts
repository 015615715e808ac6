import postgres from "postgres";

const sql = postgres(process.env.DATABASE_URL ?? "", { max: 3 });

export async function connect() {
  await sql`SELECT 1`;
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  return sql.begin(async (tx) => {
    const [source] = await tx`SELECT balance FROM accounts WHERE id = ${from} FOR UPDATE`;
    if (!source || source.balance < amount) throw new Error("not enough");
    await tx`UPDATE accounts SET balance = balance - ${amount} WHERE id = ${from}`;
    await tx`UPDATE accounts SET balance = balance + ${amount} WHERE id = ${to}`;
    return true;
  });
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const account = { owner, balance };
  const [created] = await sql`INSERT INTO accounts ${sql(account, "owner", "balance")} RETURNING id`;
  return created.id;
}

// run 3, [{"product": "pen", "quantity": 4}, {"product": "cap", "quantity": 6}]
export async function addLines(order: number, items: { product: string; quantity: number }[]) {
  const rows = items.map((item) => ({ order_id: order, product: item.product, quantity: item.quantity }));
  await sql`INSERT INTO lines ${sql(rows, "order_id", "product", "quantity")}`;
}

// run 2, {"balance": 9, "note": "y"}
export async function change(id: number, account: { balance: number; note: string }) {
  const result = await sql`UPDATE accounts SET ${sql(account, "balance", "note")}, version = version + 1 WHERE id = ${id}`;
  return result.count;
}

// run [1, 3]
export async function several(ids: number[]) {
  const rows = await sql`SELECT id, balance FROM accounts WHERE id IN ${sql(ids)} ORDER BY id`;
  return rows.length;
}

// run [1, 3]
export async function any(ids: number[]) {
  const rows = await sql`SELECT id, balance FROM accounts WHERE id = ANY(${ids}) ORDER BY id`;
  return rows.length;
}

// run "open", 8
// run "open", null
// run null, null
export async function search(status: string | null, min: number | null) {
  const rows = await sql`
    SELECT id, total FROM orders
    WHERE true
    ${status ? sql`AND status = ${status}` : sql``}
    ${min === null ? sql`` : sql`AND total >= ${min}`}
    ORDER BY total DESC LIMIT 5`;
  return rows.map((row) => row.id);
}

// run 1
export async function serializable(id: number) {
  return await sql.begin("isolation level serializable read write", async (tx) => {
    const [{ sum }] = await tx`SELECT coalesce(sum(total), 0)::int AS sum FROM orders WHERE account_id = ${id}`;
    await tx`UPDATE accounts SET balance = ${sum} WHERE id = ${id}`;
    return sum;
  });
}

// run 2
export async function nested(id: number) {
  return sql.begin(async (tx) => {
    await tx`UPDATE accounts SET balance = balance + 1 WHERE id = ${id}`;
    try {
      await tx.savepoint(async (inner) => {
        await inner`INSERT INTO accounts (owner) VALUES ('ann')`;
      });
    } catch {
      await tx`UPDATE accounts SET note = 'taken' WHERE id = ${id}`;
    }
  });
}

// run 1, 1
// run 1, 5
export async function guarded(id: number, version: number) {
  const updated = await sql`UPDATE accounts SET version = ${version + 1} WHERE id = ${id} AND version = ${version} RETURNING *`;
  if (updated.count === 0) return "stale";
  await sql`DELETE FROM lines WHERE order_id = ${id}`;
  return "done";
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  const [row] = await sql`
    INSERT INTO accounts ${sql({ owner, balance: amount })}
    ON CONFLICT (owner) DO UPDATE SET balance = accounts.balance + ${amount}
    RETURNING balance`;
  return row.balance;
}

// run "balance", 3
export async function largest(column: string, count: number) {
  const rows = await sql`SELECT ${sql("id")}, ${sql("balance")} FROM ${sql("accounts")} ORDER BY balance DESC, id LIMIT ${count}`;
  return rows.length;
}

// run 1
export async function unsafe(id: number) {
  const rows = await sql.unsafe("SELECT owner FROM accounts WHERE id = $1 FOR SHARE", [id]);
  return rows[0].owner;
}

import serverlessMysql from "serverless-mysql";

const db = serverlessMysql({ config: { host: "localhost", user: "root", database: "shop" } });

export async function connect() {
  await db.query("SELECT 1");
}

// run 1, 30
// run 1, 300
// run 9, 1
export async function take(id: number, amount: number) {
  const rows = await db.query<{ balance: number }[]>("SELECT balance FROM accounts WHERE id = ?", [id]);
  if (rows[0].balance < amount) return "refused";
  const { affectedRows } = await db.query<{ affectedRows: number }>("UPDATE accounts SET balance = ? WHERE id = ?", [rows[0].balance - amount, id]);
  return affectedRows;
}

// run 1, 2, 30
export async function transfer(from: number, to: number, amount: number) {
  await db
    .transaction()
    .query("UPDATE accounts SET balance = balance - ? WHERE id = ?", [amount, from])
    .query("UPDATE accounts SET balance = balance + ? WHERE id = ?", [amount, to])
    .rollback((error: Error) => {
      console.error(error.message);
    })
    .commit();
}

// run "dee", 7
// run "ann", 7
export async function open(owner: string, total: number) {
  const [{ insertId }] = await db
    .transaction()
    .query("INSERT INTO accounts SET ?", { owner, balance: total })
    .query((account: { insertId: number }) => ["INSERT INTO orders (account_id, total) VALUES (?, ?)", [account.insertId, total]])
    .commit<{ insertId: number }>();
  return insertId;
}

// run 1, 30
// run 3, 30
export async function pay(id: number, amount: number) {
  const [, result] = await db
    .transaction()
    .query("SELECT balance FROM accounts WHERE id = ? FOR UPDATE", [id])
    .query(([account]: { balance: number }[]) =>
      account.balance >= amount ? ["UPDATE accounts SET balance = ? WHERE id = ?", [account.balance - amount, id]] : null,
    )
    .commit<unknown>();
  return result;
}

// run 1, true
// run 1, false
export async function mark(id: number, twice: boolean) {
  const transaction = db.transaction();
  transaction.query("UPDATE accounts SET note = ? WHERE id = ?", ["seen", id]);
  if (twice) transaction.query("UPDATE orders SET status = ? WHERE account_id = ?", ["seen", id]);
  const results = await transaction.commit<unknown>();
  return results.length;
}

// run 1
// run 9
export async function byHand(id: number) {
  await db.query("START TRANSACTION");
  const [account] = await db.query<{ version: number }[]>({ sql: "SELECT version FROM accounts WHERE id = ?", values: [id] });
  if (!account) {
    await db.query("ROLLBACK");
    return false;
  }
  await db.query("UPDATE accounts SET ? WHERE id = ?", [{ version: account.version + 1 }, id]);
  await db.query("COMMIT");
  return true;
}

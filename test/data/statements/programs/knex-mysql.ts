import knex from "knex";

const db = knex({ client: "mysql2", connection: { host: "localhost", user: "root", database: "shop" } });

export async function connect() {
  await db.raw("SELECT 1");
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const [id] = await db("accounts").insert({ owner, balance });
  await db("orders").insert({ account_id: id, total: balance });
  return id;
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  await db("accounts").insert({ owner, balance: amount }).onConflict("owner").merge();
}

// run 1, 30
export async function take(id: number, amount: number) {
  return db.transaction(async (trx) => {
    const account = await trx("accounts").where({ id }).first().forUpdate();
    if (!account) return false;
    await trx("accounts").where({ id }).update({ balance: account.balance - amount });
    return true;
  }, { isolationLevel: "read committed" });
}

// run 1
export async function remove(order: number) {
  await db("lines").where("order_id", order).del();
  return db("orders").where("id", order).del();
}

// run "ann"
export async function once(owner: string) {
  await db("accounts").insert({ owner }).onConflict().ignore();
}

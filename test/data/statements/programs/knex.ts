import knexFactory, { type Knex } from "knex";

const knex = knexFactory({ client: "pg", connection: process.env.DATABASE_URL });

export async function connect() {
  await knex.raw("SELECT 1");
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  await knex.transaction(async (trx) => {
    const source = await trx("accounts").where({ id: from }).forUpdate().first("balance");
    if (source.balance < amount) throw new Error("not enough");
    await trx("accounts").where("id", from).decrement("balance", amount);
    await trx("accounts").where("id", to).increment("balance", amount);
  });
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const [id] = await knex("accounts").insert({ owner, balance }).returning("id");
  await knex.insert({ account_id: id.id, total: balance }).into("orders");
  return id.id;
}

// run "dee"
export async function openQuietly(owner: string) {
  const rows = await knex("accounts").insert({ owner }, ["id", "owner"]).onConflict("owner").ignore();
  return rows.length;
}

// run "ann", 5
// run "eve", 5
export async function upsert(owner: string, amount: number) {
  await knex("accounts").insert({ owner, balance: amount, note: "new" }).onConflict("owner").merge({ balance: knex.raw("accounts.balance + ?", [amount]) });
}

// run "bob", 5
export async function replace(owner: string, balance: number) {
  await knex("accounts").insert({ owner, balance, version: 2 }).onConflict(["owner"]).merge(["balance", "version"]);
}

// run 1, 1
// run 1, 4
export async function guarded(id: number, version: number) {
  const count = await knex("accounts").where({ id, version }).update({ note: "seen", version: version + 1 });
  if (count === 0) throw new Error("stale");
  return count;
}

// run [1, 3], "open"
export async function filters(accounts: number[], status: string) {
  const rows = await knex("orders")
    .select("id", "total as amount")
    .whereIn("account_id", accounts)
    .andWhere(function () {
      this.where("status", status).orWhere("total", ">", 15);
    })
    .whereNot("total", 0)
    .whereNotNull("account_id")
    .whereBetween("total", [1, 100])
    .orderBy("total", "desc")
    .orderBy([{ column: "id" }])
    .limit(10)
    .offset(0);
  return rows.length;
}

// run 1
export async function joined(id: number) {
  const rows = await knex("orders as o")
    .join("accounts as a", "a.id", "o.account_id")
    .leftJoin("lines as l", "l.order_id", "o.id")
    .where("a.id", id)
    .whereNull("a.note")
    .select("o.id", "l.product", "a.owner as who")
    .distinct();
  return rows.length;
}

// run 1
export async function counts(account: number) {
  const [{ count }] = await knex("orders").where({ account_id: account }).count("* as count");
  const top = await knex("orders").where({ account_id: account }).max("total as most").first();
  const sums = await knex("orders").sum({ all: "total" }).groupBy("status").having("status", "<>", "gone").select("status");
  return [count, top?.most, sums.length].join();
}

// run 1
// run 3
export async function limited(account: number) {
  return knex.transaction(
    async (trx) => {
      const [row] = await trx("orders").where("account_id", account).count();
      if (Number(row.count) >= 2) return false;
      await trx("orders").insert({ account_id: account, total: 1 });
      return true;
    },
    { isolationLevel: "serializable" },
  );
}

// run 2
export async function nested(id: number) {
  await knex.transaction(async (trx) => {
    await trx("accounts").where({ id }).update("note", "outer");
    try {
      await trx.transaction(async (inner) => {
        await inner("accounts").where({ id }).update({ balance: 1 });
        throw new Error("undo");
      });
    } catch {
      await trx("accounts").where({ id }).increment({ version: 1, balance: 2 });
    }
  });
}

// run 1, 40
export async function manual(id: number, amount: number) {
  const trx = await knex.transaction({ isolationLevel: "repeatable read" });
  try {
    const account = await knex("accounts").transacting(trx).where("id", "=", id).forShare().first();
    await trx("accounts").update({ balance: account.balance - amount }).where({ id });
    await trx.commit();
  } catch (error) {
    await trx.rollback(error);
    throw error;
  }
}

// run 2
export async function remove(account: number) {
  const orders = knex("orders").select("id").where("account_id", account);
  await knex("lines").whereIn("order_id", orders).del();
  const gone = await knex("orders").where({ account_id: account }).delete().returning("id");
  return gone.length;
}

// run [4, 5], 2
export async function bulk(totals: number[], account: number) {
  await knex("orders").insert(totals.map((total) => ({ account_id: account, total, status: "new" })));
}

// run 3, [{"product": "pen", "quantity": 4}, {"product": "cap", "quantity": 6}]
export async function batch(order: number, items: { product: string; quantity: number }[]) {
  await knex.batchInsert("lines", items.map(({ product, quantity }) => ({ order_id: order, product, quantity })), 100);
}

// run 1
export async function plucked(account: number) {
  const ids: number[] = await knex("orders").where({ account_id: account }).pluck("id");
  for (const id of ids) await knex("lines").where({ order_id: id }).update({ quantity: knex.raw("quantity * ?", [2]) });
}

// run "open", 8
// run null, null
export async function search(status: string | null, min: number | null) {
  const query = knex("orders").select("*");
  if (status) query.where("status", status);
  if (min !== null) void query.andWhere("total", ">=", min);
  query.modify((builder: Knex.QueryBuilder) => builder.orderBy("id"));
  const rows = await query;
  return rows.length;
}

// run 1, "ann"
export async function raw(id: number, owner: string) {
  const { rows } = await knex.raw("SELECT balance FROM accounts WHERE id = ? AND owner = ?", [id, owner]);
  const result = await knex.raw("UPDATE accounts SET balance = :next WHERE id = :id", { next: rows[0].balance + 1, id });
  return result.rowCount;
}

// run 1
export async function present(id: number) {
  const rows = await knex("accounts").where({ id }).whereExists(knex("orders").select(knex.raw("1")).whereRaw("orders.account_id = accounts.id").where("status", "open"));
  return rows.length > 0;
}

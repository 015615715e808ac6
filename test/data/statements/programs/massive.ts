import massive, { type Database } from "massive";

const connecting = massive(process.env.DATABASE_URL ?? "", {}, { noWarnings: true });

export async function connect() {
  await connecting;
}

// run 1
// run 9
export async function one(id: number) {
  const db = await connecting;
  const account = await db.accounts.findOne(id);
  return account?.owner ?? "nobody";
}

// run 40
export async function rich(least: number) {
  const db = await connecting;
  const found = await db.accounts.find({ "balance >=": least, note: null }, { order: [{ field: "balance", direction: "desc" }], limit: 2 });
  return found.length;
}

// run "ann", 1
export async function either(owner: string, id: number) {
  const db = await connecting;
  return (await db.accounts.find({ or: [{ owner, "id !=": 7 }, { "id <": id }] }, { fields: ["id"] })).length;
}

// run [1, 3], "open"
export async function among(ids: number[], status: string) {
  const db = await connecting;
  const orders = await db.orders.find({ account_id: ids, "status <>": status });
  return orders.map((each) => each.id);
}

// run 1
export async function howMany(account: number) {
  const db = await connecting;
  return Number(await db.orders.count({ account_id: account }));
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  const db = await connecting;
  return db.withTransaction(async (tx) => {
    const account = await tx.accounts.findOne({ id: from }, { lock: { strength: "UPDATE" } });
    if (account.balance < amount) throw new Error("refused");
    await tx.accounts.update({ id: from }, { balance: account.balance - amount });
    const changed = await tx.accounts.update(to, { $set: { balance: `balance + ${amount}` } });
    return changed.balance;
  });
}

// run "dee", 7
// run "ann", 7
export async function open(owner: string, total: number) {
  const db = await connecting;
  await db.withTransaction(async (tx: Database) => {
    const account = await tx.accounts.insert({ owner, balance: total });
    await tx.orders.insert([
      { account_id: account.id, total },
      { account_id: account.id, total: 1 },
    ]);
  });
}

// run 1, "y"
export async function noted(id: number, note: string) {
  const db = await connecting;
  const saved = await db.accounts.save({ id, note });
  return saved.balance;
}

// run "eve"
export async function added(owner: string) {
  const db = await connecting;
  const { id } = await db.accounts.save({ owner });
  return id;
}

// run 3
export async function remove(id: number) {
  const db = await connecting;
  const gone = await db.orders.destroy({ id });
  return gone.length;
}

// run 5
export async function cheap(most: number) {
  const db = await connecting;
  return (await db.orders.where("total <= $1 AND status = $2", [most, "open"])).length;
}

// run 2, 5
export async function byText(id: number, amount: number) {
  const db = await connecting;
  const rows = await db.query("UPDATE accounts SET balance = balance - $1 WHERE id = $2 RETURNING balance", [amount, id]);
  return rows[0].balance;
}

// run 1, 30
export async function spend(id: number, amount: number) {
  const db = await connecting;
  const account = await db.accounts.findOne({ id });
  account.balance -= amount;
  return (await db.accounts.save(account)).balance;
}

// run [1, 3]
export async function noteAll(ids: number[]) {
  const db = await connecting;
  const changed = await db.accounts.update({ "id !=": ids, "owner like": "b%" }, { note: null });
  return changed.length;
}

import { Model, raw, transaction, type Transaction } from "objection";
import knexFactory from "knex";

const knex = knexFactory({ client: "pg", connection: process.env.DATABASE_URL });
Model.knex(knex);

class Order extends Model {
  static tableName = "orders";
  id!: number;
  account_id!: number;
  total!: number;
  status!: string;
}

class Account extends Model {
  static get tableName() {
    return "accounts";
  }
  static get relationMappings() {
    return {
      orders: {
        relation: Model.HasManyRelation,
        modelClass: Order,
        join: { from: "accounts.id", to: "orders.account_id" },
      },
    };
  }
  id!: number;
  owner!: string;
  balance!: number;
  note?: string;
  version!: number;
}

class Line extends Model {
  static tableName = "lines";
  static idColumn = ["order_id", "product"];
  order_id!: number;
  product!: string;
  quantity!: number;
}

export async function connect() {
  await knex.raw("SELECT 1");
  await Account.query();
  await Order.query();
  await Line.query();
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  await Account.transaction(async (trx) => {
    const source = await Account.query(trx).findById(from).forUpdate();
    if (!source || source.balance < amount) throw new Error("not enough");
    await Account.query(trx).findById(from).decrement("balance", amount);
    await Account.query(trx).findById(to).increment("balance", amount);
  });
}

// run 1, 10
// run 9, 10
export async function deposit(id: number, amount: number) {
  const account = await Account.query().findById(id).throwIfNotFound();
  await account.$query().patch({ balance: account.balance + amount });
  return account.balance;
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  return transaction(knex, async (trx) => {
    const account = await Account.query(trx).insert({ owner, balance });
    await Order.query(trx).insert({ account_id: account.id, total: balance });
    return account.id;
  });
}

// run 1, 1
// run 1, 4
export async function guarded(id: number, version: number) {
  const count = await Account.query().patch({ note: "seen", version: version + 1 }).where({ id, version });
  if (count === 0) throw new Error("stale");
  return count;
}

// run 2, "y"
// run 9, "y"
export async function renamed(id: number, note: string) {
  const row = await Account.query().patchAndFetchById(id, { note });
  return row.note;
}

// run 3
export async function closed(id: number) {
  return Account.query().deleteById(id);
}

// run 2
export async function removed(id: number) {
  const order = await Order.query().findById(id);
  if (order) await order.$query().delete();
}

// run "bob", 10
export async function search(owner: string, min: number) {
  const one = await Account.query().findOne({ owner });
  const rows = await Account.query().select("id", "balance").where("balance", ">=", min).orWhere("owner", owner).orderBy("id", "desc").limit(5);
  const count = await Account.query().where("balance", ">", min).resultSize();
  return [one?.id, rows.length, count];
}

// run 1
export async function orders(id: number) {
  const account = await Account.query().findById(id);
  const list = await account!.$relatedQuery("orders").where("status", "open");
  await account!.$relatedQuery("orders").insert({ total: 3 });
  return list.length;
}

// run 1
export async function fetched(id: number) {
  const account = await Account.query().findById(id).withGraphFetched("orders");
  return account ? account.version : 0;
}

// run 1, "pen"
export async function line(order: number, product: string) {
  await Line.query().findById([order, product]).patch({ quantity: raw("quantity + 1") });
}

// run 1
export async function byHand(id: number) {
  const trx = await Account.startTransaction();
  try {
    const account = await Account.query(trx).findById(id);
    await touch(trx, id, account!.version);
    await trx.commit();
  } catch (error) {
    await trx.rollback();
    throw error;
  }
}

async function touch(trx: Transaction, id: number, version: number) {
  await Account.query(trx).where("id", id).update({ version: version + 1 });
}

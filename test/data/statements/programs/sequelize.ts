import { DataTypes, Model, Op, QueryTypes, Sequelize, Transaction, type InferAttributes, type InferCreationAttributes } from "sequelize";

const sequelize = new Sequelize(process.env.DATABASE_URL ?? "", { dialect: "postgres", logging: false, define: { timestamps: false } });

export class Account extends Model<InferAttributes<Account>, InferCreationAttributes<Account>> {
  declare id: number;
  declare owner: string;
  declare balance: number;
  declare note: string | null;
  declare version: number;
}
Account.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    owner: { type: DataTypes.TEXT, allowNull: false, unique: true },
    balance: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    note: DataTypes.TEXT,
    version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
  },
  { sequelize, tableName: "accounts" },
);

export const Order = sequelize.define(
  "Order",
  {
    accountId: { type: DataTypes.INTEGER, field: "account_id" },
    total: DataTypes.INTEGER,
    status: { type: DataTypes.TEXT, defaultValue: "open" },
  },
  { tableName: "orders" },
);
export const Line = sequelize.define(
  "lines",
  {
    order_id: { type: DataTypes.INTEGER, primaryKey: true },
    product: { type: DataTypes.TEXT, primaryKey: true },
    quantity: DataTypes.INTEGER,
  },
  { freezeTableName: true },
);
Account.hasMany(Order, { foreignKey: "accountId" });
Order.belongsTo(Account, { foreignKey: "accountId" });

export async function connect() {
  await sequelize.authenticate();
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  await sequelize.transaction(async (t) => {
    const source = await Account.findByPk(from, { transaction: t, lock: t.LOCK.UPDATE });
    if (!source || source.balance < amount) throw new Error("not enough");
    await source.decrement("balance", { by: amount, transaction: t });
    await Account.increment({ balance: amount }, { where: { id: to }, transaction: t });
  });
}

// run 1, 5
// run 1, 0
export async function add(id: number, amount: number) {
  const account = await Account.findOne({ where: { id }, rejectOnEmpty: true });
  account.balance += amount;
  await account.save();
  return account.balance;
}

// run 1
export async function updated(id: number) {
  const account = await Account.findByPk(id);
  await account?.update({ note: "u", version: account.version + 1 });
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const account = await Account.create({ owner, balance } as never);
  await Order.create({ accountId: account.id, total: balance });
  return account.id;
}

// run "dee"
export async function built(owner: string) {
  const account = Account.build({ owner } as never);
  account.balance = 4;
  await account.save();
  return account.id;
}

// run 1, 1
// run 1, 4
export async function guarded(id: number, version: number) {
  const [count] = await Account.update({ note: "seen", version: version + 1 }, { where: { id, version } });
  if (count === 0) throw new Error("stale");
}

// run [1, 3], 8
export async function finders(ids: number[], min: number) {
  const rows = await Order.findAll({
    where: { accountId: ids, [Op.or]: [{ status: "open" }, { total: { [Op.gt]: min, [Op.lte]: 50 } }], status: { [Op.ne]: "gone" } },
    order: [["total", "DESC"], ["id", "ASC"]],
    attributes: ["id", "total"],
    limit: 10,
    offset: 1,
  });
  return rows.length;
}

// run "open"
export async function counts(status: string) {
  const n = await Order.count({ where: { status } });
  const most = await Order.max("total", { where: { status } });
  const sum = await Order.sum("total", { where: { status } });
  return `${n} ${most} ${sum}`;
}

// run "open"
export async function listed(status: string) {
  const { rows, count } = await Order.findAndCountAll({ where: { status }, limit: 1 });
  return rows.length + count;
}

// run "ann"
// run "eve"
export async function ensured(owner: string) {
  const [account, created] = await Account.findOrCreate({ where: { owner }, defaults: { owner, balance: 2 } as never });
  return created ? account.id : account.balance;
}

// run "ann", 9
// run "eve", 9
export async function upserted(owner: string, balance: number) {
  await Account.upsert({ owner, balance } as never, { conflictFields: ["owner"] });
}

// run 1
// run 3
export async function limited(account: number) {
  return sequelize.transaction({ isolationLevel: Transaction.ISOLATION_LEVELS.SERIALIZABLE }, async (transaction) => {
    const n = await Order.count({ where: { accountId: account }, transaction });
    if (n >= 2) return false;
    await Order.create({ accountId: account, total: n }, { transaction });
    return true;
  });
}

// run 2
export async function manual(id: number) {
  const t = await sequelize.transaction({ isolationLevel: "REPEATABLE READ" as never });
  try {
    const account = await Account.findByPk(id, { transaction: t, lock: true, skipLocked: true });
    if (!account) {
      await t.rollback();
      return false;
    }
    account.set({ balance: account.balance * 2 });
    await account.save({ transaction: t });
    await t.commit();
    return true;
  } catch (error) {
    await t.rollback();
    throw error;
  }
}

// run 3
export async function remove(id: number) {
  const orders = await Order.findAll({ where: { accountId: id } });
  if (orders.length > 0) return "used";
  const gone = await Account.destroy({ where: { id } });
  return gone;
}

// run 1
export async function destroyed(order: number) {
  const line = await Line.findOne({ where: { order_id: order, product: "ink" } });
  if (line) await line.destroy();
}

// run [4, 5], 2
export async function bulk(totals: number[], account: number) {
  await Order.bulkCreate(totals.map((total) => ({ accountId: account, total, status: "new" })));
}

// run 3
export async function bulkMerged(order: number) {
  await Line.bulkCreate([{ order_id: order, product: "pen", quantity: 1 }, { order_id: 1, product: "pen", quantity: 9 }], { updateOnDuplicate: ["quantity"] });
}

// run 1, "ann"
export async function raw(id: number, owner: string) {
  const rows = await sequelize.query("SELECT balance FROM accounts WHERE id = :id AND owner = :owner", { replacements: { id, owner }, type: QueryTypes.SELECT });
  await sequelize.query("UPDATE accounts SET note = ? WHERE id = ?", { replacements: ["raw", id], type: QueryTypes.UPDATE });
  const [bound] = await sequelize.query("SELECT id FROM orders WHERE account_id = $1", { bind: [id] });
  return rows.length + bound.length;
}

// run 1
export async function included(id: number) {
  const account = await Account.findByPk(id, { include: [Order] });
  return account?.id;
}

// run 1
export async function includedMany(total: number) {
  const orders = await Order.findAll({ where: { total: { [Op.gte]: total } }, include: { model: Account, where: { note: null }, required: true } });
  return orders.length;
}

// run 1
export async function reloaded(id: number) {
  const account = await Account.findByPk(id, { attributes: ["id", "note"] });
  await account?.reload({ attributes: ["id", "balance"] });
  return account?.balance;
}

// run 1
export async function loop(account: number) {
  const orders = await Order.findAll({ where: { accountId: account, status: "open" }, order: ["id"] });
  for (const order of orders) await order.update({ status: "paid" });
}

// run 1
export async function literal(id: number) {
  await Account.update({ balance: sequelize.literal("balance + 3") }, { where: { id } });
  await Account.update({ note: sequelize.fn("upper", sequelize.col("owner")) as never }, { where: { id } });
}

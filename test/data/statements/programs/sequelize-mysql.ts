import { DataTypes, Sequelize } from "sequelize";

const sequelize = new Sequelize("shop", "root", "", { host: "localhost", dialect: "mysql", logging: false });
const Account = sequelize.define("account", {
  owner: { type: DataTypes.STRING(100), allowNull: false, unique: true },
  balance: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  note: { type: DataTypes.TEXT },
  version: { type: DataTypes.INTEGER, defaultValue: 1 },
}, { timestamps: false });

export async function connect() {
  await sequelize.authenticate();
}

// run 1, 5
export async function add(id: number, amount: number) {
  return await sequelize.transaction(async (transaction) => {
    const account: any = await Account.findByPk(id, { transaction, lock: transaction.LOCK.SHARE });
    account.balance = account.balance + amount;
    await account.save({ transaction });
    return account.balance;
  });
}

// run "ann"
// run "eve"
export async function ensured(owner: string) {
  const [account]: any = await Account.findOrCreate({ where: { owner } });
  return account.balance;
}

// run "ann", 9
// run "eve", 9
export async function upserted(owner: string, balance: number) {
  await Account.upsert({ owner, balance });
}

// run 1, 2
export async function raised(id: number, by: number) {
  await Account.increment("balance", { by, where: { id } });
}

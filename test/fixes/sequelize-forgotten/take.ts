// Stock is read on another connection than that of the transaction.
import { DataTypes, Model, Sequelize } from "sequelize";

const sequelize = new Sequelize(process.env.DATABASE_URL ?? "", { dialect: "postgres" });

class Item extends Model {
  declare id: number;
  declare stock: number;
}

Item.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    stock: { type: DataTypes.INTEGER, allowNull: false },
  },
  { sequelize, tableName: "item", timestamps: false },
);

export async function take(id: number, amount: number) {
  await sequelize.transaction(async (transaction) => {
    const item = await Item.findByPk(id, { rejectOnEmpty: true });
    if (item.stock < amount) throw new Error("there is not enough");
    await Item.update({ stock: item.stock - amount }, { where: { id }, transaction });
  });
}

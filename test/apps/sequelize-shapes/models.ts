import { DataTypes, Model, Sequelize } from "sequelize";

export const sequelize = new Sequelize(process.env.DATABASE_URL, { dialect: "postgres" });

export class Customer extends Model {}
Customer.init({}, { sequelize, modelName: "customer", timestamps: false });

export class Invoice extends Model {
  declare number: number;
}
Invoice.init(
  {
    customerId: {
      type: DataTypes.INTEGER,
      allowNull: false,
      references: { model: Customer, key: "id" },
    },
    number: { type: DataTypes.INTEGER, allowNull: false },
  },
  { sequelize, modelName: "invoice", timestamps: false },
);

export class Receipt extends Model {}
Receipt.init(
  {
    customerId: { type: DataTypes.INTEGER, allowNull: false },
    number: { type: DataTypes.INTEGER, allowNull: false },
  },
  {
    sequelize,
    modelName: "receipt",
    timestamps: false,
    indexes: [{ unique: true, fields: ["customerId", "number"] }],
  },
);

export const Workspace = sequelize.define(
  "workspace",
  { seats: { type: DataTypes.INTEGER, allowNull: false } },
  { timestamps: false },
);

export const Member = sequelize.define(
  "member",
  {
    workspaceId: {
      type: DataTypes.INTEGER,
      allowNull: false,
      references: { model: Workspace, key: "id" },
    },
    email: { type: DataTypes.STRING(200), allowNull: false },
    role: { type: DataTypes.STRING, allowNull: false, defaultValue: "member" },
  },
  { underscored: true, tableName: "workspace_members", timestamps: false },
);

export const Item = sequelize.define(
  "item",
  { name: DataTypes.STRING, stock: { type: DataTypes.INTEGER, allowNull: false } },
  { timestamps: false },
);

export const Part = sequelize.define(
  "part",
  { name: DataTypes.STRING, stock: { type: DataTypes.INTEGER, allowNull: false } },
  { timestamps: false, version: true },
);

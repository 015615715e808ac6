// Sequelize with pg or mysql2: sync, alter, optimistic locks, managed transactions.
import { DataTypes, Sequelize } from "sequelize";
import { end, isPostgres, step, url } from "./steps.mjs";

const sequelize = new Sequelize(url, { logging: false });
const Parent = sequelize.define(
  "seqp",
  {
    name: { type: DataTypes.STRING, unique: true },
    doc: isPostgres ? DataTypes.JSONB : DataTypes.TEXT,
    d: DataTypes.DECIMAL(10, 2),
    e: DataTypes.ENUM("x", "y"),
    flag: { type: DataTypes.BOOLEAN, defaultValue: false },
  },
  { version: true, indexes: [{ fields: ["d"] }] },
);
const Child = sequelize.define("seqk", {
  b: DataTypes.BLOB,
  at: DataTypes.DATE(3),
  day: DataTypes.DATEONLY,
});
Parent.hasMany(Child);
Child.belongsTo(Parent);
await step("sync force", async () => void (await sequelize.sync({ force: true })));
await step("sync alter", async () => void (await sequelize.sync({ alter: true })));
await step("create", async () => {
  const parent = await Parent.create({ name: "a", d: "1.5", e: "x" });
  await Child.create({
    seqpId: parent.id,
    b: Buffer.from([0, 255]),
    at: new Date(1000),
    day: "2024-02-29",
  });
  const found = await Parent.findOne({ where: { name: "a" }, include: Child });
  const [child] = found.seqks;
  return [found.name, found.d, found.e, found.flag, found.version, child.b, child.at, child.day];
});
await step("optimistic lock", async () => {
  const [one, other] = [
    await Parent.findOne({ where: { name: "a" } }),
    await Parent.findOne({ where: { name: "a" } }),
  ];
  await one.update({ d: 2 });
  return other.update({ d: 3 }).then(
    () => "no error",
    (error) => error.name,
  );
});
await step(
  "find or create",
  async () => (await Parent.findOrCreate({ where: { name: "z" }, defaults: { e: "y" } }))[1],
);
await step("upsert", async () => {
  await Parent.upsert({ name: "z", e: "x" });
  return (await Parent.findAll({ order: ["name"] })).map(({ name, e }) => [name, e]);
});
await step("transaction", () =>
  sequelize.transaction(
    { isolationLevel: "SERIALIZABLE" },
    async (transaction) =>
      (await Parent.findAll({ lock: transaction.LOCK.UPDATE, transaction })).length,
  ),
);
await step("unique", () =>
  Parent.create({ name: "a" }).then(
    () => "no error",
    (error) => [error.name, error.errors.map(({ path }) => path)],
  ),
);
await step("foreign key", () =>
  Child.create({ seqpId: 999 }).then(
    () => "no error",
    (error) => [error.name, error.table],
  ),
);
await step("describe", async () =>
  Object.entries(await sequelize.getQueryInterface().describeTable("seqps")).map(
    ([name, { type, allowNull, primaryKey }]) => [
      name,
      type.replace(/INT\(\d+\)/u, "INT"),
      allowNull,
      primaryKey,
    ],
  ),
);
await step("indexes", async () =>
  (await sequelize.getQueryInterface().showIndex("seqps"))
    .map(({ name, primary, unique }) => [name, primary, unique])
    .sort(),
);
await step("tables", async () =>
  (await sequelize.getQueryInterface().showAllTables())
    .map((each) => each.tableName ?? each)
    .filter((name) => name.startsWith("seq"))
    .sort(),
);
await sequelize.close();
end();

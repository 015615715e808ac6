// TypeORM with pg or mysql2: synchronize, migrations, relations, locks.
import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";
import { address, end, isPostgres, product, step } from "./steps.mjs";

const Parent = new EntitySchema({
  name: "TP",
  tableName: "tp",
  columns: {
    id: { type: "int", primary: true, generated: true },
    name: { type: "varchar", length: 50, unique: true },
    d: { type: "decimal", precision: 10, scale: 2, nullable: true },
    at: { type: isPostgres ? "timestamptz" : "datetime", createDate: true },
    v: { type: "int", version: true },
    kind: { type: "enum", enum: ["a", "b"], default: "a" },
  },
  relations: { kids: { type: "one-to-many", target: "TK", inverseSide: "p", cascade: true } },
});
const Child = new EntitySchema({
  name: "TK",
  tableName: "tk",
  columns: {
    id: isPostgres
      ? { type: "uuid", primary: true, generated: "uuid" }
      : { type: "int", primary: true, generated: true },
  },
  relations: {
    p: {
      type: "many-to-one",
      target: "TP",
      inverseSide: "kids",
      joinColumn: true,
      onDelete: "CASCADE",
    },
  },
});
class One1700000000000 {
  async up(runner) {
    await runner.query("create table tm (id int primary key, s varchar(10))");
  }
  async down(runner) {
    await runner.query("drop table tm");
  }
}
const source = new DataSource({
  type: product,
  host: address.host,
  port: address.port,
  username: address.user,
  password: address.password,
  database: address.database,
  entities: [Parent, Child],
  migrations: [One1700000000000],
  logging: false,
  dropSchema: true,
});
await step("initialize", async () => void (await source.initialize()));
await step("synchronize", () => source.synchronize(false));
await step("synchronize again", async () =>
  (await source.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query),
);
await step("migrations", async () =>
  (await source.runMigrations({ transaction: "each" })).map(({ name }) => name),
);
await step("undo", () => source.undoLastMigration());
await step("save", async () => {
  const repository = source.getRepository("TP");
  await repository.save({ name: "n", d: "1.5", kids: [{}, {}] });
  const [found] = await repository.find({ relations: { kids: true } });
  return [found.name, found.d, found.v, found.kind, found.kids.length];
});
await step("lock", () =>
  source.transaction(
    "SERIALIZABLE",
    async (manager) =>
      (
        await manager
          .getRepository("TP")
          .createQueryBuilder("p")
          .setLock("pessimistic_write")
          .getMany()
      ).length,
  ),
);
await step("unique", () => source.getRepository("TP").save({ name: "n" }));
await step("query runner", async () => {
  const runner = source.createQueryRunner();
  const table = await runner.getTable("tp");
  await runner.release();
  return [
    table.columns.map(({ name, type, isNullable, isPrimary, isGenerated }) => [
      name,
      type,
      isNullable,
      isPrimary,
      isGenerated,
    ]),
    table.indices.length + table.uniques.length,
  ];
});
await step("upsert", async () => {
  await source
    .getRepository("TP")
    .upsert({ name: "n", d: "9" }, isPostgres ? ["name"] : { conflictPaths: ["name"] });
  return (await source.getRepository("TP").find()).map(({ name, d }) => [name, d]);
});
await step("destroy", () => source.destroy());
end();

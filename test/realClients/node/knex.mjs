// knex with pg or mysql2: schema builder, migrations, transactions.
import knexOf from "knex";
import { address, codeOf, end, isPostgres, step } from "./steps.mjs";

const knex = knexOf({
  client: isPostgres ? "pg" : "mysql2",
  connection: address,
  pool: { min: 0, max: 4 },
});
await step("drop", async () => {
  for (const name of ["kc", "kp", "knex_migrations", "knex_migrations_lock"])
    await knex.schema.dropTableIfExists(name);
});
await step("schema", async () => {
  await knex.schema.createTable("kp", (table) => {
    table.increments();
    table.string("name").unique().notNullable();
    table.timestamps(true, true);
    table.decimal("d", 10, 2);
    table.boolean("flag").defaultTo(false);
    table.enu("kind", ["a", "b"]).defaultTo("a");
    table.text("note").comment("a note");
  });
  await knex.schema.createTable("kc", (table) => {
    table.bigIncrements();
    table.integer("pid").unsigned().notNullable().references("kp.id").onDelete("CASCADE");
    table.index(["pid"]);
  });
  return [
    await knex.schema.hasTable("kp"),
    await knex.schema.hasTable("kx"),
    await knex.schema.hasColumn("kp", "name"),
  ];
});
const migrations = {
  getMigrations: async () => ["one", "two"],
  getMigrationName: (name) => name,
  getMigration: async (name) => ({
    up: (on) =>
      name === "one"
        ? on.schema.alterTable("kp", (table) => {
            table.string("extra").defaultTo("x");
            table.index(["extra"]);
          })
        : on.schema.alterTable("kp", (table) => {
            table.renameColumn("note", "remark");
            table.dropIndex(["extra"]);
            table.string("extra", 50).notNullable().defaultTo("y").alter();
            table.date("day");
          }),
    down: (on) =>
      name === "one"
        ? on.schema.alterTable("kp", (table) => {
            table.dropIndex(["extra"]);
            table.dropColumn("extra");
          })
        : on.schema.alterTable("kp", (table) => {
            table.renameColumn("remark", "note");
            table.dropColumn("day");
            table.index(["extra"]);
          }),
  }),
};
await step("migrate", async () => (await knex.migrate.latest({ migrationSource: migrations }))[1]);
await step(
  "migrate again",
  async () => (await knex.migrate.latest({ migrationSource: migrations }))[1],
);
await step(
  "rollback",
  async () => (await knex.migrate.rollback({ migrationSource: migrations }))[1],
);
await step(
  "migrate anew",
  async () => (await knex.migrate.latest({ migrationSource: migrations }))[1],
);
await step("crud", async () => {
  await knex("kp").insert([{ name: "a", d: "1.25" }, { name: "b" }]);
  await knex("kc").insert([{ pid: 1 }, { pid: 1 }]);
  await knex.transaction(
    async (trx) => {
      await trx("kp").where({ name: "a" }).forUpdate().first();
      await trx("kp").where({ name: "a" }).update({ d: 2 });
    },
    { isolationLevel: "serializable" },
  );
  return knex("kp")
    .leftJoin("kc", "kp.id", "kc.pid")
    .groupBy("kp.id", "kp.name", "kp.d", "kp.flag")
    .orderBy("kp.id")
    .select("kp.name", "kp.d", "kp.flag")
    .count("kc.id as n");
});
await step("upsert", async () => {
  await knex("kp").insert({ name: "a", d: 3 }).onConflict("name").merge();
  return knex("kp").select("name", "d").orderBy("name");
});
await step("error", () => knex("kp").insert({ name: "a" }));
await step("nested", () =>
  knex.transaction(async (trx) => {
    const inner = await trx
      .transaction((deeper) => deeper("kp").insert({ name: "a" }))
      .catch(codeOf);
    return [inner, (await trx("kp").select("name")).length];
  }),
);
await step("columns", async () =>
  Object.entries(await knex("kp").columnInfo()).map(([name, { type, nullable, maxLength }]) => [
    name,
    type,
    nullable,
    maxLength,
  ]),
);
await knex.destroy();
end();

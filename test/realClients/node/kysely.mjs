// Kysely with pg or mysql2: schema builder, introspection, migrator.
import { Kysely, Migrator, MysqlDialect, PostgresDialect, sql } from "kysely";
import pg from "pg";
import mysql from "mysql2";
import { address, end, isPostgres, step } from "./steps.mjs";

const db = new Kysely({
  dialect: isPostgres
    ? new PostgresDialect({ pool: new pg.Pool(address) })
    : new MysqlDialect({ pool: mysql.createPool(address) }),
});
await step("drop", async () => {
  for (const name of ["ky_pet", "ky_person", "kysely_migration", "kysely_migration_lock"])
    await db.schema.dropTable(name).ifExists().execute();
});
const provider = {
  getMigrations: async () => ({
    one: {
      async up(on) {
        let person = on.schema.createTable("ky_person");
        person = isPostgres
          ? person.addColumn("id", "serial", (column) => column.primaryKey())
          : person.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement());
        await person
          .addColumn("name", "varchar(50)", (column) => column.notNull().unique())
          .addColumn("at", "timestamp", (column) =>
            column.defaultTo(sql`current_timestamp`).notNull(),
          )
          .execute();
        await on.schema
          .createTable("ky_pet")
          .addColumn("id", "integer", (column) => column.primaryKey())
          .addColumn("owner", "integer", (column) =>
            column.references("ky_person.id").onDelete("cascade").notNull(),
          )
          .execute();
        await on.schema.createIndex("ky_pet_owner").on("ky_pet").column("owner").execute();
      },
      async down(on) {
        await on.schema.dropTable("ky_pet").execute();
        await on.schema.dropTable("ky_person").execute();
      },
    },
  }),
};
const migrator = new Migrator({ db, provider });
await step("migrate", async () => {
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName, status }) => [migrationName, status]);
});
await step("migrate again", async () => (await migrator.migrateToLatest()).results?.length);
await step("crud", async () => {
  await db
    .insertInto("ky_person")
    .values([{ name: "ann" }, { name: "bob" }])
    .execute();
  await db.insertInto("ky_pet").values({ id: 1, owner: 1 }).execute();
  await db
    .transaction()
    .setIsolationLevel("serializable")
    .execute(async (trx) => {
      await trx.updateTable("ky_person").set({ name: "eve" }).where("name", "=", "ann").execute();
    });
  return db
    .selectFrom("ky_person as a")
    .leftJoin("ky_pet as b", "a.id", "b.owner")
    .select(["a.name", "b.id"])
    .orderBy("a.name")
    .execute();
});
await step("introspect", async () =>
  (await db.introspection.getTables())
    .filter(({ name }) => name.startsWith("ky_"))
    .map(({ name, columns, isView }) => [
      name,
      isView,
      columns.map(({ name: column, dataType, isNullable, isAutoIncrementing, hasDefaultValue }) => [
        column,
        dataType,
        isNullable,
        isAutoIncrementing,
        hasDefaultValue,
      ]),
    ]),
);
await step("error", () => db.insertInto("ky_person").values({ name: "eve" }).execute());
await step("down", async () =>
  (await migrator.migrateDown()).results.map(({ direction, status }) => [direction, status]),
);
await db.destroy();
end();

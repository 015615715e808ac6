// Drizzle with pg or mysql2: its migrator with a DO block, queries, transactions, upserts.
import { mkdtempSync, mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import mysql from "mysql2/promise";
import { eq, sql } from "drizzle-orm";
import { end, isPostgres, address, step } from "./steps.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "drizzle-"));
mkdirSync(path.join(folder, "meta"));
const BREAK = "\n--> statement-breakpoint\n";
const text = isPostgres
  ? [
      "CREATE TYPE \"public\".\"dz_kind\" AS ENUM('a', 'b');",
      'CREATE TABLE IF NOT EXISTS "dz" ("id" serial PRIMARY KEY NOT NULL, "s" text, "n" integer, "kind" "dz_kind" DEFAULT \'a\' NOT NULL, "owner" integer, CONSTRAINT "dz_s_unique" UNIQUE("s"));',
      'DO $$ BEGIN\n ALTER TABLE "dz" ADD CONSTRAINT "dz_owner_fk" FOREIGN KEY ("owner") REFERENCES "public"."dz"("id") ON DELETE cascade ON UPDATE no action;\nEXCEPTION\n WHEN duplicate_object THEN null;\nEND $$;',
      'CREATE INDEX IF NOT EXISTS "dz_n" ON "dz" USING btree ("n");',
    ].join(BREAK)
  : [
      "CREATE TABLE `dz` (`id` int AUTO_INCREMENT NOT NULL, `s` varchar(40), `n` int, `kind` enum('a','b') NOT NULL DEFAULT 'a', CONSTRAINT `dz_id` PRIMARY KEY(`id`), CONSTRAINT `dz_s_unique` UNIQUE(`s`));",
      "CREATE INDEX `dz_n` ON `dz` (`n`);",
    ].join(BREAK);
writeFileSync(path.join(folder, "0000_a.sql"), text);
writeFileSync(
  path.join(folder, "meta", "_journal.json"),
  JSON.stringify({
    version: "7",
    dialect: isPostgres ? "postgresql" : "mysql",
    entries: [{ idx: 0, version: "7", when: 1, tag: "0000_a", breakpoints: true }],
  }),
);

const core = isPostgres
  ? await import("drizzle-orm/pg-core")
  : await import("drizzle-orm/mysql-core");
const pool = isPostgres ? new pg.Pool(address) : mysql.createPool(address);
const { drizzle } = isPostgres
  ? await import("drizzle-orm/node-postgres")
  : await import("drizzle-orm/mysql2");
const { migrate } = isPostgres
  ? await import("drizzle-orm/node-postgres/migrator")
  : await import("drizzle-orm/mysql2/migrator");
const db = drizzle(pool);
const table = (isPostgres ? core.pgTable : core.mysqlTable)("dz", {
  id: core.serial("id").primaryKey(),
  s: isPostgres ? core.text("s") : core.varchar("s", { length: 40 }),
  n: isPostgres ? core.integer("n") : core.int("n"),
});

await step("clean", async () => {
  for (const each of isPostgres
    ? [
        "drop schema if exists drizzle cascade",
        "drop table if exists dz",
        "drop type if exists dz_kind",
      ]
    : ["drop table if exists dz", "drop table if exists __drizzle_migrations"])
    await pool.query(each);
});
await step("migrate", () => migrate(db, { migrationsFolder: folder }));
await step("migrate again", () => migrate(db, { migrationsFolder: folder }));
await step(
  "insert",
  async () =>
    void (await db.insert(table).values([
      { s: "a", n: 1 },
      { s: "b", n: 2 },
    ])),
);
await step("upsert", async () => {
  const insert = db.insert(table).values({ s: "a", n: 5 });
  await (isPostgres
    ? insert.onConflictDoUpdate({ target: table.s, set: { n: 6 } })
    : insert.onDuplicateKeyUpdate({ set: { n: 6 } }));
  return db.select().from(table).orderBy(table.s);
});
await step("transaction", () =>
  db.transaction(
    async (trx) => {
      await trx
        .update(table)
        .set({ n: sql`${table.n} + 1` })
        .where(eq(table.s, "a"));
      return trx.select().from(table).where(eq(table.s, "a")).for("update");
    },
    { isolationLevel: "serializable" },
  ),
);
await step("savepoint", () =>
  db.transaction(async (trx) => {
    await trx
      .transaction(async (inner) => {
        await inner.delete(table);
        inner.rollback();
      })
      .catch(() => undefined);
    return trx.$count(table);
  }),
);
await step("error", () => db.insert(table).values({ s: "a" }));
end();

// Migrations in code, as the tables that they leave.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import {
  createProjectReader,
  type ProjectReader,
} from "../../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../../server/src/workspace/configuration";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Program } from "../../../../server/src/program/program";
import type { Table } from "../../../../server/src/program/schema";
import { ownEntry } from "../../../../server/src/protocol/dictionary";
import type { FileId } from "../../../../server/src/protocol/source";

let reader: ProjectReader;

before(async () => {
  reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
});

function read(texts: Readonly<Record<string, string>>, dialect: Dialect = "postgres"): Program {
  // The one place where names become ids.
  const ids = Object.keys(texts).map((name) => name as FileId);
  return reader.read({
    files: ids.map((file) => ({ file, text: ownEntry(texts, file) ?? "" })),
    context: [],
    configuration: { ...DEFAULT_CONFIGURATION, dialect },
  });
}

/** `t(id*, name!) unique(name) -> other`: columns (`*` the key, `!` required), unique keys, references. */
function shown({ name, columns, primaryKey, uniqueKeys, foreignKeys }: Table): string {
  const own = columns.map((each) => {
    const mark = primaryKey.includes(each.name) ? "*" : each.nullable ? "" : "!";
    return each.name + mark;
  });
  const unique = uniqueKeys.map((key) => ` unique(${key.columns.join()})`).join("");
  const to = foreignKeys.map(
    (key) => ` ${key.columns.join()}->${key.table}${key.onDelete ? ` ${key.onDelete}` : ""}`,
  );
  return `${name}(${own.join()})${unique}${to.join("")}`;
}

function check(
  name: string,
  texts: Readonly<Record<string, string>>,
  tables: readonly string[],
): void {
  for (const dialect of ["postgres", "mysql"] as const) {
    test(`${name}, ${dialect}`, () => {
      const program = read(texts, dialect);
      assert.deepEqual(program.schema.tables.map(shown), tables);
      assert.deepEqual(program.transactions, []);
      assert.deepEqual(
        program.notes.filter(({ code }) => code !== "dialect"),
        [],
      );
    });
  }
}

check(
  "knex",
  {
    "migrations/20200102_b.js": `exports.up = (knex) => knex.schema.alterTable("users", (t) => {
      t.integer("age"); t.dropColumn("nick"); t.unique(["name", "age"]);
    });`,
    "migrations/20200101_a.js": `exports.up = async function (knex) {
      await knex.schema.createTable("users", (table) => {
        table.increments();
        table.string("name", 80).notNullable();
        table.string("nick");
        table.string("email").notNullable().unique();
        table.timestamps(true, true);
      }).createTable("orders", function (t) {
        t.uuid("a"); t.bigInteger("b");
        t.integer("user_id").references("id").inTable("users").onDelete("CASCADE");
        t.primary(["a", "b"]);
        t.foreign("b").references("users.id");
      });
    };
    exports.down = (knex) => knex.schema.dropTable("users");`,
  },
  [
    "users(id*,name!,email!,created_at!,updated_at!,age) unique(email) unique(name,age)",
    "orders(a*,b*,user_id) user_id->users cascade b->users",
  ],
);

check(
  "raw SQL of knex, names bound at the top",
  {
    "db/migrations/1_a.ts": `import type { Knex } from "knex";
    const TABLE = "things";
    export async function up(knex: Knex): Promise<void> {
      await knex.schema.createTable(TABLE, (t) => { t.bigIncrements("no"); });
      await knex.raw("ALTER TABLE " + TABLE + " ADD COLUMN size int NOT NULL");
      await knex.schema.renameTable(TABLE, "objects");
      await knex("objects").insert({ size: 1 });
    }`,
  },
  ["objects(no*,size!)"],
);

check(
  "Sequelize",
  {
    "migrations/20200101-a.js": `'use strict';
    module.exports = {
      up: async (queryInterface, Sequelize) => {
        await queryInterface.createTable('users', {
          id: { allowNull: false, autoIncrement: true, primaryKey: true, type: Sequelize.INTEGER },
          email: { type: Sequelize.STRING(80), allowNull: false, unique: true },
          team: Sequelize.INTEGER,
          team_id: { type: Sequelize.INTEGER, references: { model: 'teams', key: 'id' }, onDelete: 'CASCADE' },
        });
        await queryInterface.addColumn('users', 'age', { type: Sequelize.INTEGER, allowNull: false, defaultValue: 0 });
        await queryInterface.removeColumn('users', 'team');
        await queryInterface.addConstraint('users', { fields: ['email', 'age'], type: 'unique', name: 'x' });
        await queryInterface.addIndex('users', ['team_id', 'age'], { unique: true });
        await queryInterface.addIndex('users', ['age']);
      },
      down: async (queryInterface) => { await queryInterface.dropTable('users'); },
    };`,
  },
  [
    "users(id*,email!,team_id,age!) unique(email) unique(email,age) unique(team_id,age) team_id->teams cascade",
  ],
);

check(
  "TypeORM",
  {
    "src/migrations/1588-Create.ts": `import { MigrationInterface, QueryRunner, Table, TableColumn, TableForeignKey, TableIndex } from "typeorm";
    export class Create1588 implements MigrationInterface {
      public async up(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.createTable(new Table({
          name: "users",
          columns: [
            { name: "id", type: "int", isPrimary: true, isGenerated: true, generationStrategy: "increment" },
            { name: "email", type: "varchar", isUnique: true },
            { name: "team", type: "int", isNullable: true },
          ],
          foreignKeys: [{ columnNames: ["team"], referencedTableName: "teams", referencedColumnNames: ["id"], onDelete: "CASCADE" }],
        }), true);
        await queryRunner.addColumn("users", new TableColumn({ name: "age", type: "int" }));
        await queryRunner.createIndex("users", new TableIndex({ name: "x", columnNames: ["team", "age"], isUnique: true }));
        await queryRunner.query("ALTER TABLE users ADD COLUMN note varchar(20)");
      }
      public async down(queryRunner: QueryRunner): Promise<void> { await queryRunner.dropTable("users"); }
    }`,
  },
  ["users(id*,email!,team,age!,note) unique(email) unique(team,age) team->teams cascade"],
);

check(
  "Kysely",
  {
    "migrations/2020-01-01_a.ts": `import { Kysely, sql } from "kysely";
    export async function up(db: Kysely<any>): Promise<void> {
      await db.schema.createTable("person")
        .addColumn("id", "serial", (col) => col.primaryKey())
        .addColumn("name", "varchar(50)", (col) => col.notNull().unique())
        .addColumn("nick", "text")
        .addColumn("boss", "integer", (col) => col.references("person.id").onDelete("cascade"))
        .addUniqueConstraint("u", ["name", "boss"])
        .execute();
      await db.schema.alterTable("person").addColumn("age", sql\`int\`, (col) => col.notNull()).execute();
      await db.schema.createIndex("i").unique().on("person").columns(["boss", "age"]).execute();
      await sql\`ALTER TABLE person DROP COLUMN nick\`.execute(db);
    }`,
  },
  [
    "person(id*,name!,boss,age!) unique(name) unique(name,boss) unique(boss,age) boss->person cascade",
  ],
);

test("a table's place is the line of the code that makes it", () => {
  const text = `// one\nexports.up = (knex) =>\n  knex.schema.createTable("a", (t) => {\n    t.increments();\n  })\n  .raw("CREATE TABLE b (id int)");\n`;
  const { schema } = read({ "migrations/1_a.js": text });
  assert.deepEqual(
    schema.tables.map(({ name, source }) => [name, source?.file, source?.range.start.line]),
    [
      ["a", "migrations/1_a.js", 2],
      ["b", "migrations/1_a.js", 2],
    ],
  );
});

test("code that uses the tables finds their keys", () => {
  const { transactions, schema } = read({
    "migrations/1_a.js": `exports.up = (knex) => knex.schema.createTable("a", (t) => { t.string("code").primary(); t.integer("v"); });`,
    "src/x.ts": `import knex from "knex"; const db = knex({ client: "pg" });
      export async function put(code: string) { await db("a").where({ code }).update({ v: 1 }); }`,
  });
  assert.deepEqual(schema.tables.map(shown), ["a(code*,v)"]);
  assert.equal(schema.tables[0]?.inferred, false);
  assert.deepEqual(
    transactions.map(({ name }) => name),
    ["put"],
  );
});

test("an up that changes no schema is none", () => {
  const { schema } = read({
    "migrations/1_a.js": "exports.up = (x) => x.raw('UPDATE t SET v = 1');",
  });
  assert.deepEqual(
    schema.tables.filter(({ inferred }) => !inferred),
    [],
  );
});

test("migrations of data are no transactions of the program, and what is called up elsewhere is none of them", () => {
  const query = 'sequelize.query(`UPDATE "t" SET v = 1 WHERE v = 2`)';
  const { transactions } = read({
    "migrations/1_a.js": `module.exports = { async up(context) { await context.${query}; } };`,
    "data/2_b.js": `module.exports = { async up(queryInterface) { await queryInterface.${query}; }, async down() {} };`,
    "data/3_c.ts": `import { QueryRunner } from "typeorm";
export class Third { async up(runner: QueryRunner) { await runner.query("UPDATE t SET v = 3"); } async down() {} }`,
    "src/votes.ts": `import { Pool } from "pg";
const pool = new Pool();
export async function up(id: number) { await pool.query("UPDATE t SET v = v + 1 WHERE id = $1", [id]); }
export async function down(id: number) { await pool.query("UPDATE t SET v = v - 1 WHERE id = $1", [id]); }`,
  });
  assert.deepEqual(
    transactions.map(({ name }) => name),
    ["up", "down"],
  );
});

test("what stands where numbered migrations do is no transaction of the program, whatever it is called", () => {
  const run = (name: string): string => `import { Pool } from "pg";
const pool = new Pool();
export const ${name} = { name: "x", run: async () => { await pool.query("UPDATE t SET v = 1 WHERE v = 2"); } };`;
  const { transactions } = read({
    "migration/20240101_a/migration.ts": run("inFolder"),
    "migrations/0002_b.ts": run("inFile"),
    "src/migration.ts": run("about"),
  });
  assert.deepEqual(
    transactions.map(({ name }) => name),
    ["about.run"],
  );
});

test("defaults are values, SQL of the code, or not known, and never nothing", () => {
  const program = read({
    "migrations/1_a.ts": `import { sql, type Kysely } from "kysely";
    export async function up(db: Kysely<any>) {
      await db.schema.createTable("a").addColumn("made", "timestamp", (c) => c.defaultTo(sql\`now()\`))
        .addColumn("word", "text", (c) => c.defaultTo("now()")).addColumn("key", "text", (c) => c.defaultTo(keyOf(1))).addColumn("plain", "text").execute();
    }`,
    "migrations/2_b.ts": `import type { Knex } from "knex";
    export const up = (knex: Knex) => knex.schema.createTable("b", (t) => {
      t.timestamp("at").defaultTo(knex.fn.now()); t.timestamp("then").defaultTo(knex.raw("now()")); t.json("data").defaultTo(JSON.stringify([]));
      t.timestamps({ defaultToNow: true, useCamelCase: true });
    });`,
    "migrations/3_c.js": `module.exports = { up: async (queryInterface, Sequelize) => {
      await queryInterface.createTable("c", { at: { type: Sequelize.DATE, defaultValue: Sequelize.fn("now") }, own: { type: Sequelize.DATE, defaultValue: Sequelize.NOW } });
    } };`,
    "migrations/4_d.ts": `import { Table, type MigrationInterface, type QueryRunner } from "typeorm";
    export class D4 implements MigrationInterface {
      async up(queryRunner: QueryRunner) {
        await queryRunner.createTable(new Table({ name: "d", columns: [{ name: "at", type: "timestamp", default: "now()" }, { name: "n", type: "int", default: 3 }] }));
      }
    }`,
  });
  const defaults = program.schema.tables.map(({ name, columns }) => {
    const each = columns.map(({ name: column, default: given }) => {
      const value = given?.kind === "literal" ? JSON.stringify(given.value) : given?.kind;
      return value === undefined ? column : `${column}=${value}`;
    });
    return `${name}: ${each.join(" ")}`;
  });
  assert.deepEqual(defaults, [
    'a: made=fresh word="now()" key=unknown plain',
    "b: at=fresh then=fresh data=unknown createdAt=fresh updatedAt=fresh",
    "c: at=fresh own",
    "d: at=fresh n=3",
  ]);
});

check(
  "db-migrate, SQL with comments",
  {
    "migrations/1_a.js": `exports.up = function (db, callback) {
      db.runSql(\`
        /* people */
        CREATE TABLE users (id int PRIMARY KEY, -- the key
          name varchar(9) NOT NULL DEFAULT 'a -- b', age int)\`, () => db.runSql("ALTER TABLE users DROP COLUMN age", callback));
    };
    exports.down = (db, callback) => db.runSql("DROP TABLE users", callback);`,
    "migrations/2_b.js": `exports.up = (db, callback) => db.createTable("tags", { value: { type: "string", primaryKey: true, notNull: true }, kind: { type: "string", notNull: true } }, callback);`,
  },
  ["users(id*,name!)", "tags(value*,kind!)"],
);

check(
  "helpers stand where they are called, with what they are given",
  {
    "migrations/1.js": `
exports.up = async (knex) => {
  await named(knex, "people");
  await named(knex, "places", "title");
};
const named = (knex, table, column = "name") => make(knex, table, (t) => { t.string(column).notNullable(); });
async function make(knex, table, more) {
  await knex.schema.createTable(table, (t) => { t.increments("id"); t.integer("version"); });
  await make(knex, table, more);
}`,
  },
  ["people(id*,version)", "places(id*,version)"],
);

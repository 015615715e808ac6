// Mappers' tables of one name in several schemas are different tables, as SQL text names them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { namedTables } from "../../../../server/src/frontend/sql/tableNames";
import type { Dialect } from "../../../../server/src/program/dialect";
import { transactionsOf } from "./codePrograms";

const DDL = `
CREATE TABLE auth.users (id serial PRIMARY KEY, token int NOT NULL);
CREATE TABLE users (id serial PRIMARY KEY, n int NOT NULL UNIQUE);`;

const MYSQL = DDL.replaceAll("serial", "int AUTO_INCREMENT");

/** The statements of the only transaction with their tables, in order; nothing is lost of them. */
async function statements(
  texts: Readonly<Record<string, string>>,
  dialect: Dialect = "postgres",
): Promise<readonly string[]> {
  const ddl = dialect === "postgres" ? DDL : MYSQL;
  const [only, ...others] = await transactionsOf(ddl, texts, dialect);
  assert.deepEqual(others, []);
  assert.deepEqual(only?.taint, []);
  const found: string[] = [];
  const walk = (command: NonNullable<typeof only>["body"]): void => {
    if (command.kind === "sequence") command.commands.forEach(walk);
    if (command.kind === "if") walk(command.then);
    if (command.kind !== "statement") return;
    assert.deepEqual(command.statement.taint, []);
    found.push(`${command.statement.kind} ${[...namedTables(command).tables.keys()].join(" ")}`);
  };
  if (only !== undefined) walk(only.body);
  return found;
}

function check(
  name: string,
  texts: Readonly<Record<string, string>> | string,
  expected: string,
  dialect?: Dialect,
): void {
  // prettier-ignore
  it(name, async () => {
    const files = typeof texts === "string" ? { "a.ts": texts } : texts;
    assert.deepEqual(await statements(files, dialect), expected.split(", "));
  });
}

const TYPEORM = (entity: string, type: string): string => `
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from "typeorm";
@Entity(${entity})
class Login { @PrimaryGeneratedColumn() id: number; @Column() token: number; }
@Entity("users")
class User { @PrimaryGeneratedColumn() id: number; @Column() n: number; }
const source = new DataSource({ type: "${type}" });
export async function both(id: number) {
  await source.transaction(async (m) => {
    await m.findOneBy(Login, { id });
    await m.getRepository(User).createQueryBuilder("u").where("u.id = :id", { id }).getOne();
    await m.insert(User, { n: 3 });
    await m.insert(Login, { token: 3 });
    await m.delete(Login, { id });
    await m.createQueryBuilder().update(Login).set({ token: 1 }).where("id = :id", { id }).execute();
  });
}`;
const OF_TYPEORM =
  "select auth.users, select users, insert users, insert auth.users, delete auth.users, update auth.users";

check("TypeORM", TYPEORM(`{ name: "users", schema: "auth" }`, "postgres"), OF_TYPEORM);
check("TypeORM, by a dot", TYPEORM(`"auth.users"`, "postgres"), OF_TYPEORM);
check(
  "TypeORM on MySQL",
  TYPEORM(`{ name: "users", database: "auth" }`, "mysql"),
  OF_TYPEORM,
  "mysql",
);

check(
  "Sequelize",
  `import { DataTypes, Model, Sequelize } from "sequelize";
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false } });
class Login extends Model {}
Login.init({ token: DataTypes.INTEGER }, { sequelize, tableName: "users", schema: "auth" });
const User = sequelize.define("User", { n: DataTypes.INTEGER }, { tableName: "users" });
export async function both(id: number) {
  await sequelize.transaction(async (transaction) => {
    const l = await Login.findByPk(id, { transaction });
    l.token = l.token + 1;
    await l.save({ transaction });
    await User.create({ n: 1 }, { transaction });
    await Login.update({ token: 2 }, { where: { id }, transaction });
    await Login.schema("public").destroy({ where: { id }, transaction });
  });
}
`,
  "select auth.users, update auth.users, insert users, update auth.users, delete users",
);

check(
  "Drizzle",
  `import { drizzle } from "drizzle-orm/node-postgres";
import { eq } from "drizzle-orm";
import { pgSchema, pgTable, serial, integer } from "drizzle-orm/pg-core";
const auth = pgSchema("auth");
const logins = auth.table("users", { id: serial("id").primaryKey(), token: integer("token").notNull() });
const users = pgTable("users", { id: serial("id").primaryKey(), n: integer("n").notNull() });
const db = drizzle(process.env.DATABASE_URL);
export async function both(id: number) {
  await db.transaction(async (tx) => {
    const [l] = await tx.select().from(logins).where(eq(logins.id, id));
    await tx.update(logins).set({ token: l.token + 1 }).where(eq(logins.id, id));
    await tx.insert(users).values({ n: 1 });
    await tx.insert(logins).values({ token: 1 }).onConflictDoUpdate({ target: logins.id, set: { token: 5 } });
    await tx.select({ a: users.n, b: logins.token }).from(users).innerJoin(logins, eq(logins.id, users.id));
    await tx.delete(logins).where(eq(logins.id, id));
  });
}
`,
  "select auth.users, update auth.users, insert users, insert auth.users, select users auth.users, delete auth.users",
);

check(
  "MikroORM",
  `import { Entity, PrimaryKey, Property, EntityManager } from "@mikro-orm/core";
@Entity({ tableName: "users", schema: "auth" })
export class Login { @PrimaryKey() id!: number; @Property() token!: number; }
@Entity({ tableName: "users" })
export class User { @PrimaryKey() id!: number; @Property() n!: number; }
export async function both(em: EntityManager, id: number) {
  await em.transactional(async (m) => {
    const l = await m.findOneOrFail(Login, { id });
    l.token = l.token + 1;
    const u = await m.findOneOrFail(User, { id });
    u.n = 5;
  });
}
`,
  "select auth.users, select users, update auth.users, update users",
);

check(
  "Kysely",
  `import { Kysely, PostgresDialect } from "kysely";
const db = new Kysely<any>({ dialect: new PostgresDialect({}) });
export async function both(id: number) {
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom("auth.users").select("token").where("id", "=", id).executeTakeFirst();
    await trx.updateTable("auth.users").set({ token: 2 }).where("auth.users.id", "=", id).execute();
    await trx.updateTable("users").set({ n: 2 }).where("users.id", "=", id).execute();
    await trx.withSchema("auth").selectFrom("users").selectAll().where("users.id", "=", id).execute();
    await trx.insertInto("auth.users").values({ token: 1 }).execute();
  });
}
`,
  "select auth.users, update auth.users, update users, select auth.users, insert auth.users",
);

check(
  "knex",
  `import knex from "knex";
const db = knex({ client: "pg" });
export async function both(id: number) {
  await db.transaction(async (trx) => {
    await trx("auth.users").where({ id }).select("token");
    await trx("auth.users").where({ "auth.users.id": id }).update({ token: 3 });
    await trx("users").where({ id }).update({ n: 3 });
    await trx.withSchema("auth").from("users").where({ id }).select("token");
    await trx("users").withSchema("auth").where({ id }).update({ token: 1 });
    await trx("users as u").join("auth.users as l", "u.id", "l.id").select("l.token");
  });
}
`,
  "select auth.users, update auth.users, update users, select auth.users, update auth.users, select users auth.users",
);

check(
  "Objection",
  `import { Model } from "objection";
class Login extends Model { static tableName = "auth.users"; id!: number; token!: number; }
class User extends Model { static tableName = "users"; id!: number; n!: number; }
export async function both(id: number) {
  await Login.transaction(async (trx) => {
    const l = await Login.query(trx).findById(id);
    await Login.query(trx).findById(id).patch({ token: 2 });
    await User.query(trx).findById(id).patch({ n: 2 });
    await User.query(trx).insert({ n: 2 });
    await Login.query(trx).insert({ token: 2 });
    await User.query(trx).withSchema("auth").findById(id);
  });
}
`,
  "select auth.users, update auth.users, update users, insert users, insert auth.users, select auth.users",
);

check(
  "the search path of a connection",
  `import { Pool } from "pg";
const pool = new Pool();
export async function both(id: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("SET LOCAL search_path TO auth");
  await client.query("SELECT token FROM users WHERE id = $1", [id]);
  await client.query("UPDATE public.users SET n = 1 WHERE id = $1", [id]);
  await client.query("COMMIT");
  client.release();
}
`,
  "select auth.users, update users",
);

const JPA = (place: string): Readonly<Record<string, string>> => ({
  "app/Login.java": `package app; import jakarta.persistence.*;
@Entity @Table(name = "users", ${place} = "auth") public class Login {
  @Id @GeneratedValue private Long id; private int token;
  public int getToken() { return token; } public void setToken(int token) { this.token = token; }
}`,
  "app/User.java": `package app; import jakarta.persistence.*;
@Entity @Table(name = "users") public class User {
  @Id @GeneratedValue private Long id; private int n;
  public int getN() { return n; } public void setN(int n) { this.n = n; }
}`,
  "app/Service.java": `package app; import jakarta.persistence.*; import org.springframework.transaction.annotation.Transactional; import org.springframework.stereotype.Service;
@Service public class Service1 {
  @PersistenceContext EntityManager em;
  @Transactional public void both(Long id) {
    Login l = em.find(Login.class, id); l.setToken(l.getToken() + 1);
    User u = em.createQuery("select u from User u where u.id = :id", User.class).setParameter("id", id).getSingleResult(); u.setN(3);
  }
}`,
});

const OF_JPA = "select auth.users, select users, update auth.users, update users";
check("JPA", JPA("schema"), OF_JPA);
check("JPA on MySQL", JPA("catalog"), OF_JPA, "mysql");

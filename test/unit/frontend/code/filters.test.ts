// Filters of mappers by one engine: what alternatives without a condition, related rows and NULL say in each language.
import { describe, it } from "node:test";
import assert from "node:assert/strict";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE author (id serial PRIMARY KEY, name text NOT NULL);
CREATE TABLE book (id serial PRIMARY KEY, title text, author_id int REFERENCES author (id));
`;

async function selects(text: string): Promise<readonly string[]> {
  const lines = printed(await transactionsOf(DDL, { "a.ts": text }));
  return lines.flatMap((line) => / where (.*)$/u.exec(line)?.[1] ?? []);
}

const MIKRO = `import { Entity, EntityManager, ManyToOne, PrimaryKey, Property } from "@mikro-orm/core";
@Entity() class Author { @PrimaryKey() id!: number; @Property() name!: string; }
@Entity() class Book { @PrimaryKey() id!: number; @Property() title?: string; @ManyToOne(() => Author) author!: Author; }
`;

describe("filters of mappers", () => {
  it("take an alternative that says nothing for all rows, or leave it out", async () => {
    const mikro = `${MIKRO}export const f = (em: EntityManager, t: string) =>
  em.find(Book, { id: { $gt: 1 }, $or: [{}, { title: t }] });`;
    assert.deepEqual(await selects(mikro), ["(book.id > 1)"]);
    const sequelize = `import { DataTypes, Op, Sequelize } from "sequelize";
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false, freezeTableName: true } });
const Book = sequelize.define("book", { title: DataTypes.STRING });
export const f = (t: string) => Book.findAll({ where: { [Op.or]: [{}, { title: t }] } });`;
    assert.deepEqual(await selects(sequelize), ["(book.title = :t)"]);
  });

  it("know a related row by its key alone", async () => {
    const text = `${MIKRO}export async function f(em: EntityManager, key: number, author: Author) {
  await em.find(Book, { author: { id: key } });
  await em.find(Book, { author });
  await em.find(Book, { author: { $in: [1, 2] } });
  await em.find(Book, { author: { name: "x" } });
}`;
    assert.deepEqual((await selects(text)).slice(0, 3), [
      "(book.author_id = :key)",
      "(book.author_id = :author.id)",
      "(book.author_id in [1, 2])",
    ]);
    assert.equal((await selects(text)).length, 3);
  });

  it("read their table alone where an operator of data is not understood", async () => {
    const sequelize = (
      value: string,
    ): string => `import { DataTypes, Op, Sequelize } from "sequelize";
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false, freezeTableName: true } });
const Book = sequelize.define("book", { title: DataTypes.STRING, author_id: DataTypes.INTEGER });
export const f = (t: string) => Book.findAll({ where: { author_id: 1, title: ${value} } });`;
    const of = "unknown(code:document(";
    for (const value of ["{ [Op.anyOther]: t }", "{ [Op.anyOther]: [t, 1] }"]) {
      const [where = "", ...more] = await selects(sequelize(value));
      assert.ok(where.includes("(book.author_id = 1)") && where.includes(of), where);
      assert.deepEqual(more, []);
    }
    assert.deepEqual(
      await selects(sequelize("{ [Op.anyOther]: sequelize.literal('(SELECT 1)') }")),
      [],
    );
  });

  it("leave NULL out or compare it, as the call does", async () => {
    const text = `import { Column, DataSource, Entity, Not, PrimaryGeneratedColumn } from "typeorm";
@Entity("book") class Book { @PrimaryGeneratedColumn() id!: number; @Column() title?: string; }
const books = new DataSource({ type: "postgres" }).getRepository(Book);
export async function f(t: string) {
  await books.find({ where: [{ id: 1, title: null }, { title: Not(t) }] });
  await books.delete({ title: null });
}`;
    assert.deepEqual(await selects(text), [
      "((book.id = 1) or not (book.title = :t))",
      "(book.title = null)",
    ]);
  });
});

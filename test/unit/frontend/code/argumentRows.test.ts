// Objects of mappers' classes among the arguments: rows that the caller has read, which save themselves.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readOver } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE users (id int PRIMARY KEY, balance int NOT NULL);";
const SEQUELIZE = `import { DataTypes, Model, Sequelize } from "sequelize";
import { Request } from "express";
const sequelize = new Sequelize("postgres://localhost/x");
export class User extends Model { declare id: number; declare balance: number; }
User.init({ id: { type: DataTypes.INTEGER, primaryKey: true }, balance: DataTypes.INTEGER }, { sequelize, tableName: "users", timestamps: false });
export interface Own { user: User }
export interface OwnRequest extends Request { user: User }
`;
const TYPEORM = `import { BaseEntity, Column, Entity, PrimaryColumn } from "typeorm";
@Entity("users") export class User extends BaseEntity { @PrimaryColumn() id: number; @Column() balance: number; }
`;

async function read(text: string) {
  const { transactions, notes } = await readOver(DDL, { "a.ts": text }, "postgres");
  const found = transactions.filter(({ name }) => name === "f");
  return {
    lines: printed(found)
      .slice(1)
      .map((line) => line.trim()),
    losses: found.flatMap(losses),
    notes: notes.map(({ message }) => message),
  };
}

describe("a row among the arguments", () => {
  it("is changed by its key, as its caller read it", async () => {
    const places = {
      "user: User": "user",
      "own: Own": "own.user",
      "own: { user: User }": "own.user",
      "own: { user?: User }": "own.user!",
      "request: OwnRequest": "request.user",
      "request: Request & { user: User }": "request.user",
    };
    for (const [parameter, place] of Object.entries(places)) {
      const name = place.replace("!", "");
      const update = `update users set balance = (:${name}.balance - 1) where (users.id = :${name}.id)`;
      const bodies = [
        `await ${place}.update({ balance: ${place}.balance - 1 });`,
        `${place}.balance -= 1; await ${place}.save();`,
      ];
      for (const body of bodies) {
        const text = `${SEQUELIZE}export async function f(${parameter}) { ${body} }`;
        const { lines, losses: lost } = await read(text);
        assert.deepEqual(lines, [update], text);
        assert.deepEqual(lost, []);
      }
    }
  });

  it("is what it is read again as", async () => {
    const { lines } = await read(`${SEQUELIZE}export async function f(user: User) {
  await sequelize.transaction(async (transaction) => {
    await user.reload({ lock: true, transaction });
    await user.update({ balance: user.balance - 1 }, { transaction });
  });
}`);
    assert.equal(
      lines.at(-1),
      "update users set balance = (r1.balance - 1) where (users.id = r1.id)",
    );
  });

  it("is no object that the code makes itself, which is said", async () => {
    const bodies = [
      "const user = new User({ id: body.id }); await user.save();",
      "const user = new User(); user.id = body.id; user.balance = body.balance; await user.save();",
    ];
    for (const each of bodies) {
      const { lines, notes } = await read(
        `${SEQUELIZE}export async function f(body: { id: number; balance: number }) { ${each} }`,
      );
      assert.deepEqual(lines, [], each);
      assert.match(notes.join(), /which row save\(\) is called on is not known/u);
    }
  });

  it("is an item of a list", async () => {
    const change =
      /^loop count,update users set balance = \(:users\.balance\[@(i\d)\] - 1\) where \(users\.id = :users\.id\[@\1\]\)$/u;
    const bodies = [
      "for (const user of users) await user.update({ balance: user.balance - 1 });",
      "for (const user of users) { user.balance -= 1; await user.save(); }",
      "await Promise.all(users.map((user) => user.update({ balance: user.balance - 1 })));",
      "await Promise.all(users.map(async (user) => { user.balance -= 1; await user.save(); }));",
    ];
    for (const type of ["User[]", "Array<User>", "readonly User[]", "Set<User>", "Users"]) {
      for (const body of bodies) {
        const text = `${SEQUELIZE}type Users = User[];
export async function f(users: ${type}) { ${body} }`;
        const { lines, losses: lost } = await read(text);
        assert.match(lines.join(), change, text);
        assert.deepEqual(lost, [], text);
      }
    }
  });

  it("is said to be not read where nothing tells its type", async () => {
    const said = {
      "user: any": "await user.save();",
      "req: any": "await req.user.destroy();",
      user: "return user.increment({ balance: 1 });",
      "users: any[]": "for (const user of users) await user.reload();",
      "request: Request": "await request.user.save();",
    };
    for (const [parameter, body] of Object.entries(said)) {
      const { lines, notes } = await read(
        `${SEQUELIZE}export async function f(${parameter}) { ${body} }`,
      );
      assert.deepEqual(lines, []);
      assert.match(notes.join(), /may use the database: .* may be a row of sequelize's/u, body);
    }
  });

  it("is nothing whose type says something else, and no call whose result nobody awaits", async () => {
    const silent = {
      "file: File": "await file.save();",
      "form: any": "const text = form.save(); return text.length;",
    };
    for (const [parameter, body] of Object.entries(silent)) {
      const { notes } = await read(`${SEQUELIZE}export async function f(${parameter}) { ${body} }`);
      assert.deepEqual(notes, [], body);
    }
  });

  it("is looked for by TypeORM before it is saved", async () => {
    for (const [parameter, place] of [
      ["user: User", "user"],
      ["own: { user: User }", "own.user"],
    ] as const) {
      const { lines, losses: lost } = await read(
        `${TYPEORM}export async function f(${parameter}) { ${place}.balance -= 1; await ${place}.save(); }`,
      );
      assert.ok(
        lines.includes(
          `update users set balance = (:${place}.balance - 1) where (users.id = :${place}.id)`,
        ),
        lines.join("\n"),
      );
      assert.deepEqual(lost, []);
    }
  });
});

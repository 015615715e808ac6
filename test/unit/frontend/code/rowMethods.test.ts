// Methods that a model's class gives to its rows run as any other function.
import assert from "node:assert/strict";
import { test } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE events (id serial PRIMARY KEY, sold int NOT NULL);";
const READ =
  "  r1 = select events.id as id, events.sold as sold from events where (events.id = :id)";
const MISSING = ["  if (size(r1) <= 0)", "    rollback"];

const SEQUELIZE = `const { Sequelize, DataTypes, Model } = require("sequelize");
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false } });
class Event extends Model {
  sell(n) { this.sold += n; return this.save(); }
}
Event.init({ sold: DataTypes.INTEGER }, { sequelize, modelName: "event" });
Event.prototype.move = function () { return this.update({ sold: 0 }); };`;

async function check(files: Readonly<Record<string, string>>, ...expected: readonly string[]) {
  const found = await transactionsOf(DDL, files);
  assert.deepEqual(printed(found.filter(({ name }) => name === "exports.f" || name === "f")), expected); // prettier-ignore
}

test("what a method of Sequelize's row changes is saved", () =>
  check(
    {
      "a.js": `${SEQUELIZE}
        exports.f = async (id) => { const e = await Event.findByPk(id); await e.sell(2); };`,
    },
    "exports.f unit",
    READ,
    ...MISSING,
    "  update events set sold = (r1.sold + 2) where (events.id = r1.id)",
  ));

for (const field of ["sell = function (n) {", "sell = (n) => {", "sell = async (n) => {"]) {
  test(`what a function of a field changes is saved: ${field}`, () =>
    check(
      {
        "a.js": `${SEQUELIZE.replace("sell(n) {", field)}
          exports.f = async (id) => { const e = await Event.findByPk(id); await e.sell(2); };`,
      },
      "exports.f unit",
      READ,
      ...MISSING,
      "  update events set sold = (r1.sold + 2) where (events.id = r1.id)",
    ));
}

test("a method of the prototype is said", () =>
  check(
    {
      "a.js": `${SEQUELIZE}
        exports.f = async (id) => { const e = await Event.findByPk(id); await e.move(); };`,
    },
    "exports.f autocommit",
    READ,
    ...MISSING,
    "  ! what event's move() does is not known",
  ));

test("what a method of TypeORM's entity changes is saved", () =>
  check(
    {
      "a.ts": `import { DataSource, Entity, PrimaryGeneratedColumn, Column } from "typeorm";
        @Entity("events") class Ev {
          @PrimaryGeneratedColumn() id!: number;
          @Column() sold!: number;
          sell(n: number) { this.sold += n; }
        }
        const ds = new DataSource({ type: "postgres" });
        export async function f(id: number) {
          const e = await ds.getRepository(Ev).findOneByOrFail({ id });
          e.sell(2);
          await ds.manager.save(e);
        }`,
    },
    "f unit",
    `${READ} limit 1`,
    ...MISSING,
    "  r2 = select events.id as id, events.sold as sold from events where (events.id = r1.id)",
    "  atomic",
    "    update events set sold = (r1.sold + 2) where (events.id = r1.id)",
  ));

const GETTER = `${SEQUELIZE.replace("sell(n) {", "get isOver() { return this.sold >= limit; }\n  sell(n) {")}
const limit = 10;`;

for (const [asked, expected] of [
  ["e.isOver", ["if (size(r1) <= 0)", "  rollback", "if (r1.sold >= 10)", "  rollback"]],
  ["e?.isOver", ["if ((size(r1) > 0) and (r1.sold >= 10))", "  rollback", "if (size(r1) <= 0)", "  rollback"]], // prettier-ignore
  ["!e || e.isOver", ["if ((size(r1) <= 0) or (r1.sold >= 10))", "  rollback"]],
] as const) {
  test(`a getter of a row's class is evaluated where the row is there: ${asked}`, () =>
    check(
      {
        "a.js": `${GETTER}
        exports.f = async (id) => {
          const e = await Event.findByPk(id);
          if (${asked}) throw new Error("sold out");
          await e.update({ sold: e.sold + 1 });
        };`,
      },
      "exports.f unit",
      READ,
      ...expected.map((line) => `  ${line}`),
      "  update events set sold = (r1.sold + 1) where (events.id = r1.id)",
    ));
}

// Hooks of Sequelize's models: they run around statements, are not followed, and that is said.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses } from "./prismaPrograms";

const DDL = `CREATE TABLE events (id serial PRIMARY KEY, sold int NOT NULL);
CREATE TABLE tickets (id serial PRIMARY KEY, seat int);`;

function models(options: string, more: string): string {
  return `const { Sequelize, DataTypes } = require("sequelize");
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false } });
const Event = sequelize.define("event", { sold: DataTypes.INTEGER }, { ${options} });
const Ticket = sequelize.define("ticket", { seat: DataTypes.INTEGER });
${more}
module.exports = { sequelize, Event, Ticket };`;
}

/** The message about a function. */
async function check(
  { options = "", more = "" },
  body: string,
  ...expected: readonly string[]
): Promise<void> {
  const found = await transactionsOf(DDL, {
    "models.js": models(options, more),
    "a.js": `const { Event, Ticket } = require("./models");
exports.f = async (id) => { ${body} };`,
  });
  const own = found.filter(({ name }) => name === "exports.f");
  assert.equal(own.length, 1);
  assert.deepEqual(own.flatMap(losses), expected);
}

const OWN = { options: "hooks: { beforeUpdate(event) { event.sold += 1; } }" };
const SAVED = "const event = await Event.findByPk(id); event.sold = 1; await event.save();";

describe("hooks of Sequelize's models", () => {
  it("says which one of the options runs", async () => {
    await check(OWN, SAVED, "what event's beforeUpdate does is not followed");
  });

  it("passes over those of other moments and models", async () => {
    await check(OWN, "await Event.create({ sold: 1 }); await Ticket.create({ seat: id });");
    await check(OWN, "await Event.update({ sold: 1 }, { where: { id } });");
  });

  it("knows that updates of many rows may run those of each", async () => {
    const body = "await Event.update({ sold: 1 }, { where: { id }, individualHooks: true });";
    await check(OWN, body, "what event's beforeUpdate does is not followed");
  });

  it("passes over those that a call turns off", async () => {
    const off = "const event = await Event.findByPk(id); await event.update({ sold: 1 }, { hooks: false });"; // prettier-ignore
    await check(OWN, off);
  });

  it("knows those that are added later, to one model or to all", async () => {
    const more = `Event.addHook("afterSave", () => {}); Event.beforeDestroy("mine", () => {});`;
    await check({ more }, SAVED, "what event's afterSave does is not followed");
    const deleted = "const event = await Event.findByPk(id); await event.destroy();";
    await check({ more }, deleted, "what event's beforeDestroy does is not followed");
    const all = `sequelize.addHook("afterBulkDestroy", () => {});`;
    const many = "await Ticket.destroy({ where: { id } });";
    await check({ more: all }, many, "what ticket's afterBulkDestroy does is not followed");
  });
});

// Sequelize's models as associations make them, and rows with what belongs to them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE events (id serial PRIMARY KEY, sold int NOT NULL);
CREATE TABLE tickets (id serial PRIMARY KEY, seat int, "eventId" int REFERENCES events);
`;

const MODELS = `const { Sequelize, DataTypes, Model } = require("sequelize");
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false } });
class Event extends Model {}
Event.init({ sold: DataTypes.INTEGER }, { sequelize, modelName: "event" });
const Ticket = sequelize.define("ticket", { seat: DataTypes.INTEGER });
module.exports = { sequelize, Event, Ticket };
`;

const TIES = `const { Event, Ticket } = require("./models");
Event.hasMany(Ticket);
Ticket.belongsTo(Event);
`;

const TICKET = "tickets.id as id, tickets.seat as seat, tickets.eventId as eventId";

async function check(
  files: Readonly<Record<string, string>>,
  expected: readonly string[],
  ddl = DDL,
): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(ddl, files)), expected);
}

/** What a function does with the models. */
async function run(text: string, expected: readonly string[]): Promise<void> {
  const files = {
    "models.js": MODELS,
    "ties.js": TIES,
    "a.js": `const { sequelize, Event, Ticket } = require("./models");\n${text}`,
  };
  await check(files, expected);
}

describe("Sequelize's associations", () => {
  it("add columns to models, in whatever file they stand", () =>
    run(
      `export async function take(eventId, seat) {
  const taken = await Ticket.count({ where: { eventId, seat } });
  if (taken > 0) throw new Error("taken");
  await Ticket.create({ eventId, seat });
}`,
      [
        "take unit",
        "  r1 = select count(*) as value from tickets where ((tickets.eventId = :eventId) and (tickets.seat = :seat))",
        "  if (r1.value > 0)",
        "    rollback",
        `  insert tickets {id = fresh sequence, seat = :seat, eventId = :eventId} returning r2: ${TICKET}`,
      ],
    ));

  it("are found in the functions that define models", () =>
    check(
      {
        "user.js": `const { Model } = require("sequelize");
module.exports = (sequelize, DataTypes) => {
  class User extends Model {
    static associate(models) { this.hasMany(models.Post, { as: "articles", foreignKey: { name: "authorId", field: "author" } }); }
  }
  User.init({ name: DataTypes.STRING, secret: DataTypes.VIRTUAL }, { sequelize, modelName: "User", timestamps: false });
  return User;
};`,
        "post.js": `module.exports = (sequelize, DataTypes) => {
  const Post = sequelize.define("Post", { title: { type: DataTypes.STRING, defaultValue: "none" } }, { timestamps: true, updatedAt: false });
  Post.associate = ({ User }) => { Post.belongsTo(User, { as: "editor" }); };
  return Post;
};`,
        "a.js": `const db = require("./models");
const { Op } = require("sequelize");
export async function post(authorId, editorId) {
  await db.sequelize.transaction(async (transaction) => {
    await db.User.create({ name: "x", secret: "y" }, { transaction });
    await db.Post.create({ authorId, editorId }, { transaction });
  });
}`,
      },
      [
        "post explicit",
        '  insert Users {id = fresh sequence, name = "x"} returning r1: Users.id as id, Users.name as name',
        '  insert Posts {id = fresh sequence, title = "none", author = :authorId, editorId = :editorId, createdAt = fresh now} returning r2: Posts.id as id, Posts.title as title, Posts.createdAt as createdAt, Posts.author as author, Posts.editorId as editorId',
      ],
      `CREATE TABLE "Users" (id serial PRIMARY KEY, name text);
CREATE TABLE "Posts" (id serial PRIMARY KEY, title text, author int, "editorId" int, "createdAt" timestamptz NOT NULL);`,
    ));

  it("a field that a model is not known to have is said", () =>
    run(`export async function take(seat, colour) { await Ticket.create({ seat, colour }); }`, [
      "take autocommit",
      `  insert tickets {id = fresh sequence, seat = :seat, eventId = null} returning r1: ${TICKET}`,
      '  ! "colour", which ticket is not known to have, is not written',
    ]));
});

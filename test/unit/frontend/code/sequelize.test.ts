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

/** The effect of a function on the models. */
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
        "  r1 = select count(*) as value from tickets where ((tickets.eventId == :eventId) and (tickets.seat == :seat))",
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

const EVENT_OF = "event.id as event.id, event.sold as event.sold";
const TICKET_AS = "ticket.id as id, ticket.seat as seat, ticket.eventId as eventId";

describe("Sequelize's include", () => {
  it("joins the row that belongs to each", () =>
    run(
      `export async function cancel(id) {
  await sequelize.transaction(async (transaction) => {
    const ticket = await Ticket.findOne({ where: { id }, include: Event, transaction, lock: { level: transaction.LOCK.UPDATE, of: Ticket } });
    await ticket.event.decrement("sold", { transaction });
    const others = await Ticket.findAll({ include: [{ model: Event, as: "event", where: { sold: 1 } }], transaction });
    for (const other of others) { other.event.sold += 1; await other.event.save({ transaction }); }
  });
}`,
      [
        "cancel explicit",
        `  r1 = select ${TICKET_AS}, ${EVENT_OF} from tickets ticket left join events event on (ticket.eventId = event.id) where (ticket.id = :id) limit 1 for update of ticket`,
        "  if (size(r1) <= 0)",
        "    rollback",
        "  if (r1.event.id is null)",
        "    rollback",
        "  update events set sold = (events.sold - 1) where (events.id = r1.event.id)",
        `  r2 = select ${TICKET_AS}, ${EVENT_OF} from tickets ticket inner join events event on ((ticket.eventId = event.id) and (event.sold = 1))`,
        "  loop rows",
        "    update events set sold = (r2.event.sold + 1) where (events.id = r2.event.id)",
      ],
    ));

  it("joins the rows that belong to a row of a key", () =>
    run(
      `export async function count(id) {
  await sequelize.transaction(async (transaction) => {
    const event = await Event.findByPk(id, { include: "tickets", transaction, rejectOnEmpty: true });
    for (const ticket of event.tickets) await ticket.update({ seat: 0 }, { transaction });
    await event.update({ sold: event.tickets.length }, { transaction });
  });
}`,
      [
        "count explicit",
        "  r1 = select event.id as id, event.sold as sold, tickets.id as tickets.id, tickets.seat as tickets.seat, tickets.eventId as tickets.eventId from events event left join tickets on (event.id = tickets.eventId) where (event.id = :id)",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  loop rows",
        "    if not (r1.tickets.id is null)",
        "      update tickets set seat = 0 where (tickets.id = r1.tickets.id)",
        "  update events set sold = count(of r1 where not (r1.tickets.id is null)) where (events.id = r1.id)",
      ],
    ));

  it("reads the rows that belong to each of several by a statement of their own, which is said unless it is so", () =>
    run(
      `export async function spread() {
  const events = await Event.findAll({ include: { model: Ticket, where: { seat: 2 }, required: false, separate: true } });
  for (const event of events) {
    for (const ticket of event.tickets) await Ticket.update({ seat: event.sold }, { where: { id: ticket.id } });
  }
}
export async function joined() {
  const events = await Event.findAll({ include: Ticket });
  return events.map((event) => event.tickets.length);
}`,
      [
        "spread unit",
        "  r1 = select events.id as id, events.sold as sold from events",
        `  r2 = select ${TICKET} from tickets where (any(of r1 where (tickets.eventId = r1.id)) and (tickets.seat = 2))`,
        "  loop rows",
        "    loop rows",
        "      if (r2.eventId = r1.id)",
        "        update tickets set seat = r1.sold where (tickets.id = r2.id)",
        "joined unit",
        "  r1 = select events.id as id, events.sold as sold from events",
        `  r2 = select ${TICKET} from tickets where any(of r1 where (tickets.eventId = r1.id))`,
        "  return",
        "  ! tickets are read by a statement of their own, which joins them in truth",
      ],
    ));

  it("what PostgreSQL refuses to lock is said", () =>
    run(
      `export async function hold(id) {
  await sequelize.transaction(async (transaction) => { await Ticket.findByPk(id, { include: Event, lock: true, transaction }); });
}`,
      [
        "hold explicit",
        `  r1 = select ${TICKET_AS}, ${EVENT_OF} from tickets ticket left join events event on (ticket.eventId = event.id) where (ticket.id = :id) for update`,
        "  ! PostgreSQL refuses to lock rows that are included without being required",
      ],
    ));
});

describe("Methods of Sequelize's associations", () => {
  it("read and write the rows that belong to a row", () =>
    run(
      `export async function swap(id, other) {
  await sequelize.transaction(async (transaction) => {
    const event = await Event.findByPk(id, { transaction, rejectOnEmpty: true });
    const taken = await event.countTickets({ where: { seat: 3 }, transaction });
    const ticket = await event.createTicket({ seat: taken }, { transaction });
    await event.addTicket(other, { transaction });
    await event.removeTickets([ticket, other], { transaction });
    const its = await ticket.getEvent({ transaction });
    await ticket.setEvent(other, { transaction });
    await event.setTickets([other], { transaction });
    return its;
  });
}`,
      [
        "swap explicit",
        "  r1 = select events.id as id, events.sold as sold from events where (events.id = :id)",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  r2 = select count(*) as value from tickets where ((tickets.eventId = r1.id) and (tickets.seat = 3))",
        `  insert tickets {id = fresh sequence, seat = r2.value, eventId = r1.id} returning r3: ${TICKET}`,
        "  update tickets set eventId = r1.id where (tickets.id = :other)",
        "  update tickets set eventId = null where ((tickets.eventId = r1.id) and (tickets.id in [r3.id, :other]))",
        "  r4 = select events.id as id, events.sold as sold from events where (events.id = r3.eventId)",
        "  update tickets set eventId = :other where (tickets.id = r3.id)",
        "  opaque writes tickets",
        "  ! which tickets are set is not followed",
      ],
    ));

  it("go through the table between two", () =>
    check(
      {
        "models.js": `const { Sequelize, DataTypes } = require("sequelize");
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false } });
const User = sequelize.define("User", { name: DataTypes.TEXT });
const Role = sequelize.define("Role", { name: DataTypes.TEXT });
User.belongsToMany(Role, { through: "user_roles", as: "roles", foreignKey: "user_id", otherKey: "role_id" });
module.exports = { User, Role };`,
        "a.js": `const { User, Role } = require("./models");
export async function grant(id, role) {
  const user = await User.findByPk(id);
  await user.addRole(role);
  const roles = await user.getRoles({ where: { name: "admin" } });
  await user.removeRole(role);
  return roles.length;
}`,
      },
      [
        "grant unit",
        "  r1 = select Users.id as id, Users.name as name from Users where (Users.id = :id)",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  r2 = select user_roles.user_id as user_id, user_roles.role_id as role_id from user_roles where ((user_roles.user_id = r1.id) and (user_roles.role_id = :role))",
        "  if (size(r2) <= 0)",
        "    insert user_roles {user_id = r1.id, role_id = :role}",
        '  r3 = select Role.id as id, Role.name as name, between.user_id as _owner from Roles Role inner join user_roles between on (between.role_id = Role.id) where ((between.user_id = r1.id) and (Role.name = "admin"))',
        "  delete user_roles where ((user_roles.user_id = r1.id) and (user_roles.role_id = :role))",
        "  return size(r3)",
      ],
      `CREATE TABLE "Users" (id serial PRIMARY KEY, name text);
CREATE TABLE "Roles" (id serial PRIMARY KEY, name text);
CREATE TABLE user_roles (user_id int REFERENCES "Users", role_id int REFERENCES "Roles", PRIMARY KEY (user_id, role_id));`,
    ));
});

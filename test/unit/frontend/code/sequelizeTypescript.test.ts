// Models of sequelize-typescript, which decorators declare.
import assert from "node:assert/strict";
import { it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const MODELS = `import { AllowNull, Column, DataType, Default, ForeignKey, Model, PrimaryKey, Table } from "sequelize-typescript";
@Table({ tableName: "owners", timestamps: false })
export class Owner extends Model {
  @PrimaryKey @Column(DataType.STRING(20)) code!: string;
}
@Table({ tableName: "accounts", timestamps: false })
export class Account extends Model {
  @Column({ type: DataType.INTEGER, allowNull: false }) balance!: number;
  @Default(true) @Column(DataType.BOOLEAN) open!: boolean;
  @AllowNull(false) @ForeignKey(() => Owner) @Column({ field: "owner_code" }) ownerCode!: string;
  inMemory = 3;
}
`;

it("reads what decorated models read and write", async () => {
  const text = `import { EmptyResultError } from "sequelize";
import { Sequelize } from "sequelize-typescript";
import { Account, Owner } from "./models";
const sequelize = new Sequelize({ dialect: "postgres", models: [Account, Owner] });
export async function withdraw(id: number, n: number) {
  await sequelize.transaction(async (transaction) => {
    const account = await Account.findByPk(id, { transaction, lock: true, rejectOnEmpty: true });
    if (account.balance < n) throw new EmptyResultError("too little");
    account.balance -= n;
    await account.save({ transaction });
  });
}
export async function open(code: string) {
  await Account.create({ balance: 0, ownerCode: code });
}
export async function close(code: string) {
  await Owner.destroy({ where: { code } });
}`;
  const read = await transactionsOf("", { "models.ts": MODELS, "a.ts": text });
  assert.deepEqual(
    read.flatMap(({ taint }) => taint),
    [],
  );
  assert.deepEqual(printed(read), [
    "withdraw explicit",
    "  r1 = select accounts.id as id, accounts.balance as balance, accounts.open as open, accounts.owner_code as owner_code from accounts where (accounts.id = :id) for update",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  if (r1.balance < :n)",
    "    rollback",
    "  update accounts set balance = (r1.balance - :n) where (accounts.id = r1.id)",
    "open autocommit",
    "  insert accounts {balance = 0, owner_code = :code, open = true} returning r1: accounts.id as id, accounts.balance as balance, accounts.open as open, accounts.owner_code as owner_code",
    "close autocommit",
    "  delete owners where (owners.code = :code)",
  ]);
});

it("reads what models inherit, what ties them, and what their scopes add", async () => {
  const models = `import { BelongsTo, Column, CreatedAt, DataType, Default, DefaultScope, ForeignKey, HasMany, Model, PrimaryKey, Scopes, Table } from "sequelize-typescript";
abstract class IdModel extends Model {
  @PrimaryKey @Default(DataType.UUIDV4) @Column(DataType.UUID) id!: string;
  @CreatedAt @Column madeAt!: Date;
}
@Table({ tableName: "owners", updatedAt: false })
export class Owner extends IdModel {
  @Column name!: string;
  @HasMany(() => Item) items!: Item[];
}
@DefaultScope(() => ({ where: { open: true } }))
@Scopes(() => ({
  owned: { include: [{ model: Owner, as: "owner", required: true }] },
  above: (least: number) => ({ where: { size: least }, order: [["size", "ASC"]] }),
}))
@Table({ tableName: "items", timestamps: false })
export class Item extends IdModel {
  @Column(DataType.INTEGER) size!: number;
  @Column open!: boolean;
  @ForeignKey(() => Owner) @Column(DataType.UUID) ownerId!: string;
  @BelongsTo(() => Owner, "ownerId") owner!: Owner;
}
`;
  const text = `import { Item, Owner } from "./models";
import "sequelize";
export const open = (size: number) => Item.findAll({ where: { size }, order: [["id", "ASC"]] });
export const any = () => Item.unscoped().count();
export const above = (n: number) => Item.scope({ method: ["above", n] }).findAll({ limit: 5 });
export const both = (id: string) => Item.scope(["defaultScope", "owned"]).findByPk(id);
export const close = (ownerId: string) => Item.update({ open: false }, { where: { ownerId } });
export const clash = () => Item.count({ where: { open: false } });
export const ofOwner = async (id: string) => (await Owner.findByPk(id, { rejectOnEmpty: true })).$get("items");
export const make = (name: string) => Owner.create({ name });
`;
  const read = await transactionsOf("", { "models.ts": models, "a.ts": text });
  const items =
    "items.id as id, items.madeAt as madeAt, items.size as size, items.open as open, items.ownerId as ownerId";
  const owner = "owner.id as owner.id, owner.madeAt as owner.madeAt, owner.name as owner.name";
  assert.deepEqual(printed(read), [
    "open autocommit",
    `  r1 = select ${items} from items where ((items.open = true) and (items.size = :size)) order by items.id`,
    "  return",
    "any autocommit",
    "  r1 = select count(*) as value from items",
    "  return r1.value",
    "above autocommit",
    `  r1 = select ${items} from items where (items.size = :n) order by items.size limit 5`,
    "  return",
    "both autocommit",
    `  r1 = select ${items.replaceAll("items.", "Item.")}, ${owner} from items Item inner join owners owner on (Item.ownerId = owner.id) where ((Item.id = :id) and (Item.open = true))`,
    "  return",
    "close autocommit",
    "  update items set open = false where ((items.open = true) and (items.ownerId = :ownerId))",
    "  return",
    "clash autocommit",
    "  r1 = select count(*) as value from items where (items.open = false)",
    "  return r1.value",
    "  ! what a scope asks for is not known",
    "ofOwner unit",
    "  r1 = select owners.id as id, owners.madeAt as madeAt, owners.name as name from owners where (owners.id = :id)",
    "  if (size(r1) <= 0)",
    "    rollback",
    `  r2 = select ${items} from items where ((items.ownerId = r1.id) and (items.open = true))`,
    "  return",
    "make autocommit",
    "  insert owners {name = :name, id = fresh uuid, madeAt = fresh now} returning r1: owners.id as id, owners.madeAt as madeAt, owners.name as name",
    "  return",
  ]);
  assert.deepEqual(
    read.flatMap(({ name, taint }) => taint.map(({ reason }) => `${name}: ${reason}`)),
    ["clash: what a scope asks for is not known"],
  );
});

const GROUPS = `import { BelongsToMany, Column, DataType, Default, ForeignKey, Model, PrimaryKey, Table } from "sequelize-typescript";
abstract class IdModel extends Model {
  @PrimaryKey @Default(DataType.UUIDV4) @Column(DataType.UUID) id!: string;
}
@Table({ tableName: "users", timestamps: false })
export class User extends IdModel {
  @Column(DataType.STRING)
  get title() { return this.getDataValue("title") as string; }
  set title(value: string) { this.setDataValue("title", value); }
  @Column(DataType.STRING)
  set ip(value: string) { this.setDataValue("ip", value.trim()); }
  get ip() { return this.getDataValue("ip"); }
  @Default("/none") @Column(DataType.STRING)
  get link() { return this.getDataValue("link") || "/"; }
  set link(value: string) { this.setDataValue("link", value); }
}
@Table({ tableName: "groups", timestamps: false })
export class Group extends IdModel {
  @Default(DataType.NOW) @Column(DataType.DATE) since!: Date;
  @Default(() => "new") @Column(DataType.STRING) state!: string;
  @BelongsToMany(() => User, () => GroupUser) users!: User[];
  @BelongsToMany(() => User, { through: () => Guest, foreignKey: "groupId", otherKey: "userId" }) guests!: User[];
}
@Table({ tableName: "group_users", timestamps: false })
export class GroupUser extends Model {
  @ForeignKey(() => User) @Column(DataType.UUID) userId!: string;
  @ForeignKey(() => Group) @Column(DataType.UUID) groupId!: string;
  @Column(DataType.STRING) role!: string;
}
@Table({ tableName: "guests", timestamps: false })
export class Guest extends Model {
  @Column(DataType.INTEGER) seat!: number;
}
@Table({ tableName: "logins", timestamps: false })
export class Login extends Model {
  @ForeignKey(() => User) @Column(DataType.UUID) userId!: string;
}
`;

it("takes accessors for columns, and says what they change", async () => {
  const text = `import { User } from "./models";
import "sequelize";
export const read = (title: string) => User.findOne({ where: { title } });
export const make = (title: string, ip: string) => User.create({ title, ip });
export async function copy(id: string, to: string) {
  const user = await User.findByPk(id, { rejectOnEmpty: true });
  await User.update({ title: user.link }, { where: { id: to } });
  await User.update({ title: user.getDataValue("link") }, { where: { id: to } });
  user.title = user.ip;
  await user.save();
}
`;
  const read = await transactionsOf("", { "models.ts": GROUPS, "a.ts": text });
  assert.deepEqual(printed(read), [
    "read autocommit",
    "  r1 = select users.id as id, users.title as title, users.ip as ip, users.link as link from users where (users.title = :title) limit 1",
    "  return",
    "make autocommit",
    '  insert users {title = :title, ip = unknown(:ip), id = fresh uuid, link = "/none"} returning r1: users.id as id, users.title as title, users.ip as ip, users.link as link',
    "  return",
    '  ! what User\'s setter of "ip" makes of what is written is not known',
    "copy unit",
    "  r1 = select users.id as id, users.title as title, users.ip as ip, users.link as link from users where (users.id = :id)",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  update users set title = unknown(r1.link) where (users.id = :to)",
    "  update users set title = r1.link where (users.id = :to)",
    "  update users set title = r1.ip where (users.id = r1.id)",
    '  ! what User\'s getter of "link" makes of what was read is not known',
  ]);
});

it("gives new rows what the model makes for them", async () => {
  const ddl = "CREATE TABLE groups (id uuid PRIMARY KEY, since timestamp, state text);";
  const text = `import { Group } from "./models";
import "sequelize";
export const make = async () => { const group = await Group.create({}); await Group.update({ state: "old" }, { where: { id: group.id } }); };
export const set = (id: string) => Group.create({ id, since: null, state: undefined });
export const several = () => Group.bulkCreate([{ state: "a" }, { state: "b" }]);
`;
  const read = await transactionsOf(ddl, { "models.ts": GROUPS, "a.ts": text });
  assert.deepEqual(printed(read), [
    "make unit",
    '  insert groups {id = fresh uuid, since = fresh now, state = "new"} returning r1: groups.id as id, groups.since as since, groups.state as state',
    '  update groups set state = "old" where (groups.id = r1.id)',
    "set autocommit",
    '  insert groups {id = :id, since = null, state = "new"} returning r1: groups.id as id, groups.since as since, groups.state as state',
    "  return",
    "several autocommit",
    '  insert groups {id = fresh uuid, since = fresh now, state = "a"} {id = fresh uuid, since = fresh now, state = "b"} returning r1: groups.id as id',
    "  return",
  ]);
});

it("takes the keys of two models for the key of the one between them", async () => {
  const text = `import { GroupUser, Guest, Login } from "./models";
import "sequelize";
export const member = (userId: string) => GroupUser.findOne({ where: { userId } });
export async function promote(userId: string) {
  const member = await GroupUser.findOne({ where: { userId }, rejectOnEmpty: true });
  await member.update({ role: "admin" });
}
export const guest = () => Guest.findAll();
export const login = () => Login.findAll();
`;
  const read = await transactionsOf("", { "models.ts": GROUPS, "a.ts": text });
  assert.deepEqual(printed(read), [
    "member autocommit",
    "  r1 = select group_users.userId as userId, group_users.groupId as groupId, group_users.role as role from group_users where (group_users.userId = :userId) limit 1",
    "  return",
    "promote unit",
    "  r1 = select group_users.userId as userId, group_users.groupId as groupId, group_users.role as role from group_users where (group_users.userId = :userId) limit 1",
    "  if (size(r1) <= 0)",
    "    rollback",
    '  update group_users set role = "admin" where ((group_users.userId = r1.userId) and (group_users.groupId = r1.groupId))',
    "guest autocommit",
    "  r1 = select guests.seat as seat, guests.groupId as groupId, guests.userId as userId from guests",
    "  return",
    "login autocommit",
    "  r1 = select logins.id as id, logins.userId as userId from logins",
    "  return",
  ]);
});

it("does not take options that are not known for none", async () => {
  const text = `import { Account } from "./models";
import "sequelize";
export const list = (options: any) => Account.findAll(options);
export const some = (extra: any) => Account.count({ where: { open: true }, ...extra });
export const remove = (options: any) => Account.destroy(options);
export const set = (n: number, options: any) => Account.update({ balance: n }, options);
export const by = (id: number, options: any) => Account.findByPk(id, options);
export async function save(id: number, options: any) {
  const account = await Account.findByPk(id, { rejectOnEmpty: true });
  await account.update({ balance: 1 }, options);
}
`;
  const read = await transactionsOf("", { "models.ts": MODELS, "a.ts": text });
  const lines = printed(read).flatMap((line) =>
    /^ *(?:!|opaque|update)/u.test(line) ? line.trim() : [],
  );
  assert.deepEqual(lines, [
    "opaque writes",
    "! sequelize: Account.findAll() is not understood: its model or its arguments are not known",
    "opaque writes",
    "! sequelize: Account.count() is not understood: its model or its arguments are not known",
    "opaque writes accounts",
    "! which rows are meant is not known",
    "opaque writes accounts",
    "! which rows are meant is not known",
    "! the options that findByPk() is given are not known",
    "update accounts set balance = 1 where (accounts.id = r1.id)",
    "! the options that update() is given are not known",
  ]);
});

it("reads the columns of a scope and of a call, and does not take scopes that are added for none", async () => {
  const text = (more: string): string => `import { DataTypes, Model, Sequelize } from "sequelize";
const sequelize = new Sequelize("postgres://", { define: { timestamps: false } });
class Item extends Model {}
Item.init({ id: { type: DataTypes.INTEGER, primaryKey: true }, name: DataTypes.STRING, size: DataTypes.INTEGER }, { sequelize, tableName: "items", scopes: {
  short: { attributes: ["id", "name"] }, left: { attributes: { exclude: ["name"] } } } });
${more}`;
  const calls = `export const all = () => Item.scope("short").findAll({ attributes: ["size", "name"] });
export const own = () => Item.scope("left").findAll({ attributes: ["name"] });`;
  const added = `Item.addScope("defaultScope", { where: { size: 1 } });
Item.addScope("short", { where: { size: 2 } }, { override: true });
export const usual = () => Item.findAll({ attributes: ["id"] });
export const short = () => Item.scope("short").count();
export const plain = () => Item.unscoped().count();
export const left = () => Item.scope("left").count();`;
  const read = [calls, added].map((more) => transactionsOf("", { "a.ts": text(more) }));
  const [known, lost] = (await Promise.all(read)).map(printed);
  assert.deepEqual(known, [
    "all autocommit",
    "  r1 = select items.id as id, items.name as name, items.size as size from items",
    "  return",
    "own autocommit",
    "  r1 = select items.name as name from items",
    "  return",
  ]);
  const told = "  ! what a scope asks for is not known";
  const count = ["  r1 = select count(*) as value from items", "  return r1.value"];
  assert.deepEqual(lost, [
    ...["usual autocommit", "  r1 = select items.id as id from items", "  return", told],
    ...["short autocommit", ...count, told],
    ...["plain autocommit", ...count],
    ...["left autocommit", ...count],
  ]);
});

it("knows what rows have of their class: the class itself, its connection, its getters", async () => {
  const models = `import { Column, DataType, Model, PrimaryKey, Table } from "sequelize-typescript";
@Table({ tableName: "providers", timestamps: false })
export class Provider extends Model {
  @PrimaryKey @Column(DataType.INTEGER) id!: number;
  @Column(DataType.INTEGER) team!: number;
  @Column(DataType.BOOLEAN) enabled!: boolean;
  get isLast() { return this.team === 0; }
  async others(transaction) {
    return (this.constructor as typeof Provider).count({ where: { team: this.team }, transaction });
  }
}`;
  const text = `import { Provider } from "./models";
export async function disable(id: number) {
  const provider = await Provider.findByPk(id, { rejectOnEmpty: true });
  await provider.sequelize.transaction(async (transaction) => {
    if ((await provider.others(transaction)) > 1 && !provider.isLast)
      await provider.update({ enabled: false }, { transaction });
  });
}`;
  const read = await transactionsOf("", { "models.ts": models, "a.ts": text });
  assert.deepEqual(
    read.flatMap(({ taint }) => taint),
    [],
  );
  const lines = printed(read).join("\n");
  assert.match(lines, /count\(\*\).* from providers where \(providers\.team == r1\.team\)/u);
  assert.match(lines, /not \(r1\.team == 0\)/u);
  assert.match(lines, /update providers set enabled = false/u);
});

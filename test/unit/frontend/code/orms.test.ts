// TypeORM and Sequelize: what their models declare and what their calls do.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id serial PRIMARY KEY, owner text NOT NULL UNIQUE, balance int NOT NULL, note text);
`;

async function check(text: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), expected);
}

const ENTITY = `import { Brackets, Column, DataSource, Entity, EntityManager, In, MoreThan, PrimaryGeneratedColumn, Repository } from "typeorm";
import { Transactional } from "typeorm-transactional";
@Entity("accounts")
class Account {
  @PrimaryGeneratedColumn() id: number;
  @Column() owner: string;
  @Column({ type: "int" }) balance: number;
  @Column({ nullable: true }) note?: string;
}
const source = new DataSource({ type: "postgres" });
`;

const MODEL = `import { DataTypes, Model, Op, QueryTypes, Sequelize } from "sequelize";
const sequelize = new Sequelize("postgres://db", { define: { timestamps: false } });
class Account extends Model {}
Account.init({ owner: DataTypes.STRING, balance: DataTypes.INTEGER, note: DataTypes.TEXT }, { sequelize });
`;

const ALL =
  "accounts.id as id, accounts.owner as owner, accounts.balance as balance, accounts.note as note";
const ALIASED = ALL.replaceAll("accounts.", "a.");

describe("TypeORM", () => {
  it("changes its builders in place, where a condition may say so", () =>
    check(
      `${ENTITY}export async function search(owner: string, min: number) {
  const qb = source.getRepository(Account).createQueryBuilder("a").where("a.owner = :owner", { owner });
  if (min > 5) qb.andWhere("a.balance > :min", { min });
  const rows = await qb.getMany();
  await source.createQueryBuilder().update(Account).set({ note: () => "owner || note" })
    .where("owner IN (:...names)", { names: ["x", "y"] })
    .andWhere(new Brackets((inner) => { inner.where("balance > 1").orWhere("note IS NULL"); })).execute();
  return rows.length;
}`,
      [
        "search unit",
        `  r1 = select ${ALIASED} from accounts a where ((a.owner = :owner) and (((:min > 5) and (a.balance > :min)) or not (:min > 5)))`,
        '  update accounts set note = (accounts.owner || accounts.note) where ((accounts.owner in ["x", "y"]) and ((accounts.balance > 1) or (accounts.note is null)))',
        "  return size(r1)",
      ],
    ));

  it("calls the methods that a repository is extended by on it", () =>
    check(
      `${ENTITY}const Accounts = source.getRepository(Account).extend({
  async debit(id: number, amount: number) {
    await this.decrement({ id }, "balance", amount);
  },
});
export async function pay(id: number) {
  await source.transaction(async (manager) => { await manager.withRepository(Accounts).debit(id, 5); });
}`,
      [
        "pay explicit",
        "  update accounts set balance = (accounts.balance - 5) where (accounts.id = :id)",
      ],
    ));

  it("says which subscribers and listeners it does not follow", async () => {
    const text = `import { AfterUpdate, Column, DataSource, Entity, EventSubscriber, PrimaryColumn } from "typeorm";
@Entity("accounts")
class Account {
  @PrimaryColumn() id: number;
  @Column("int") balance: number;
  @AfterUpdate() told() { log.push(this.id); }
}
@Entity("others")
class Other { @PrimaryColumn() id: number; }
@EventSubscriber()
export class Audit { listenTo() { return Account; } async afterUpdate() {} async beforeRemove() {} }
@EventSubscriber()
export class Elsewhere { listenTo() { return Other; } async afterUpdate() {} }
const source = new DataSource({ type: "postgres" });
const accounts = source.getRepository(Account);
export const update = (id: number) => accounts.update({ id }, { balance: 1 });
export const remove = (id: number) => source.createQueryBuilder().delete().from(Account).where("id = :id", { id }).execute();
export const insert = (id: number) => accounts.insert({ id, balance: 1 });
export async function save(id: number) { const a = await accounts.findOneByOrFail({ id }); a.balance = 1; await accounts.save(a); }`;
    const found = await transactionsOf(DDL, { "a.ts": text });
    assert.deepEqual(
      found.map(({ name, taint }) => [name, ...taint.map(({ reason }) => reason)]),
      [
        ["update", "what Audit's afterUpdate does is not followed"],
        ["remove", "what Audit's beforeRemove does is not followed"],
        ["insert"],
        [
          "save",
          "what Audit's afterUpdate does is not followed",
          "what Account's AfterUpdate does is not followed",
        ],
      ],
    );
  });

  it("saves what was read with a reading before, and inserts what is new", () =>
    check(
      `${ENTITY}export class Service {
  constructor(private readonly accounts: Repository<Account>) {}
  @Transactional({ isolationLevel: "SERIALIZABLE" })
  async add(ids: number[], n: number) {
    const rows = await this.accounts.findBy({ id: In(ids), balance: MoreThan(0) });
    for (const row of rows) { row.balance += n; await this.accounts.save(row); }
  }
  async open(owner: string) {
    const account = this.accounts.create({ owner, balance: 0 });
    await this.accounts.save(account);
    await this.accounts.update(account.id, { note: "new" });
  }
}
export async function given(manager: EntityManager, account: Account) { await manager.save(Account, account); }`,
      [
        "Service.add explicit @ postgres:serializable",
        `  r1 = select ${ALL} from accounts where ((accounts.id in [:ids[1], :ids[2]]) and (accounts.balance > 0))`,
        "  loop rows",
        `    r2 = select ${ALL} from accounts where (accounts.id = r1.id)`,
        "    update accounts set balance = (r1.balance + :n) where (accounts.id = r1.id)",
        "Service.open unit",
        "  atomic",
        "    insert accounts {id = fresh sequence, owner = :owner, balance = 0, note = null} returning r1: accounts.id as id",
        '  update accounts set note = "new" where (accounts.id = r1.id)',
        "given explicit",
        "  opaque writes accounts",
        "  ! what is saved is not known",
      ],
    ));

  it("finds rows by what is there, while criteria compare with NULL what is not", async () => {
    const text = `${ENTITY}const repo = source.getRepository(Account);
export async function a(note: string | null) { await repo.find({ where: { note } }); }
export async function b(note?: string) { await repo.countBy({ note, owner: "x" }); }
export async function c(id: number) { await repo.countBy({ id }); }
export async function d(id: number) { const row = await repo.findOneByOrFail({ id }); await repo.countBy({ note: row.note }); }
export async function e(note: string | null) { await repo.delete({ note }); await repo.delete({ note: null }); }`;
    const found = printed(await transactionsOf(DDL, { "a.ts": text })).join("\n");
    assert.deepEqual(
      [...found.matchAll(/(?:count.*|select|delete).* where (.*)$/gmu)].map((each) => each[1]),
      [
        "((:note is null) or (not (:note is null) and (accounts.note = :note)))",
        '(((:note is null) or (not (:note is null) and (accounts.note = :note))) and (accounts.owner = "x"))',
        "(accounts.id = :id)",
        "(accounts.id = :id) limit 1",
        "((r1.note is null) or (not (r1.note is null) and (accounts.note = r1.note)))",
        "(accounts.note = :note)",
        "(accounts.note = null)",
      ],
    );
  });

  it("takes an argument that is given for a related entity for that, unless it is a key", async () => {
    const text = `${ENTITY.replace("Repository }", "Repository, ManyToOne }")}@Entity("notes")
class Note { @PrimaryGeneratedColumn() id: number; @ManyToOne(() => Account) account: Account; }
const repo = source.getRepository(Note);
export async function a(req) { await repo.save({ account: req.user }); }
export async function b(account: Account) { await repo.save({ account }); }
export async function c(account: number) { await repo.save({ account }); }
export async function d(accountId) { await repo.save({ account: accountId }); }
export async function e(req) { await repo.countBy({ account: req.user }); }`;
    const found = printed(await transactionsOf(DDL, { "a.ts": text })).join("\n");
    assert.deepEqual(
      [...found.matchAll(/accountId = ([^,} )]*)/gu)].map((each) => each[1]),
      [":req.user.id", ":account.id", ":account", ":accountId", ":req.user.id"],
    );
  });

  it("reads all that it removes before its transaction", () =>
    check(
      `${ENTITY}export async function clear(owner: string) {
  const repo = source.getRepository(Account);
  await repo.remove(await repo.findBy({ owner }));
}`,
      [
        "clear unit",
        `  r1 = select ${ALL} from accounts where (accounts.owner = :owner)`,
        "  loop rows",
        `    r2 = select ${ALL} from accounts where (accounts.id = r1.id)`,
        "  atomic",
        "    loop rows",
        "      delete accounts where (accounts.id = r1.id)",
      ],
    ));

  it("says which fields it does not write, unless the class itself keeps them in memory", () =>
    check(
      `${ENTITY.replace("note?: string;", "note?: string;\n  kind?: string;\n  @Column(() => Name) name: Name;")}export async function add(owner: string) {
  await source.getRepository(Account).insert({ owner, balance: 0, kind: "a", colour: "red", name: { first: "b" } });
}`,
      [
        "add autocommit",
        "  insert accounts {id = fresh sequence, owner = :owner, balance = 0, note = null} returning r1: accounts.id as id",
        '  ! "colour", which Account is not known to have, is not written',
        '  ! "name", which Account is not known to have, is not written',
      ],
    ));
});

describe("Sequelize", () => {
  it("runs on the connection of the transaction that it is given", () =>
    check(
      `${MODEL}export async function move(from: number, to: number, n: number) {
  const t = await sequelize.transaction({ isolationLevel: Sequelize.Transaction.ISOLATION_LEVELS.REPEATABLE_READ });
  try {
    const row = await Account.findOne({ where: { id: from, balance: { [Op.gte]: n } }, lock: true, transaction: t });
    if (!row) throw new Error("none");
    row.balance -= n;
    await row.save({ transaction: t });
    await Account.increment({ balance: n }, { where: { id: to }, transaction: t });
    await t.commit();
  } catch (error) { await t.rollback(); throw error; }
}
export async function forgotten(id: number) {
  await sequelize.transaction(async (t) => {
    await Account.update({ note: null }, { where: { [Op.or]: [{ id }, { owner: ["a", "b"] }] } });
  });
}`,
      [
        "move explicit @ postgres:repeatable-read",
        `  r1 = select ${ALL} from accounts where ((accounts.id = :from) and (accounts.balance >= :n)) limit 1 for update`,
        "  if (size(r1) <= 0)",
        "    rollback",
        "  update accounts set balance = (r1.balance - :n) where (accounts.id = r1.id)",
        "  update accounts set balance = (accounts.balance + :n) where (accounts.id = :to)",
        "forgotten autocommit",
        '  update accounts set note = null where ((accounts.id = :id) or (accounts.owner in ["a", "b"]))',
      ],
    ));

  it("compares with NULL as IS does, and takes conditions in place of values", async () => {
    const sql = `fn, col, literal, where } from "sequelize";`;
    const text = `${MODEL.replace('Sequelize } from "sequelize";', `Sequelize, ${sql}`)}
export async function a(note: string | null, balance: number) { await Account.count({ where: { note, balance, owner: { [Op.ne]: note } } }); }
export async function b(note) { await Account.count({ where: { note, id: note } }); }
export async function c(id: number) { const row = await Account.findByPk(id); await Account.count({ where: { note: row.note || null, id: { [Op.eq]: row.id } } }); }
export async function d(x: string) { await Account.count({ where: { [Op.or]: [{ note: where(fn("lower", col("note")), "LIKE", x) }, {}, where(col("owner"), Op.ne, x)] } }); }
export async function e(x: string) { await Account.count({ where: { note: literal("owner = 'a'"), owner: fn("lower", x), balance: { [Op.not]: true } } }); }
export async function f(x: string) { await Account.count({ where: { note: { [Op.not]: x }, [Op.or]: [] } }); }`;
    const found = printed(await transactionsOf(DDL, { "a.ts": text })).join("\n");
    assert.deepEqual(
      [...found.matchAll(/count.* where (.*)$/gmu)].map((each) => each[1]),
      [
        "((accounts.note == :note) and (accounts.balance = :balance) and (((:note is null) and not (accounts.owner is null)) or (not (:note is null) and (accounts.owner <> :note))))",
        "((accounts.note == :note) and (accounts.id = :note))",
        "(accounts.id = :id)",
        '((accounts.note == ((not (r1.note is null) and (r1.note <> "")) ? r1.note : null)) and (accounts.id = r1.id))',
        "((lower(accounts.note) like :x) or (accounts.owner <> :x))",
        '((accounts.owner = "a") and (accounts.owner = lower(:x)) and not (accounts.balance == true))',
        "((accounts.note <> :x) and false)",
      ],
    );
  });

  it("takes what is asked of an unknown part of a row for nothing that is asked of the row", async () => {
    for (const [call, reason] of [
      ['row.part.update({ note: "x" })', "what Account's part.update() does is not known"],
      ["row.part.of.destroy()", "what Account's part.of.destroy() does is not known"],
      ["row.parts.map((each) => each.id)", undefined],
    ] as const) {
      const text = `${MODEL}export async function a(id: number) { const row = await Account.findByPk(id); await ${call}; }`;
      const found = await transactionsOf(DDL, { "a.ts": text });
      assert.doesNotMatch(printed(found).join("\n"), /^ *(?:update|delete) /mu);
      assert.deepEqual(found.flatMap(losses), reason === undefined ? [] : [reason]);
    }
    const text = `${ENTITY}export async function a(id: number) { const row = await source.getRepository(Account).findOneByOrFail({ id }); await row.parts.map((each) => each.id); await row.part.save(); }`;
    const found = await transactionsOf(DDL, { "a.ts": text });
    assert.deepEqual(found.flatMap(losses), ["what part.save() writes is not known"]);
  });

  it("finds or creates, and replaces in SQL text", () =>
    check(
      `${MODEL}export async function ensure(owner: string) {
  const [account, isNew] = await Account.findOrCreate({ where: { owner }, defaults: { balance: 0 } });
  const rows = await sequelize.query("SELECT balance FROM accounts WHERE owner IN (:owners)", { replacements: { owners: ["a", "b"] }, type: QueryTypes.SELECT });
  return rows.length;
}`,
      [
        "ensure unit",
        "  atomic",
        `    r1 = select ${ALL} from accounts where (accounts.owner = :owner) limit 1`,
        "    if (size(r1) <= 0)",
        `      insert accounts {id = fresh sequence, owner = :owner, balance = 0, note = null} returning r2: ${ALL}`,
        '  r3 = select accounts.balance as balance from accounts where (accounts.owner in ["a", "b"])',
        "  return size(r3)",
      ],
    ));
});

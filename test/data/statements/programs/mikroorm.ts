import "reflect-metadata";
import { Entity, EntityManager, LockMode, ManyToOne, PrimaryKey, Property } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/postgresql";

@Entity({ tableName: "accounts" })
export class Account {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "string", unique: true }) owner!: string;
  @Property({ type: "int", default: 0 }) balance: number = 0;
  @Property({ type: "text", nullable: true }) note?: string | null;
}

@Entity({ tableName: "accounts" })
export class Counter {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "int" }) balance!: number;
  @Property({ type: "int", version: true }) version!: number;
}

@Entity({ tableName: "orders" })
export class Order {
  @PrimaryKey({ type: "int" }) id!: number;
  @ManyToOne(() => Account) account!: Account;
  @Property({ type: "int" }) total!: number;
  @Property({ type: "text", default: "open" }) status: string = "open";
}

let orm: MikroORM;

export async function connect() {
  orm = await MikroORM.init({ clientUrl: process.env.DATABASE_URL, entities: [Account, Counter, Order], discovery: { checkDuplicateTableNames: false } });
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  await orm.em.fork().transactional(async (em) => {
    const one = await em.findOneOrFail(Account, from, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const other = await em.findOneOrFail(Account, to, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (one.balance < amount) throw new Error("not enough");
    one.balance -= amount;
    other.balance += amount;
  });
}

// run 1, 5
// run 1, 0
export async function add(id: number, amount: number) {
  const em = orm.em.fork();
  const account = await em.findOneOrFail(Account, { id });
  account.balance += amount;
  await em.flush();
}

// run 1, 5
export async function count(id: number, by: number) {
  const em = orm.em.fork();
  const counter = await em.findOneOrFail(Counter, id);
  counter.balance += by;
  await em.flush();
}

// run "dan", 7
// run "ann", 7
export async function open(owner: string, balance: number) {
  const em = orm.em.fork();
  const known = await em.findOne(Account, { owner });
  if (known) return;
  const account = em.create(Account, { owner, balance });
  await em.persistAndFlush(account);
}

// run 1, 9
export async function ordered(id: number, total: number) {
  const em = orm.em.fork();
  const account = await em.findOneOrFail(Account, id);
  const order = new Order();
  order.account = account;
  order.total = total;
  em.persist(order);
  account.note = "busy";
  await em.flush();
}

// run 3
export async function removed(id: number) {
  const em = orm.em.fork();
  const account = await em.findOneOrFail(Account, id);
  await em.removeAndFlush(account);
}

// run 2, 60
// run 1, 60
export async function taken(id: number, least: number) {
  const em = orm.em.fork();
  return em.nativeUpdate(Account, { id, balance: { $gte: least } }, { note: "rich" });
}

// run "x"
export async function cleared(note: string) {
  return orm.em.fork().nativeDelete(Account, { $or: [{ note, balance: { $lt: 10 } }, { owner: { $in: ["nobody", "none"] } }] });
}

// run 1, 5
export async function locked(id: number, by: number) {
  await orm.em.fork().transactional(async (em) => {
    const account = await em.findOneOrFail(Account, id);
    await em.lock(account, LockMode.PESSIMISTIC_WRITE);
    account.balance += by;
  });
}

// run 1
export async function paid(account: number) {
  await orm.em.fork().transactional(async (em) => {
    const orders = await em.find(Order, { account, status: "open" });
    for (const order of orders) order.status = "paid";
  });
}

// run 1, 11
export async function found(id: number, balance: number) {
  const em = orm.em.fork();
  const account = await em.findOneOrFail(Account, id);
  const again = await em.findOneOrFail(Account, id);
  account.balance = balance;
  again.note = "again";
  await em.flush();
}

// run 1, 4
export async function began(id: number, by: number) {
  const em = orm.em.fork();
  await em.begin();
  try {
    const account = await em.findOneOrFail(Account, id);
    account.balance -= by;
    await em.commit();
  } catch (error) {
    await em.rollback();
    throw error;
  }
}

// run 1, 5
export async function counted(id: number, by: number) {
  const em = orm.em.fork();
  const account = await em.findOneOrFail(Account, id);
  account.balance += by;
  return em.count(Account, { balance: { $gt: 100 } });
}

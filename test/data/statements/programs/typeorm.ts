import "reflect-metadata";
import { Between, Column, DataSource, Entity, EntityManager, In, IsNull, JoinColumn, LessThan, ManyToOne, MoreThan, MoreThanOrEqual, Not, OneToMany, PrimaryColumn, PrimaryGeneratedColumn, Raw, Repository } from "typeorm";

@Entity("accounts")
export class Account {
  @PrimaryGeneratedColumn() id!: number;
  @Column("text", { unique: true }) owner!: string;
  @Column("int", { default: 0 }) balance!: number;
  @Column("text", { nullable: true }) note?: string | null;
  @Column("int", { default: 1 }) version!: number;
  @OneToMany(() => Order, (order) => order.account) orders!: Order[];
}

@Entity("orders")
export class Order {
  @PrimaryGeneratedColumn() id!: number;
  @Column("int", { name: "account_id" }) accountId!: number;
  @ManyToOne(() => Account, (account) => account.orders) @JoinColumn({ name: "account_id" }) account!: Account;
  @Column("int") total!: number;
  @Column("text", { default: "open" }) status!: string;
}

@Entity({ name: "lines" })
export class Line {
  @PrimaryColumn("int", { name: "order_id" }) orderId!: number;
  @PrimaryColumn("text") product!: string;
  @Column("int") quantity!: number;
}

const source = new DataSource({ type: "postgres", url: process.env.DATABASE_URL, entities: [Account, Order, Line] });
const accounts = source.getRepository(Account);

export async function connect() {
  await source.initialize();
}

// run 1, 2, 30
// run 1, 2, 300
export async function transfer(from: number, to: number, amount: number) {
  await source.transaction(async (manager) => {
    const account = await manager.findOne(Account, { where: { id: from }, lock: { mode: "pessimistic_write" } });
    if (!account || account.balance < amount) throw new Error("not enough");
    await manager.decrement(Account, { id: from }, "balance", amount);
    await manager.increment(Account, { id: to }, "balance", amount);
  });
}

// run 1, 5
// run 1, 0
export async function add(id: number, amount: number) {
  const account = await accounts.findOneByOrFail({ id });
  account.balance += amount;
  await accounts.save(account);
  return account.balance;
}

// run 9
export async function missing(id: number) {
  const account = await accounts.findOneBy({ id });
  if (!account) throw new Error("none");
  account.note = "x";
  await accounts.save(account);
}

// run "dee", 7
export async function open(owner: string, balance: number) {
  const account = accounts.create({ owner, balance });
  await accounts.save(account);
  await source.getRepository(Order).insert({ accountId: account.id, total: balance });
  return account.id;
}

// run "dee"
export async function opened(owner: string) {
  const account = new Account();
  account.owner = owner;
  account.balance = 3;
  const saved = await source.manager.save(account);
  return saved.id;
}

// run 2, "z"
export async function partial(id: number, note: string) {
  await accounts.save({ id, note });
}

// run 1, 1
// run 1, 4
export async function guarded(id: number, version: number) {
  const result = await accounts.update({ id, version }, { note: "seen", version: version + 1 });
  if (result.affected === 0) throw new Error("stale");
}

// run [1, 3], 8
export async function finders(ids: number[], min: number) {
  const orders = await source.getRepository(Order).find({
    where: [{ accountId: In(ids), total: MoreThan(min) }, { status: Not("paid"), total: Between(1, 5) }],
    order: { total: "DESC", id: "ASC" },
    take: 10,
    skip: 1,
    select: { id: true, total: true },
  });
  return orders.length;
}

// run "open"
export async function counts(status: string) {
  const orders = source.getRepository(Order);
  const n = await orders.count({ where: { status, total: MoreThanOrEqual(5) } });
  const m = await orders.countBy({ account: { id: 1 } });
  const any = await orders.existsBy({ status, total: LessThan(3) });
  const most = await orders.maximum("total", { status });
  return `${n} ${m} ${any} ${most}`;
}

// run "ann"
export async function listed(owner: string) {
  const [rows, total] = await accounts.findAndCount({ where: { owner, note: IsNull() } });
  return rows.length + total;
}

// run 1
export async function built(id: number) {
  const rows = await source.getRepository(Order)
    .createQueryBuilder("o")
    .innerJoin("o.account", "a")
    .where("a.id = :id", { id })
    .andWhere("o.status IN (:...statuses)", { statuses: ["open", "paid"] })
    .orderBy("o.total", "DESC")
    .limit(2)
    .getMany();
  return rows.length;
}

// run 1, 4
export async function builtChanges(id: number, amount: number) {
  await source.createQueryBuilder().update(Account).set({ balance: () => "balance + :amount", note: "b" }).where("id = :id").setParameters({ id, amount }).execute();
  await source.createQueryBuilder().insert().into(Order).values([{ accountId: id, total: amount }, { accountId: id, total: 2 }]).execute();
  const gone = await source.createQueryBuilder().delete().from(Line).where("order_id = :id", { id }).execute();
  return gone.affected;
}

// run 1
export async function sums(account: number) {
  const row = await source.getRepository(Order).createQueryBuilder("o").select("SUM(o.total)", "sum").addSelect("COUNT(*)", "n").where("o.accountId = :account", { account }).getRawOne();
  await source.transaction(async (manager) => {
    const one = await manager.createQueryBuilder(Account, "a").setLock("pessimistic_write").where("a.id = :account", { account }).getOne();
    if (one && Number(row.sum) > 20) await manager.update(Account, one.id, { balance: 0 });
  });
  return row.n;
}

// run 1
// run 3
export async function limited(account: number) {
  return source.transaction("SERIALIZABLE", async (manager: EntityManager) => {
    const orders = manager.getRepository(Order);
    if ((await orders.countBy({ accountId: account })) >= 2) return false;
    await orders.save(orders.create({ accountId: account, total: 1 }));
    return true;
  });
}

// run 2
export async function runner(id: number) {
  const queryRunner = source.createQueryRunner();
  await queryRunner.connect();
  await queryRunner.startTransaction("REPEATABLE READ");
  try {
    const account = await queryRunner.manager.findOneBy(Account, { id });
    await queryRunner.manager.update(Account, { id }, { balance: (account?.balance ?? 0) + 1 });
    await queryRunner.query("UPDATE orders SET status = $2 WHERE account_id = $1", [id, "seen"]);
    await queryRunner.commitTransaction();
  } catch (error) {
    await queryRunner.rollbackTransaction();
    throw error;
  } finally {
    await queryRunner.release();
  }
}

// run 3
// run 2
export async function remove(id: number) {
  const account = await accounts.findOne({ where: { id } });
  const used = await source.getRepository(Order).exists({ where: { accountId: id } });
  if (account && !used) await accounts.remove(account);
  return used;
}

// run 1
export async function cleared(order: number) {
  const result = await source.getRepository(Line).delete({ orderId: order });
  await source.manager.delete(Order, order);
  return result.affected;
}

// run "ann", 9
// run "eve", 9
export async function upserted(owner: string, balance: number) {
  await accounts.upsert({ owner, balance }, ["owner"]);
}

// run 3, 4
export async function ignored(order: number, quantity: number) {
  await source.createQueryBuilder().insert().into(Line).values({ orderId: order, product: "pen", quantity }).orIgnore().execute();
  await source.createQueryBuilder().insert().into(Line).values({ orderId: order, product: "pen", quantity }).orUpdate(["quantity"], ["order_id", "product"]).execute();
}

// run 1
export async function saveAll(account: number) {
  const orders = await source.getRepository(Order).findBy({ accountId: account });
  for (const order of orders) order.status = "done";
  await source.getRepository(Order).save(orders);
}

// run 1
export async function related(id: number) {
  const account = await accounts.findOne({ where: { id }, relations: { orders: true } });
  return account?.orders.length;
}

// run 1
export async function parent(id: number) {
  const order = await source.getRepository(Order).findOneOrFail({ where: { id }, relations: { account: true } });
  order.account.balance -= order.total;
  await source.manager.save(order.account);
  return order.account.balance;
}

// run "ANN"
export async function rawOperator(owner: string) {
  const rows = await accounts.findBy({ owner: Raw((alias) => `${alias} = lower(:owner)`, { owner }) });
  return rows.length;
}

class Service {
  constructor(private readonly repository: Repository<Account>) {}
  async touch(id: number) {
    const account = await this.repository.findOneBy({ id });
    if (account === null) return;
    account.note = account.note ? null : "first";
    await this.repository.save(account);
  }
}

// run 1
// run 2
export async function touched(id: number) {
  await new Service(accounts).touch(id);
}

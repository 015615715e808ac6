import { EntityManager, IsolationLevel, LockMode, MikroORM, sql, Transactional } from "@mikro-orm/postgresql";
import { Account, Invoice, Item, Lot, Member, Receipt, Shop } from "./entities";

const orm = await MikroORM.init({
  clientUrl: process.env.DATABASE_URL,
  entities: [Account, Invoice, Item, Lot, Member, Receipt, Shop],
});

/** The next number, read and then taken. */
export async function issueInvoice(shopId: number) {
  await orm.em.fork().transactional(async (em) => {
    const last = await em.findOne(Invoice, { shopId }, { orderBy: { number: "desc" } });
    em.create(Invoice, { shopId, number: (last?.number ?? 0) + 1 });
  });
}

export async function issueReceipt(shopId: number) {
  await orm.em.fork().transactional(async (em) => {
    const last = await em.findOne(Receipt, { shopId }, { orderBy: { number: "desc" } });
    em.create(Receipt, { shopId, number: (last?.number ?? 0) + 1 });
  });
}

/** What comes in is added to what is there. */
export async function restock(id: number, amount: number) {
  const em = orm.em.fork();
  const item = await em.findOneOrFail(Item, id);
  item.stock += amount;
  await em.flush();
}

export async function restockAtomically(id: number, amount: number) {
  await orm.em.fork().nativeUpdate(Item, { id }, { stock: sql`stock + ${amount}` });
}

/** Taken if there is enough. */
export async function take(id: number, amount: number) {
  await orm.em.fork().transactional(async (em) => {
    const account = await em.findOneOrFail(Account, id);
    if (account.balance < amount) throw new Error("not enough");
    account.balance -= amount;
  });
}

export async function takeLocked(id: number, amount: number) {
  await orm.em.fork().transactional(async (em) => {
    const account = await em.findOneOrFail(Account, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (account.balance < amount) throw new Error("not enough");
    account.balance -= amount;
  });
}

/** The lock comes too late: what was read stays. */
export async function takeLockedLate(id: number, amount: number) {
  await orm.em.fork().transactional(async (em) => {
    const account = await em.findOneOrFail(Account, id);
    await em.lock(account, LockMode.PESSIMISTIC_WRITE);
    if (account.balance < amount) throw new Error("not enough");
    account.balance -= amount;
  });
}

/** What is read again with a lock becomes what is there then. */
export async function takeLockedAgain(id: number, amount: number) {
  await orm.em.fork().transactional(async (em) => {
    const account = await em.findOneOrFail(Account, id);
    await em.findOneOrFail(Account, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (account.balance < amount) throw new Error("not enough");
    account.balance -= amount;
  });
}

/** What changed is written where the method ends. */
export class Till {
  constructor(private readonly em: EntityManager) {}

  @Transactional()
  async put(id: number, amount: number) {
    const account = await this.em.findOneOrFail(Account, id);
    account.balance += amount;
  }

  @Transactional({ isolationLevel: IsolationLevel.SERIALIZABLE })
  async putSerializable(id: number, amount: number) {
    const account = await this.em.findOneOrFail(Account, id);
    account.balance += amount;
  }
}

/** Lots are sold out once. */
export async function sell(id: number, amount: number) {
  const em = orm.em.fork();
  const item = await em.findOneOrFail(Item, { id });
  if (item.stock < amount) throw new Error("sold out");
  em.assign(item, { stock: item.stock - amount });
  await em.flush();
}

export async function sellVersioned(id: number, amount: number) {
  const em = orm.em.fork();
  const lot = await em.findOneOrFail(Lot, { id });
  if (lot.stock < amount) throw new Error("sold out");
  em.assign(lot, { stock: lot.stock - amount });
  await em.flush();
}

/** A shop keeps an owner. */
export async function leave(shop: number, id: number) {
  await orm.em.fork().transactional(async (em) => {
    const owners = await em.count(Member, { shop, role: "owner" });
    if (owners < 2) throw new Error("the last owner stays");
    const member = await em.findOneOrFail(Member, id);
    member.role = "guest";
  });
}

export async function leaveSerializable(shop: number, id: number) {
  await orm.em.fork().transactional(
    async (em) => {
      const owners = await em.count(Member, { shop, role: "owner" });
      if (owners < 2) throw new Error("the last owner stays");
      const member = await em.findOneOrFail(Member, id);
      member.role = "guest";
    },
    { isolationLevel: IsolationLevel.SERIALIZABLE },
  );
}

"use strict";
// Five races, and five that are correct, over TypeORM.
const { DataSource, EntitySchema } = require("typeorm");

const entity = (name, columns) =>
  new EntitySchema({
    name,
    tableName: name,
    columns: { id: { type: Number, primary: true, generated: true }, ...columns },
  });
const int = { type: Number };
const text = { type: String };
const Account = entity("account", { balance: int });
const Event = entity("event", { capacity: int });
const Booking = entity("booking", { event_id: int, who: text });
const Coupon = entity("coupon", { code: { ...text, unique: true }, max_uses: int, used: int });
const Doctor = entity("doctor", { on_call: { type: Boolean } });
const Ticket = entity("ticket", { number: int, holder: text });
const Seat = entity("seat", { number: { ...int, unique: true }, holder: text });
const Document = entity("document", { body: text, version: int });

const source = new DataSource({
  type: "postgres",
  url: process.env.DATABASE_URL,
  entities: [Account, Event, Booking, Coupon, Doctor, Ticket, Seat, Document],
  synchronize: true,
});

class Refused extends Error {}

async function debit(id, amount, lock) {
  await source.transaction(async (manager) => {
    const account = await manager.findOneOrFail(Account, { where: { id }, ...lock });
    if (account.balance < amount) throw new Refused();
    account.balance -= amount;
    await manager.save(Account, account);
  });
}

async function withdraw(id, amount) {
  await debit(id, amount, {});
}

async function withdraw_locked(id, amount) {
  await debit(id, amount, { lock: { mode: "pessimistic_write" } });
}

async function book(id, who) {
  await source.transaction(async (manager) => {
    const { capacity } = await manager.findOneByOrFail(Event, { id });
    if ((await manager.countBy(Booking, { event_id: id })) >= capacity) throw new Refused();
    await manager.insert(Booking, { event_id: id, who });
  });
}

async function redeem(code) {
  const { id, used, max_uses } = await source.manager.findOneByOrFail(Coupon, { code });
  if (used >= max_uses) throw new Refused();
  await source.manager.update(Coupon, { id }, { used: used + 1 });
}

async function redeem_in_place(code) {
  const free = source
    .createQueryBuilder()
    .update(Coupon)
    .set({ used: () => "used + 1" });
  const { affected } = await free.where("code = :code AND used < max_uses", { code }).execute();
  if (affected === 0) throw new Refused();
}

async function leave(manager, id) {
  if ((await manager.countBy(Doctor, { on_call: true })) < 2) throw new Refused();
  await manager.update(Doctor, { id }, { on_call: false });
}

async function go_off_call(id) {
  await source.transaction((manager) => leave(manager, id));
}

async function go_off_call_serializable(id) {
  await source.transaction("SERIALIZABLE", (manager) => leave(manager, id));
}

async function issue_ticket(holder) {
  await source.transaction(async (manager) => {
    const last = (await manager.maximum(Ticket, "number", {})) ?? 0;
    await manager.insert(Ticket, { number: last + 1, holder });
  });
}

async function take_seat(number, holder) {
  try {
    await source.manager.insert(Seat, { number, holder });
  } catch {
    throw new Refused();
  }
}

async function edit_document(id, body) {
  await source.transaction(async (manager) => {
    const { version } = await manager.findOneByOrFail(Document, { id });
    const changed = await manager.update(Document, { id, version }, { body, version: version + 1 });
    if (changed.affected === 0) throw new Refused();
  });
}

module.exports = {
  ...{ source, Refused, Account, Event, Coupon, Doctor, Document },
  ...{ withdraw, book, redeem, go_off_call, issue_ticket },
  ...{ withdraw_locked, redeem_in_place, take_seat, edit_document, go_off_call_serializable },
};

"use strict";
// Five races, and five that are correct, over a pool of pg.
const { Pool } = require("pg");

const pool = new Pool({ connectionString: process.env.DATABASE_URL });

class Refused extends Error {}

async function inTransaction(work, begin = "BEGIN") {
  const client = await pool.connect();
  try {
    await client.query(begin);
    await work(client);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

async function first(client, sql, ...values) {
  return (await client.query(sql, values)).rows[0];
}

async function debit(client, lock, id, amount) {
  const { balance } = await first(client, `SELECT balance FROM account WHERE id = $1${lock}`, id);
  if (balance < amount) throw new Refused();
  await client.query("UPDATE account SET balance = $1 WHERE id = $2", [balance - amount, id]);
}

function withdraw(id, amount) {
  return inTransaction((client) => debit(client, "", id, amount));
}

function withdraw_locked(id, amount) {
  return inTransaction((client) => debit(client, " FOR UPDATE", id, amount));
}

function book(id, who) {
  return inTransaction(async (client) => {
    const { capacity } = await first(client, "SELECT capacity FROM event WHERE id = $1", id);
    const { count } = await first(
      client,
      "SELECT count(*)::int FROM booking WHERE event_id = $1",
      id,
    );
    if (count >= capacity) throw new Refused();
    await client.query("INSERT INTO booking (event_id, who) VALUES ($1, $2)", [id, who]);
  });
}

async function redeem(code) {
  const coupon = await first(pool, "SELECT id, used, max_uses FROM coupon WHERE code = $1", code);
  if (coupon.used >= coupon.max_uses) throw new Refused();
  await pool.query("UPDATE coupon SET used = $1 WHERE id = $2", [coupon.used + 1, coupon.id]);
}

async function redeem_in_place(code) {
  const { rowCount } = await pool.query(
    "UPDATE coupon SET used = used + 1 WHERE code = $1 AND used < max_uses",
    [code],
  );
  if (rowCount === 0) throw new Refused();
}

async function leave(client, id) {
  const { count } = await first(client, "SELECT count(*)::int FROM doctor WHERE on_call");
  if (count < 2) throw new Refused();
  await client.query("UPDATE doctor SET on_call = false WHERE id = $1", [id]);
}

function go_off_call(id) {
  return inTransaction((client) => leave(client, id));
}

function go_off_call_serializable(id) {
  return inTransaction((client) => leave(client, id), "BEGIN ISOLATION LEVEL SERIALIZABLE");
}

function issue_ticket(holder) {
  return inTransaction(async (client) => {
    const { last } = await first(client, "SELECT coalesce(max(number), 0) AS last FROM ticket");
    await client.query("INSERT INTO ticket (number, holder) VALUES ($1, $2)", [last + 1, holder]);
  });
}

async function take_seat(number, holder) {
  try {
    await pool.query("INSERT INTO seat (number, holder) VALUES ($1, $2)", [number, holder]);
  } catch {
    throw new Refused();
  }
}

function edit_document(id, body) {
  return inTransaction(async (client) => {
    const { version } = await first(client, "SELECT version FROM document WHERE id = $1", id);
    const { rowCount } = await client.query(
      "UPDATE document SET body = $1, version = $2 WHERE id = $3 AND version = $4",
      [body, version + 1, id, version],
    );
    if (rowCount === 0) throw new Refused();
  });
}

module.exports = {
  ...{ pool, Refused },
  ...{ withdraw, book, redeem, go_off_call, issue_ticket },
  ...{ withdraw_locked, redeem_in_place, take_seat, edit_document, go_off_call_serializable },
};

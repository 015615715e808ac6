"use strict";
const shop = require("./shop");

const RUNS = 12;
const SCHEMA = `
DROP TABLE IF EXISTS account, event, booking, coupon, doctor, ticket, seat, document;
CREATE TABLE account (id serial PRIMARY KEY, balance int NOT NULL);
CREATE TABLE event (id serial PRIMARY KEY, capacity int NOT NULL);
CREATE TABLE booking (id serial PRIMARY KEY, event_id int NOT NULL REFERENCES event, who text NOT NULL);
CREATE TABLE coupon (id serial PRIMARY KEY, code text NOT NULL UNIQUE, max_uses int NOT NULL, used int NOT NULL);
CREATE TABLE doctor (id serial PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE ticket (id serial PRIMARY KEY, number int NOT NULL, holder text NOT NULL);
CREATE TABLE seat (id serial PRIMARY KEY, number int NOT NULL UNIQUE, holder text NOT NULL);
CREATE TABLE document (id serial PRIMARY KEY, body text NOT NULL, version int NOT NULL);
INSERT INTO account (balance) VALUES (300), (400), (500);
INSERT INTO event (capacity) VALUES (3), (4), (5);
INSERT INTO coupon (code, max_uses, used) VALUES ('C-1', 3, 0), ('C-2', 4, 0), ('C-3', 5, 0);
INSERT INTO doctor (on_call) SELECT true FROM generate_series(1, 9);
INSERT INTO document (body, version) VALUES ('', 0), ('', 3), ('', 7)`;

let seed = 7;
const random = (least, most) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return least + (seed % (most - least + 1));
};

async function often(name, values) {
  let done = 0;
  for (let number = 0; number < RUNS; number++) {
    try {
      await shop[name](...values(number));
      done++;
    } catch (error) {
      if (!(error instanceof shop.Refused)) throw error;
    }
  }
  if (done < 3) throw new Error(`${name} was always refused`);
}

async function main() {
  const { pool } = shop;
  await pool.query(SCHEMA);
  for (const name of ["withdraw", "withdraw_locked"])
    await often(name, () => [random(1, 3), random(3, 90)]);
  await often("book", (n) => [random(1, 3), `w${n}`]);
  for (const name of ["redeem", "redeem_in_place"]) {
    await often(name, () => [`C-${random(1, 3)}`]);
    await pool.query("UPDATE coupon SET used = 0");
  }
  for (const name of ["go_off_call", "go_off_call_serializable"]) {
    await often(name, (n) => [1 + (n % 9)]);
    await pool.query("UPDATE doctor SET on_call = true");
  }
  await often("issue_ticket", (n) => [`h${n}`]);
  await often("take_seat", (n) => [n % 10, `h${n}`]);
  await often("edit_document", (n) => [random(1, 3), `text ${n}`]);
  await pool.end();
}

main();

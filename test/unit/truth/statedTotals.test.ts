// Invariants that the authors of two benchmarks state of their data: the twelve consistency conditions of TPC-C
// (revision 5.11, clause 3.3.2; amounts of other customers' districts as the program has them, the eleventh for orders that
// were delivered) and SmallBank's rule that savings and checking together stay above zero. Findings say which they break.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { LevelReport } from "../../../server/src/protocol/report";
import type { Row } from "../../../server/src/protocol/witness";
import { standsOf } from "../../../server/src/store/totals";
import { analyse, app, members, sql } from "./analyse";

const parsers = loadPgParser().then((pg) => ({ pg }));

const ofDistrict = (prefix: string): string =>
  `${prefix}_w_id = district.d_w_id AND ${prefix}_d_id = district.d_id`;
const ofOrder = (prefix: string): string =>
  `${prefix}_w_id = orders.o_w_id AND ${prefix}_d_id = orders.o_d_id AND ${prefix}_o_id = orders.o_id`;
const delivered =
  "(select coalesce(sum(ol_amount), 0) from order_line join orders on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id where o_w_id = customer.c_w_id and o_d_id = customer.c_d_id and o_c_id = customer.c_id and ol_delivered)";
const paid =
  "(select coalesce(sum(h_amount), 0) from history where h_c_w_id = customer.c_w_id and h_c_d_id = customer.c_d_id and h_c_id = customer.c_id)";

const CONDITIONS = [
  "warehouse.w_ytd = sum(district.d_ytd) where d_w_id = warehouse.w_id",
  `district.d_next_o_id - 1 = (select max(o_id) from orders where ${ofDistrict("o")}) and district.d_next_o_id - 1 = (select max(no_o_id) from new_order where ${ofDistrict("no")})`,
  "max(new_order.no_o_id) - min(new_order.no_o_id) + 1 = count(new_order) where no_w_id = :w and no_d_id = :d",
  `(select sum(o_ol_cnt) from orders where ${ofDistrict("o")}) = (select count(*) from order_line where ${ofDistrict("ol")})`,
  `(orders.o_carrier_id is null) = exists (select 1 from new_order where ${ofOrder("no")})`,
  `orders.o_ol_cnt = count(order_line) where ${ofOrder("ol")}`,
  `order_line.ol_delivered = (orders.o_carrier_id is not null) where ${ofOrder("order_line.ol")}`,
  "warehouse.w_ytd = sum(history.h_amount) where h_c_w_id = warehouse.w_id",
  "district.d_ytd = sum(history.h_amount) where h_c_w_id = district.d_w_id and h_c_d_id = district.d_id",
  `customer.c_balance = ${delivered} - ${paid}`,
  `(select count(*) from orders where ${ofDistrict("o")}) - (select count(*) from new_order where ${ofDistrict("no")}) = (select count(*) from orders where ${ofDistrict("o")} and o_carrier_id is not null)`,
  `customer.c_balance + customer.c_ytd_payment = ${delivered}`,
];

const order = { o_w_id: 1, o_d_id: 1, o_c_id: 1, o_carrier_id: null };
const line = { ol_w_id: 1, ol_d_id: 1, ol_number: 1, ol_i_id: 1, ol_supply_w_id: 1, ol_quantity: 1, ol_delivered: false }; // prettier-ignore

/** One district with a payment of 10, a delivered order of 30 and one that waits. */
const POPULATION: Readonly<Record<string, readonly [Row, ...Row[]]>> = {
  warehouse: [{ w_id: 1, w_name: "w", w_tax: 0, w_ytd: 10 }],
  district: [{ d_w_id: 1, d_id: 1, d_name: "d", d_tax: 0, d_ytd: 10, d_next_o_id: 3 }],
  customer: [{ c_w_id: 1, c_d_id: 1, c_id: 1, c_last: "c", c_credit: "", c_discount: 0, c_balance: 20, c_ytd_payment: 10, c_payment_cnt: 1, c_delivery_cnt: 1 }], // prettier-ignore
  history: [{ h_id: 1, h_c_w_id: 1, h_c_d_id: 1, h_c_id: 1, h_amount: 10 }],
  orders: [
    { ...order, o_id: 1, o_carrier_id: 7, o_ol_cnt: 1 },
    { ...order, o_id: 2, o_ol_cnt: 1 },
  ],
  new_order: [{ no_w_id: 1, no_d_id: 1, no_o_id: 2 }],
  order_line: [
    { ...line, ol_o_id: 1, ol_amount: 30, ol_delivered: true },
    { ...line, ol_o_id: 2, ol_amount: 5 },
  ],
};

/** Of the first row of a table another value, and the numbers of the conditions that it breaks. */
const BROKEN: readonly (readonly [string, Row, readonly number[]])[] = [
  ["warehouse", { w_ytd: 11 }, [1, 8]],
  ["district", { d_ytd: 11 }, [1, 9]],
  ["district", { d_next_o_id: 4 }, [2]],
  ["new_order", { no_o_id: 1 }, [2, 5]],
  ["orders", { o_ol_cnt: 2 }, [4, 6]],
  ["orders", { o_carrier_id: null }, [5, 7, 11]],
  ["order_line", { ol_delivered: false }, [7, 10, 12]],
  ["history", { h_amount: 9 }, [8, 9, 10]],
  ["customer", { c_balance: 0 }, [10, 12]],
  ["customer", { c_ytd_payment: 0 }, [12]],
];

function stated(invariants: readonly string[]): string {
  return invariants.map((each) => `-- @isolens invariant ${each}\n`).join("");
}

test("the twelve consistency conditions of TPC-C hold of a population, and each is broken by what it is about", async () => {
  const files = [...app("tpcc"), sql(stated(CONDITIONS), "conditions.sql")];
  const { invariants = [], totals = [], notes, schema } = readProgram(files, await parsers);
  assert.deepEqual(
    notes.filter(({ code }) => code === "invariant"),
    [],
  );
  const all = [...invariants, ...totals];
  assert.equal(all.length, 12);
  const numbersOf = (rows: Parameters<typeof standsOf>[2]): readonly number[] => {
    const broken = standsOf(schema, all, rows)?.filter(({ isBroken }) => isBroken) ?? [];
    const texts = new Set(broken.map(({ invariant: { text } }) => text));
    return CONDITIONS.flatMap((text, at) => (texts.has(text) ? [at + 1] : []));
  };
  assert.deepEqual(numbersOf(POPULATION), []);
  for (const [table, change, numbers] of BROKEN) {
    const [first, ...rest] = ownEntry(POPULATION, table) ?? [{}];
    const rows = { ...POPULATION, [table]: [{ ...first, ...change }, ...rest] };
    assert.deepEqual(numbersOf(rows), numbers, `${table} ${JSON.stringify(change)}`);
  }
});

/** "Payment+Payment 10 12": the members and the numbers of what they break together. */
function breachesIn({ anomalies }: LevelReport, invariants: readonly string[]): readonly string[] {
  const found = anomalies.flatMap((anomaly) => {
    const numbers = (anomaly.breaches ?? []).map(({ text }) => invariants.indexOf(text) + 1);
    return numbers.length === 0 ? [] : [`${members(anomaly)} ${numbers.join(" ")}`];
  });
  return [...new Set(found)].sort();
}

test("what two payments break of TPC-C's conditions", async () => {
  const texts = app("tpcc").map(({ text }) => text);
  const routines = texts.join("").split(/(?=^CREATE FUNCTION )/mu);
  const own = routines.find((each) => each.startsWith("CREATE FUNCTION payment("));
  const schema = texts.find((each) => each.includes("CREATE TABLE warehouse"));
  const text = `${schema ?? ""}${stated(CONDITIONS)}${own ?? ""}`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  // The overwriting of the balance is one of what was paid as well: the twelfth still holds.
  assert.deepEqual(breachesIn(report, CONDITIONS), ["payment+payment 10"]);
});

const OVERDRAFT = "savings.bal + checking.bal >= 0 where savings.custid = checking.custid";

test("SmallBank's overdraft: who may leave a customer below zero", async () => {
  const text = `CREATE TABLE savings (custid int PRIMARY KEY, bal int NOT NULL);
CREATE TABLE checking (custid int PRIMARY KEY, bal int NOT NULL);
${stated([OVERDRAFT])}
-- @transaction TransactSavings
BEGIN;
SELECT bal FROM savings WHERE custid = :c \\gset savings_
SELECT bal FROM checking WHERE custid = :c \\gset checking_
\\if :savings_bal + :checking_bal >= :amount
UPDATE savings SET bal = bal - :amount WHERE custid = :c;
\\endif
COMMIT;
-- @transaction WriteCheck
-- @isolens invariant amount > 0
BEGIN;
SELECT bal FROM savings WHERE custid = :c \\gset savings_
SELECT bal FROM checking WHERE custid = :c \\gset checking_
\\if :savings_bal + :checking_bal >= :amount
UPDATE checking SET bal = bal - :amount WHERE custid = :c;
\\endif
COMMIT;
`;
  const report = await analyse([sql(text)], "postgres:repeatable-read", 2);
  assert.deepEqual(breachesIn(report, [OVERDRAFT]), ["TransactSavings+WriteCheck 1"]);
  const [first] = report.anomalies;
  assert.equal(first?.harm, "invariant");
  assert.match(
    first.title,
    /^The invariant "savings\.bal \+ checking\.bal >= 0 where .*" breaks: -\d+ against 0 for savings? \d+ and checking \d+$/u,
  );
});

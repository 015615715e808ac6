// Conditions that several comparisons fit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, commit, learnt, read, rollback, write, type Call, type Sent } from "./calls";

const capacity = (id: number, capacity: number): Sent => ({
  sql: `SELECT capacity FROM event WHERE id = ${String(id)}`,
  columns: ["capacity"],
  rows: [[String(capacity)]],
});
const insert = (event: number, who: string): Sent => ({
  sql: `INSERT INTO booking (event_id, who) VALUES (${String(event)}, '${who}')`,
  affected: 1,
});

test("where a comparison with a number fits as well, that is a doubt, and nothing left the likely one; moments are compared with no constant", () => {
  const calls = ([3, 2, 1, 0] as const).map((left, at): Call => [
    capacity(1, 1),
    {
      sql: `SELECT uses, at FROM voucher WHERE id = ${String(at)}`,
      columns: ["uses", "at"],
      rows: [
        [String(left), left === 0 ? "2026-01-01 00:00:00" : `2026-01-0${String(left)} 10:00:00`],
      ],
    },
    ...(left > 0 ? [insert(1, `who${String(left)}`)] : []),
  ]);
  assert.deepEqual(learnt(calls), [
    `-- @isolens unit work
-- @isolens learnt 4 runs
-- @isolens over chosen of 2 conditions that fit: s2_uses >= 1
SELECT capacity FROM event WHERE id = :id;
SELECT uses, at FROM voucher WHERE id = :id2 \\gset s2_
\\if :s2_uses >= 1
INSERT INTO booking (event_id, who) VALUES (:id, :who);
\\endif`,
  ]);
  const moments = calls.map(([first, second, ...rest]): Call => [
    ...(first ? [first] : []),
    ...(second
      ? [
          {
            ...second,
            columns: ["other", "at"],
            rows: second.rows?.map(([, at]) => ["n", at ?? ""]) ?? [],
          },
        ]
      : []),
    ...rest,
  ]);
  assert.match(learnt(moments).join(), /what decides here was not learnt/);
});

test("what is left behind another number is enough for an amount; a new row's number is no change of another table's", () => {
  const calls = [
    { whole: 10, taken: 0, wanted: 4 },
    { whole: 10, taken: 4, wanted: 6 },
    { whole: 10, taken: 10 },
    { whole: 4, taken: 0, wanted: 3 },
    { whole: 4, taken: 3 },
  ].map(({ whole, taken, wanted }, at): Call => [
    {
      sql: `SELECT seats FROM shows WHERE id = ${String(at)}`,
      columns: ["seats"],
      rows: [[String(whole)]],
    },
    {
      sql: `SELECT sum(seats) AS taken FROM holds WHERE show_id = ${String(at)}`,
      columns: ["taken"],
      rows: [[String(taken)]],
    },
    ...(wanted === undefined
      ? []
      : [
          {
            sql: `INSERT INTO holds (show_id, seats) VALUES (${String(at)}, ${String(wanted)})`,
            affected: 1,
          },
        ]),
  ]);
  assert.deepEqual(learnt(calls), [
    `-- @isolens unit work
-- @isolens learnt 5 runs
-- @isolens over "s1_seats - s2_taken >= seats" fits the 3 runs that went on; of those that did not, seats was not seen
SELECT seats FROM shows WHERE id = :id \\gset s1_
SELECT sum(seats) AS taken FROM holds WHERE show_id = :id \\gset s2_
\\if :s1_seats - :s2_taken >= :seats
INSERT INTO holds (show_id, seats) VALUES (:id, :seats);
\\endif`,
  ]);
});

test("the limit of an amount that is taken is that amount, also where a number of the program fits as closely", () => {
  const calls = [
    [begin, read(1, 100), write(1, 70), commit],
    [begin, read(2, 50), write(2, 0), commit],
    [begin, read(1, 1), write(1, 0), commit],
    [begin, read(3, 0), rollback],
  ];
  assert.match(learnt(calls).join(), /\\if :s1_balance >= :balance_change\n/);
});

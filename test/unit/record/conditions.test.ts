// Conditions that several comparisons fit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learnt, type Call, type Sent } from "./calls";

const capacity = (id: number, capacity: number): Sent => ({
  sql: `SELECT capacity FROM event WHERE id = ${String(id)}`,
  columns: ["capacity"],
  rows: [[String(capacity)]],
});
const insert = (event: number, who: string): Sent => ({
  sql: `INSERT INTO booking (event_id, who) VALUES (${String(event)}, '${who}')`,
  affected: 1,
});

test("a comparison with what is the same in all runs may be one with a number; moments are compared with no constant", () => {
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
-- @isolens over chosen of 2 conditions that fit: s2_uses >= s1_capacity
SELECT capacity FROM event WHERE id = :id \\gset s1_
SELECT uses, at FROM voucher WHERE id = :id2 \\gset s2_
\\if :s2_uses >= :s1_capacity
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

// Numbers of rows that statements had in the runs, as the learnt program tells them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, commit, learnt, read, type Call } from "./calls";

test("a statement that had rows in all runs, or in none, says so; one with both does not", () => {
  const work = (known: boolean, changed: number, taken: number): Call => [
    begin,
    read(1, 100),
    {
      sql: "SELECT id FROM coupon WHERE code = 'x'",
      columns: ["id"],
      rows: known ? [["7"]] : [],
    },
    { sql: "DELETE FROM seat WHERE event = 3", affected: changed },
    { sql: "UPDATE event SET taken = taken + 1", affected: taken },
    { sql: "SELECT count(*) FROM seat", columns: ["count"], rows: [["4"]] },
    commit,
  ];
  const rows = (calls: readonly Call[]): readonly string[] =>
    (learnt(calls, { rows: true })[0] ?? "").split("\n").slice(2);
  assert.deepEqual(rows([work(false, 1, 1), work(false, 4, 0), work(false, 2, 1)]), [
    ...["BEGIN;", "-- @isolens rows 1", "SELECT id, balance FROM account WHERE id = :id;"],
    ...["-- @isolens rows 0", "SELECT id FROM coupon WHERE code = :code;"],
    ...["-- @isolens rows 1 to 4", "DELETE FROM seat WHERE event = 3;"],
    ...["UPDATE event SET taken = taken + 1;", "SELECT count(*) FROM seat;", "COMMIT;"],
  ]);
  const [, , , ...both] = rows([work(false, 1, 1), work(true, 1, 1), work(true, 1, 1)]);
  assert.equal(both[0], "SELECT id FROM coupon WHERE code = :code;");
});

test("rounds of a loop count with their rows, though one of them is followed", () => {
  const settle = (changed: readonly number[]): Call => [
    begin,
    read(1, 100),
    ...changed.map((affected, at) => ({
      sql: `DELETE FROM bill WHERE id = ${String(10 + at)}`,
      affected,
    })),
    commit,
  ];
  const [some = ""] = learnt([settle([1, 1, 2]), settle([1, 1, 1, 1])], { rows: true });
  assert.match(some, /-- @isolens rows 1 to 2\nDELETE FROM bill/);
  const [both = ""] = learnt([settle([0, 1, 2]), settle([1, 1, 1, 1])], { rows: true });
  assert.doesNotMatch(both, /rows \d.*\nDELETE FROM bill/);
});

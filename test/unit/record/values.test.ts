// Where arguments come from, as runs tell it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learnt, type Call } from "./calls";

test("a version from outside, which is written one higher than it was asked for", () => {
  const edit = (id: number, version: number, affected = 1): Call => [
    {
      sql: `UPDATE doc SET version = ${String(version + 1)} WHERE id = ${String(id)} AND version = ${String(version)}`,
      affected,
    },
  ];
  assert.deepEqual(learnt([edit(1, 1), edit(2, 5), edit(1, 2), edit(2, 9, 0)]), [
    `-- @isolens transaction work
-- @isolens learnt 4 runs
UPDATE doc SET version = :version WHERE id = :id AND version = (:version - 1);`,
  ]);
});

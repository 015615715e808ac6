// TRUNCATE: its cascade, and where what older snapshots see of it is left open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import type { Program } from "../../../server/src/program/program";
import { statementsOf } from "../../../server/src/service/statements";
import { unreadParts } from "../../../server/src/service/verdict/unknowns";
import { sql } from "../truth/analyse";

const TABLES = `CREATE TABLE a (id int PRIMARY KEY);
CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a);
CREATE TABLE c (id int PRIMARY KEY, b int REFERENCES b ON DELETE CASCADE);
`;

async function read(text: string): Promise<Program> {
  return readProgram([sql(TABLES + text)], { pg: await loadPgParser() });
}

function emptied(program: Program): readonly string[] {
  return program.transactions
    .flatMap(({ body }) => statementsOf(body))
    .map((each) => {
      assert.deepEqual(each.taint, []);
      return each.kind === "delete" ? each.relation.table : each.kind;
    });
}

test("tables that refer to others are emptied first", async () => {
  assert.deepEqual(emptied(await read("BEGIN; TRUNCATE a, b, c; COMMIT;")), [
    ...["lock", "lock", "lock"],
    ...["c", "b", "a"],
  ]);
});

test("CASCADE empties what refers to the table, however far", async () => {
  const program = await read(
    "BEGIN; TRUNCATE b CASCADE; COMMIT;\nBEGIN; TRUNCATE a CASCADE; COMMIT;",
  );
  assert.deepEqual(emptied(program), [
    ...["lock", "lock", "c", "b"],
    ...["lock", "lock", "lock", "c", "b", "a"],
  ]);
  const ids = program.transactions.flatMap(({ body }) => statementsOf(body)).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test("without CASCADE only the table itself is emptied", async () => {
  assert.deepEqual(emptied(await read("BEGIN; TRUNCATE c; COMMIT;")), ["lock", "c"]);
});

const TWO = `-- @transaction empty
BEGIN; TRUNCATE c; COMMIT;
-- @transaction look
BEGIN; SELECT count(*) FROM c; COMMIT;
`;

async function openAt(text: string, levelName: string): Promise<readonly string[]> {
  const program = await read(text);
  const level = findLevel(levelName);
  assert.ok(level);
  const flat = flattenProgram(program, { unroll: 1 });
  return unreadParts(program, [], { flat, levelOf: () => level, apart: new Set() }).map(
    ({ reason }) => reason,
  );
}

test("one snapshot for all statements may be older than a truncation", async () => {
  const open = [
    "TRUNCATE takes the rows of c from transactions that took their snapshot before it, which is not followed",
  ];
  assert.deepEqual(await openAt(TWO, "postgres:repeatable-read"), open);
  assert.deepEqual(await openAt(TWO, "postgres:serializable"), open);
});

test("a snapshot for each statement is never older than its lock of the table", async () => {
  assert.deepEqual(await openAt(TWO, "postgres:read-committed"), []);
  const alone = "BEGIN; TRUNCATE c; COMMIT;";
  assert.deepEqual(await openAt(alone, "postgres:repeatable-read"), []);
});

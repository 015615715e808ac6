// Reads of versions that were never committed: which reads are, and that such an execution is confirmed without a cycle.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../server/src/protocol/source";
import type { ScheduleStep } from "../../../server/src/protocol/witness";
import { confirm } from "../../../server/src/store/confirm";
import { dirtyReadObjection } from "../../../server/src/store/dirtyReads";
import type { Confirmation } from "../../../server/src/store/execution";
import { levelOf, rowsOf } from "./programs";

const READ_UNCOMMITTED = "mariadb:read-uncommitted";
const READER = "SELECT v FROM t WHERE id = 1;";

/** Runs a writer and a reader: "W" lets the writer do its next statement, "w" end; "R" and "r" are the reader's. */
function run(
  writer: string,
  order: string,
  level = READ_UNCOMMITTED,
  reader = READER,
): Confirmation {
  const end = writer.includes("ROLLBACK;") ? "" : "COMMIT;";
  const text = [
    "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);",
    `-- @isolens transaction Writer\nBEGIN;\n${writer}\n${end}`,
    `-- @isolens transaction Reader\nBEGIN;\n${reader}\nCOMMIT;`,
  ].join("\n");
  // Any name will do for the only file.
  const program = readProgram([{ file: "test.sql" as FileId, text }], {});
  const done = { T1: 0, T2: 0 };
  const schedule = [...order].map((letter): ScheduleStep => {
    const instance = letter.toUpperCase() === "W" ? "T1" : "T2";
    const isEnd = letter !== letter.toUpperCase();
    return { instance, statement: isEnd ? "commit" : ++done[instance], sees: [] };
  });
  return confirm(program, levelOf(level), {
    instances: [
      { instance: "T1", transaction: "Writer", arguments: {} },
      { instance: "T2", transaction: "Reader", arguments: {} },
    ],
    initial: { t: rowsOf({ 1: 10, 2: 20 }) },
    schedule,
  });
}

function check(confirmation: Confirmation, kind: "rolled-back" | "replaced" | undefined): void {
  const { status, dirtyRead, cycle, severity, reason, execution } = confirmation;
  assert.equal(dirtyRead?.kind, kind, reason);
  if (kind === undefined) return;
  assert.equal(status, "confirmed", reason);
  assert.equal(severity, "value");
  assert.deepEqual(cycle, []);
  assert.ok(execution && dirtyRead);
  assert.equal(execution.steps[dirtyRead.from]?.instance, "T1");
  assert.equal(execution.steps[dirtyRead.to]?.instance, "T2");
}

const TWICE = "UPDATE t SET v = 101 WHERE id = 1; UPDATE t SET v = 11 WHERE id = 1;";
const UNDONE =
  "SAVEPOINT s; UPDATE t SET v = 101 WHERE id = 1; ROLLBACK TO SAVEPOINT s; UPDATE t SET v = 21 WHERE id = 2;";

test("a read of what is rolled back", () => {
  const writer = "UPDATE t SET v = 101 WHERE id = 1;\nROLLBACK;";
  check(run(writer, "WRwr"), "rolled-back");
  check(run(writer, "WRrw"), "rolled-back");
  check(run(writer, "RWwr"), undefined);
  check(run(writer, "WwRr"), undefined);
});

test("a read of what its writer replaces", () => {
  check(run(TWICE, "WRWwr"), "replaced");
  check(run(TWICE, "WRrWw"), "replaced");
  check(run(TWICE, "WWRwr"), undefined);
  check(run(TWICE, "WWwRr"), undefined);
});

test("a read of a row that its writer inserts and deletes again", () => {
  const writer = "INSERT INTO t (id, v) VALUES (3, 30); DELETE FROM t WHERE id = 3;";
  check(run(writer, "WRWwr", READ_UNCOMMITTED, "SELECT count(*) FROM t;"), "replaced");
});

test("a read of what its writer returns from, to a savepoint", () => {
  check(run(UNDONE, "WRWwr"), "rolled-back");
});

test("at READ COMMITTED nothing of it is seen", () => {
  for (const order of ["WRWwr", "WRrWw", "WWRwr"])
    check(run(TWICE, order, "mariadb:read-committed"), undefined);
});

test("the history checker knows these reads, and no others", () => {
  const { execution, dirtyRead } = run(TWICE, "WRWwr");
  assert.ok(execution && dirtyRead);
  assert.equal(dirtyReadObjection(execution, dirtyRead), undefined);
  const last = execution.steps.findLastIndex((step) => step.writes.length > 0);
  assert.match(dirtyReadObjection(execution, { ...dirtyRead, from: last }) ?? "", /nothing wrong/);
});

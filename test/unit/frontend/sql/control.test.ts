import assert from "node:assert/strict";
import { test } from "node:test";
import { readControl } from "../../../../server/src/frontend/sql/control";

/** The control statement in short: its kind, then what it says. */
function check(text: string, expected: string | undefined): void {
  const control = readControl(text, 0, text.length);
  if (control === undefined) {
    assert.equal(undefined, expected, text);
    return;
  }
  const parts: string[] = [control.kind];
  if ("modes" in control) {
    if (control.modes.level !== undefined) parts.push(control.modes.level.name);
    if (control.modes.readOnly !== undefined) parts.push(control.modes.readOnly ? "ro" : "rw");
  }
  if ("name" in control) parts.push(control.name);
  if ("chain" in control && control.chain) parts.push("chain");
  if ("what" in control) parts.push(control.what);
  assert.equal(parts.join(" "), expected, text);
}

test("the start of a transaction", () => {
  check("BEGIN", "begin");
  check("begin work", "begin");
  check("BEGIN TRANSACTION", "begin");
  check("START TRANSACTION", "begin");
  check("BEGIN ISOLATION LEVEL SERIALIZABLE", "begin postgres:serializable");
  check("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ", "begin postgres:repeatable-read");
  check("start transaction isolation level read committed", "begin postgres:read-committed");
  check("BEGIN ISOLATION LEVEL READ UNCOMMITTED", "begin postgres:read-committed");
  check("BEGIN READ ONLY", "begin ro");
  check("BEGIN READ WRITE, ISOLATION LEVEL SERIALIZABLE", "begin postgres:serializable rw");
  check(
    "BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE",
    "begin postgres:serializable ro",
  );
  check("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", "begin postgres:read-committed ro");
  check(
    "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY NOT DEFERRABLE",
    "begin postgres:serializable ro",
  );
  check("BEGIN ISOLATION LEVEL CURSOR STABILITY", "begin cursor");
  check("BEGIN -- now\n ISOLATION LEVEL SERIALIZABLE", "begin postgres:serializable");
});

test("its end", () => {
  check("COMMIT", "commit");
  check("COMMIT WORK", "commit");
  check("END", "commit");
  check("END TRANSACTION", "commit");
  check("COMMIT AND CHAIN", "commit chain");
  check("COMMIT AND NO CHAIN", "commit");
  check("ROLLBACK", "rollback");
  check("ABORT WORK", "rollback");
  check("ROLLBACK AND CHAIN", "rollback chain");
  check("PREPARE TRANSACTION 'x'", "twoPhase prepare");
  check("COMMIT PREPARED 'x'", "twoPhase commit");
  check("ROLLBACK PREPARED 'x'", "twoPhase rollback");
});

test("savepoints", () => {
  check("SAVEPOINT a", "savepoint a");
  check('SAVEPOINT "A b"', "savepoint A b");
  check("ROLLBACK TO a", "rollbackTo a");
  check("ROLLBACK WORK TO SAVEPOINT a", "rollbackTo a");
  check("RELEASE a", "release a");
  check("RELEASE SAVEPOINT A", "release a");
});

test("levels by SET", () => {
  check("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "setTransaction postgres:serializable");
  check(
    "SET LOCAL TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "setTransaction postgres:repeatable-read",
  );
  check(
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
    "setSession postgres:serializable",
  );
  check(
    "SET default_transaction_isolation = 'repeatable read'",
    "setSession postgres:repeatable-read",
  );
  check(
    "SET SESSION default_transaction_isolation TO serializable",
    "setSession postgres:serializable",
  );
  check("set transaction_isolation = 'serializable'", "setTransaction postgres:serializable");
  check("SET TRANSACTION READ ONLY", "setTransaction ro");
  check("SET search_path = a", undefined);
});

test("other statements", () => {
  check("SELECT 1", undefined);
  check("PREPARE p AS SELECT 1", undefined);
  check("", undefined);
  check("(", undefined);
  check("endless", undefined);
});

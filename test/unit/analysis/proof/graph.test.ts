// The static graph test: what the texts alone decide, level by level.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import { testGraph } from "../../../../server/src/analysis/proof/graphTest";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../../server/src/isolation/levels";
import { sql } from "../../truth/analyse";

const TABLES = `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL, w integer NOT NULL);
CREATE TABLE b (id integer PRIMARY KEY, v integer NOT NULL);
`;

const RC = "postgres:read-committed";
const RR = "postgres:repeatable-read";
const SI = "snapshot-isolation";
const PSI = "parallel-snapshot-isolation";
const PAPER_RC = "read-committed";
const EC = "eventual";
const LEVELS = [RC, RR, SI, PSI, PAPER_RC, EC];

/** The levels at which the test finds the scripts safe. */
function check(bodies: readonly string[], expected: readonly string[]): void {
  const scripts = bodies.map(
    (body, at) => `-- @transaction t${String(at)}\nBEGIN;\n${body}\nCOMMIT;\n`,
  );
  const program = readProgram([sql(TABLES + scripts.join(""))], {});
  const flat = flattenProgram(program, { unroll: 1, anyRounds: true });
  const safe = LEVELS.filter((name) => {
    const level = findLevel(name);
    assert.ok(level);
    return testGraph(flat, level).isSafe;
  });
  assert.deepEqual(safe, expected, bodies.join("\n--\n"));
}

const READ_A = "SELECT v AS x FROM a WHERE id = :id \\gset";
const READ_W = "SELECT w AS x FROM a WHERE id = :id \\gset";
const READ_B = "SELECT v AS y FROM b WHERE id = :id \\gset";
const ADD_A = "UPDATE a SET v = v + 1 WHERE id = :id;";
const ADD_B = "UPDATE b SET v = v + 1 WHERE id = :id;";

test("transactions that only read need no isolation", () => {
  check([READ_A, `${READ_A}\n${READ_B}`], LEVELS);
});

test("an update in place of one row is atomic where writers lock, or see each other", () => {
  check([ADD_A], [RC, RR, SI, PSI]);
});

test("columns that nobody writes do not conflict", () => {
  check([ADD_A, READ_W], [RC, RR, SI, PSI]);
});

test("one reader of one row follows its writer", () => {
  check([ADD_A, READ_A], [RC, RR, SI]);
});

test("one statement alone sees one state; two see two", () => {
  check([`${ADD_A}\n${ADD_B}`, READ_A, READ_B], [RC, RR, SI]);
  check([`${ADD_A}\n${ADD_B}`, `${READ_A}\n${READ_B}`], [RR, SI]);
});

test("what is read before everything else, and then not used up by anybody", () => {
  check([`${READ_B}\n${ADD_A}`, ADD_B], [RR, SI]);
  check([`${ADD_A}\n${READ_B}`, ADD_B], [RC, RR, SI]);
});

test("a row that is inserted again by who did not see it deleted", () => {
  const again = "INSERT INTO a (id, v, w) VALUES (:id, 1, 1);";
  check([`${READ_A}\n${again}`, "DELETE FROM a WHERE id = :id;"], []);
});

test("read, then written: lost where each statement has a snapshot", () => {
  check([`${READ_A}\nUPDATE a SET v = :x + 1 WHERE id = :id;`], [RR, SI, PSI]);
  check(
    [`${READ_A.replace(" \\gset", " FOR UPDATE \\gset")}\nUPDATE a SET v = :x + 1 WHERE id = :id;`],
    [RC, RR, SI, PSI],
  );
});

test("another row than the one that is written", () => {
  check([`${READ_A}\nUPDATE a SET v = :x + 1 WHERE id = :other;`], []);
});

test("write skew over two tables", () => {
  check([`${READ_A}\n${ADD_B}`, `${READ_B}\n${ADD_A}`], []);
});

test("one side of it alone", () => {
  check([`${READ_A}\n${ADD_B}`, ADD_A], [RR, SI]);
});

test("the read-only transaction anomaly", () => {
  check([`${READ_A}\n${READ_B}`, `${READ_A}\n${ADD_B}`, ADD_A], []);
});

test("conditions on what is written are looked for in a snapshot", () => {
  check(["UPDATE a SET v = v + 1 WHERE w > 1;", "UPDATE a SET w = 1 WHERE id = :id;"], []);
});

test("one row is looked at once, and what does not match stays as it is", () => {
  check(["UPDATE a SET v = v - 1 WHERE id = :id AND v > 0;"], [RC]);
});

test("locks are given up with what is undone", () => {
  const locked = `SAVEPOINT s;\n${READ_A.replace(" \\gset", " FOR UPDATE \\gset")}\nROLLBACK TO s;`;
  check([`${locked}\nUPDATE b SET v = :x WHERE id = :id;`, `${READ_B}\n${ADD_A}`], []);
});

test("thirty transactions take a few dozen milliseconds of computing", () => {
  const bodies = Array.from(
    { length: 30 },
    (_, at) => `${READ_A}\n${at % 2 === 0 ? ADD_A : ADD_B}\n${READ_B}`,
  );
  check(bodies, []);
});

test("insertions of keys that must be new", () => {
  check(["INSERT INTO b (id, v) VALUES (:id, 1);"], [RC, RR, SI, PSI]);
});

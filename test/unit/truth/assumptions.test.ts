// Verdicts that rest on what holds between transactions: with it, without it, and where a transaction breaks it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LevelReport } from "../../../server/src/protocol/report";
import { analyse, app, sql, tuples } from "./analyse";

/** Kind and text of what a report assumes. */
function assumed(report: LevelReport): readonly string[] {
  return report.assumptions.map(({ kind, text }) => `${kind} ${text}`);
}

/** TPC-C without the transactions that do not name orders. */
function orders(): string {
  const text = app("tpcc")
    .map((file) => file.text)
    .join("\n");
  const parts = text.split(/(?=^CREATE FUNCTION)/mu);
  return parts.filter((part) => !/^CREATE FUNCTION (?:payment|stock_level)/u.test(part)).join("");
}

const COUNTER = "< district.d_next_o_id where";

test("row 9: orders, their status and their delivery are serializable at SI, by inferred counters", async () => {
  const report = await analyse([sql(orders())], "snapshot-isolation", 3);
  assert.deepEqual(tuples(report), []);
  const counters = assumed(report).filter((each) => each.startsWith("counter orders.o_id"));
  assert.ok(counters.length === 1 && counters.every((each) => each.includes(COUNTER)));
});

/** The heart of it: the oldest open entry is closed, and somebody counts the open ones. */
const QUEUE = `
CREATE TABLE queue (id integer PRIMARY KEY, next integer NOT NULL);
CREATE TABLE entry (q integer, n integer, open boolean NOT NULL, PRIMARY KEY (q, n));
CREATE FUNCTION add(a integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v integer;
BEGIN
  UPDATE queue SET next = next + 1 WHERE id = a RETURNING next INTO v;
  INSERT INTO entry VALUES (a, v, true);
END $$;
CREATE FUNCTION waiting(a integer) RETURNS bigint LANGUAGE sql AS
  'SELECT count(*) FROM entry WHERE q = a AND open';
CREATE FUNCTION finish(a integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v integer;
BEGIN
  SELECT min(n) INTO v FROM entry WHERE q = a AND open;
  UPDATE entry SET open = false WHERE q = a AND n = v;
END $$;`;

test("a queue is serializable at snapshot isolation while numbers only grow", async () => {
  for (const level of ["snapshot-isolation", "postgres:repeatable-read"]) {
    const report = await analyse([sql(QUEUE)], level, 3);
    assert.deepEqual([report.verdict, tuples(report)], ["safe", []], level);
    assert.deepEqual(assumed(report), ["counter entry.n <= queue.next where entry.q = queue.id"]);
    const reset = `CREATE FUNCTION reset(a integer, b integer) RETURNS void LANGUAGE sql AS
      'UPDATE queue SET next = b WHERE id = a';`;
    const weak = await analyse([sql(QUEUE + reset)], level, 3);
    assert.ok(tuples(weak).includes("add+finish+waiting"), `${level}: ${tuples(weak).join()}`);
    assert.deepEqual(assumed(weak), []);
    const said = `-- @isolens invariant entry.n <= queue.next where entry.q = queue.id\n${QUEUE}`;
    const told = await analyse([sql(said)], level, 3);
    assert.deepEqual([told.verdict, tuples(told)], ["safe", []], level);
    assert.deepEqual(
      assumed(told),
      ["invariant entry.n <= queue.next where entry.q = queue.id"],
      "what the user says is not inferred again",
    );
  }
});

const SHIFTS = `
CREATE TABLE doctor (id integer PRIMARY KEY, shift integer NOT NULL, hours integer NOT NULL);
CREATE FUNCTION rest(a integer, b integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE mine integer; theirs integer;
BEGIN
  SELECT hours INTO mine FROM doctor WHERE id = a;
  SELECT hours INTO theirs FROM doctor WHERE id = b;
  IF mine + theirs > 20 THEN
    UPDATE doctor SET hours = 0 WHERE id = a;
  END IF;
END $$;`;

test("an invariant that keeps a guard from being true makes the write skew impossible", async () => {
  const level = "postgres:repeatable-read";
  const free = await analyse([sql(SHIFTS)], level, 2);
  assert.deepEqual([free.verdict, tuples(free)], ["anomaly", ["rest+rest"]]);
  const few = await analyse([sql(`-- @isolens invariant doctor.hours <= 10\n${SHIFTS}`)], level, 2);
  assert.deepEqual([few.verdict, tuples(few)], ["safe", []]);
  assert.deepEqual(assumed(few), ["invariant doctor.hours <= 10"]);
  const many = await analyse(
    [sql(`-- @isolens invariant doctor.hours <= 11\n${SHIFTS}`)],
    level,
    2,
  );
  assert.deepEqual([many.verdict, tuples(many)], ["anomaly", ["rest+rest"]]);
  for (const row of many.anomalies[0]?.witness.initial["doctor"] ?? [])
    assert.ok(Number(row["hours"]) <= 11, JSON.stringify(row));
});

test("the same by a CHECK, and by what is said of arguments", async () => {
  const level = "postgres:repeatable-read";
  const checked = SHIFTS.replace(
    "hours integer NOT NULL",
    "hours integer NOT NULL CHECK (hours < 11)",
  );
  const report = await analyse([sql(checked)], level, 2);
  assert.deepEqual([report.verdict, assumed(report)], ["safe", ["check doctor.hours < 11"]]);
  const same = SHIFTS.replace("DECLARE", "-- @isolens invariant a = b\nDECLARE");
  const alone = await analyse([sql(same)], level, 2);
  assert.deepEqual([alone.verdict, assumed(alone)], ["safe", ["invariant a = b in rest"]]);
});

test("a verdict that rests on an invariant which a transaction breaks is unknown", async () => {
  const breaking = `-- @isolens invariant doctor.hours <= 10
${SHIFTS}
CREATE FUNCTION work(a integer) RETURNS void LANGUAGE sql AS 'UPDATE doctor SET hours = hours + 1 WHERE id = a';`;
  const report = await analyse([sql(breaking)], "postgres:serializable", 2);
  assert.equal(report.verdict, "safe");
  const weak = await analyse([sql(breaking)], "postgres:repeatable-read", 2);
  assert.equal(weak.verdict, "unknown");
  const reasons = weak.unknown.map(({ reason }) => reason).join("\n");
  assert.match(reasons, /rests on the invariant "doctor.hours <= 10", and work can break it/);
});

test("contradictory invariants leave the verdict open and are not used", async () => {
  const text = `-- @isolens invariant doctor.hours < 5\n-- @isolens invariant doctor.hours > 5\n${SHIFTS}`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.deepEqual(tuples(report), ["rest+rest"]);
  assert.match(report.unknown[0]?.reason ?? "", /^No rows satisfy/);
});

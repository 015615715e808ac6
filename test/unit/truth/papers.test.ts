// Verdicts at the papers' levels on the papers' own benchmarks (Rahmani et al. OOPSLA 2019, Nagar and Jagannathan CONCUR
// 2018): which transactions have an anomaly over which tables, up to which level, and what needs four transactions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { planPapers, solvePapers } from "../../../server/src/analysis/search/literature/backend";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { PAPER_LEVELS } from "../../../server/src/isolation/levels";
import type { PaperLevelName } from "../../../server/src/isolation/levels";
import type { LevelReport } from "../../../server/src/protocol/report";
import { analyse, app, members, sql, tuples, verdicts } from "./analyse";

/** "A+B table": confirmed anomalies over one table. */
function overOneTable(report: LevelReport): ReadonlySet<string> {
  const single = report.anomalies.filter(
    ({ status, tables }) => status === "confirmed" && tables.length === 1,
  );
  return new Set(single.map((each) => `${members(each)} ${each.tables.join()}`));
}

test("row 7: TPC-C at eventual consistency", async () => {
  const found = overOneTable(await analyse(app("tpcc"), "eventual", 2));
  for (const expected of [
    "payment+payment warehouse",
    "payment+payment district",
    "payment+payment customer",
    "new_order+new_order district",
    "new_order+new_order stock",
    "delivery+delivery customer",
    "delivery+delivery new_order",
    "delivery+payment customer",
  ])
    assert.ok(found.has(expected), `${expected} among ${[...found].sort().join(", ")}`);
  assert.deepEqual(
    [...found].filter((each) => each.includes("history")),
    [],
    "rows of history are only inserted",
  );
});

test("row 8: TPC-C at parallel snapshot isolation has no cycle of two or three", async () => {
  assert.deepEqual(tuples(await analyse(app("tpcc"), "parallel-snapshot-isolation", 3)), []);
});

test("row 8: TPC-C at parallel snapshot isolation has a long fork of four", async () => {
  assert.deepEqual(
    await tablesOf("tpcc", "parallel-snapshot-isolation", [
      "new_order",
      "order_status",
      "payment",
      "order_status",
    ]),
    ["customer orders"],
  );
  assert.deepEqual(
    await tablesOf("tpcc", "parallel-snapshot-isolation", [
      "new_order",
      "stock_level",
      "new_order",
      "stock_level",
    ]),
    ["stock"],
  );
});

test("row 8b: TPC-C at PostgreSQL's read committed", async () => {
  const report = await analyse(app("tpcc"), "postgres:read-committed", 2);
  assert.deepEqual(verdicts(report), [
    "delivery+delivery state",
    "delivery+order_status value",
    "delivery+payment state",
    "new_order+stock_level value",
    "payment+payment state",
  ]);
  assert.ok(report.anomalies.every((each) => each.status === "confirmed"));
});

test("row 9: TPC-C at snapshot isolation has nothing", async () => {
  assert.deepEqual(tuples(await analyse(app("tpcc"), "snapshot-isolation", 3)), []);
  for (const four of [
    ["new_order", "order_status", "payment", "order_status"],
    ["new_order", "stock_level", "new_order", "stock_level"],
    ["new_order", "order_status", "delivery", "order_status"],
  ])
    assert.deepEqual(await tablesOf("tpcc", "snapshot-isolation", four), []);
});

test("row 10: Courseware at eventual consistency", async () => {
  const found = tuples(await analyse(app("courseware"), "eventual", 2));
  for (const expected of [
    "enroll+enroll",
    "add_course+add_course",
    "add_student+add_student",
    "enroll+remove_course",
    "enroll+remove_student",
  ])
    assert.ok(found.includes(expected), `${expected} among ${found.join(", ")}`);
});

test("row 13: TATP mixes dirty writes at eventual consistency alone", async () => {
  const update = "UpdateSubscriberData+UpdateSubscriberData";
  assert.ok(tuples(await analyse(app("tatp"), "eventual", 2)).includes(update));
  for (const level of ["read-committed", "causal", "prefix", "parallel-snapshot-isolation"])
    assert.deepEqual(tuples(await analyse(app("tatp"), level, 3)), [], level);
  assert.deepEqual(tuples(await analyse(app("tatp"), "snapshot-isolation", 3)), []);
  const postgres = await analyse(app("tatp"), "postgres:read-committed", 2);
  assert.deepEqual([postgres.verdict, postgres.unknown], ["safe", []]);
});

const FORK = `
CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE u (id integer PRIMARY KEY, v integer NOT NULL);
CREATE FUNCTION set_t(k integer, x integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET v = x WHERE id = k;
END $$;
CREATE FUNCTION set_u(k integer, x integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE u SET v = x WHERE id = k;
END $$;
CREATE FUNCTION look(k integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE a integer; b integer;
BEGIN
  SELECT v INTO a FROM t WHERE id = k;
  SELECT v INTO b FROM u WHERE id = k;
  RETURN a * 1000 + b;
END $$;`;

test("row 14: a long fork takes four, and is there up to parallel snapshot isolation", async () => {
  for (const level of ["read-atomic", "causal", "parallel-snapshot-isolation"]) {
    const report = await analyse([sql(FORK)], level, 4);
    assert.deepEqual(tuples(report), ["look+look+set_t+set_u"], level);
    assert.deepEqual(report.anomalies[0]?.preventedBy, [
      "prefix",
      "snapshot-isolation",
      "serializable",
    ]);
    assert.deepEqual(tuples(await analyse([sql(FORK)], level, 3)), [], level);
  }
  for (const level of ["prefix", "snapshot-isolation"])
    assert.deepEqual(tuples(await analyse([sql(FORK)], level, 4)), [], level);
});

test("nothing at serializability", async () => {
  for (const name of ["tpcc", "courseware", "tatp"])
    assert.deepEqual(tuples(await analyse(app(name), "serializable", 4)), [], name);
  // Nothing is planned there; the solver refuses as well what is an anomaly at weaker levels.
  for (const [name, necklace] of [
    ["courseware", ["enroll", "enroll"]],
    ["courseware", ["enroll", "remove_course"]],
    ["tpcc", ["payment", "payment"]],
    ["tpcc", ["new_order", "order_status", "payment", "order_status"]],
  ] as const) {
    assert.deepEqual(await findingsOf(name, "serializable", necklace), [], necklace.join());
  }
});

/** The tables of each confirmed finding of one necklace. */
async function tablesOf(
  name: string,
  levelName: PaperLevelName,
  necklace: readonly string[],
): Promise<readonly string[]> {
  const { flat, level, transactions } = await necklaceOf(name, levelName, necklace);
  const planned = planPapers(flat, level, necklace.length).some((unit) =>
    rotations(transactions).includes(unit.transactions.join()),
  );
  return planned ? findingsOf(name, levelName, necklace) : [];
}

/** The same, whether or not the necklace is planned at that level. */
async function findingsOf(
  name: string,
  levelName: PaperLevelName,
  necklace: readonly string[],
): Promise<readonly string[]> {
  const { program, flat, level, transactions } = await necklaceOf(name, levelName, necklace);
  const limits = { resourceLimit: 3_000_000, maxFindings: 4, stopped: () => false };
  const { findings } = solvePapers(await openZ3(), program, flat, level, { transactions }, limits);
  for (const { confirmation } of findings) assert.equal(confirmation.status, "confirmed");
  return findings.map(({ tables }) => tables.join(" "));
}

async function necklaceOf(name: string, levelName: PaperLevelName, necklace: readonly string[]) {
  const program = readProgram(app(name), { pg: await loadPgParser() });
  const flat = flattenProgram(program, { unroll: 1 });
  const level = PAPER_LEVELS.find((each) => each.name === levelName);
  assert.ok(level);
  const transactions = necklace.map((id) => flat.transactions.findIndex((each) => each.id === id));
  assert.ok(!transactions.includes(-1), necklace.join());
  return { program, flat, level, transactions };
}

function rotations(sequence: readonly number[]): readonly string[] {
  return sequence.map((_, by) => [...sequence.slice(by), ...sequence.slice(0, by)].join());
}

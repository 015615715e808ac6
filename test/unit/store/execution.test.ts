// The record of a run: reads with their writers, writes with what was before, waiting, dependencies.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ScheduleStep } from "../../../server/src/protocol/witness";
import type { Execution } from "../../../server/src/store/execution";
import { runSchedule } from "../../../server/src/store/run";
import { instances, levelOf, programOf, rowsOf, table } from "./programs";

const TABLES = [table("t", { id: "int", v: "int" })];

function run(
  level: string,
  scripts: Readonly<Record<string, string>>,
  schedule: readonly ScheduleStep[],
): Execution {
  const result = runSchedule(programOf(scripts, TABLES), levelOf(level), {
    instances: instances(...Object.keys(scripts)),
    initial: { t: rowsOf({ 1: 10, 2: 20 }) },
    schedule,
  });
  assert.ok(result.ok, result.ok ? "" : result.reason);
  return result.execution;
}

function step(instance: string, statement: number | "commit", ...sees: string[]): ScheduleStep {
  return { instance, statement, sees };
}

function reads(execution: Execution, index: number): readonly string[] {
  return (execution.steps[index]?.reads ?? []).map(
    (read) => `${read.key}.${read.column}=${String(read.value)}<${read.writer ?? "initial"}`,
  );
}

describe("what a run records", () => {
  it("a point read reads its row and no other", () => {
    const execution = run(
      "pg:rc",
      { W: "UPDATE t SET v = 11 WHERE id = 1;", R: "SELECT v FROM t WHERE id = 1;" },
      [step("T1", 1), step("T1", "commit"), step("T2", 1, "T1"), step("T2", "commit")],
    );
    assert.deepEqual(reads(execution, 2), ["1.@=true<initial", "1.v=11<T1"]);
    assert.deepEqual(execution.steps[0]?.writes, [
      { table: "t", key: "1", column: "v", value: 11, before: 10 },
    ]);
    assert.deepEqual(
      execution.dependencies.map((each) => [each.dependency, each.from, each.to, each.columns]),
      [["wr", 0, 2, ["v"]]],
    );
  });

  it("an INSERT that does nothing depends on the row that is there", () => {
    const execution = run(
      "pg:rc",
      {
        I: "INSERT INTO t (id, v) VALUES (1, 5) ON CONFLICT DO NOTHING;",
        D: "DELETE FROM t WHERE id = 1;",
      },
      [step("T1", 1), step("T2", 1), step("T2", "commit"), step("T1", "commit")],
    );
    assert.deepEqual(reads(execution, 0), ["1.@=true<initial"]);
    assert.deepEqual(
      execution.dependencies.map((each) => [each.dependency, each.from, each.to, each.columns]),
      [["rw", 0, 1, ["@"]]],
    );
  });

  it("a search reads its condition on every row, matching or not", () => {
    const execution = run("pg:rc", { R: "SELECT id FROM t WHERE v > 15;" }, []);
    assert.deepEqual(reads(execution, 0), [
      "1.@=true<initial",
      "1.v=10<initial",
      "2.@=true<initial",
      "2.v=20<initial",
      "2.id=2<initial",
    ]);
  });

  it("a subquery in a key condition is read as well", () => {
    const execution = run(
      "pg:rc",
      { R: "SELECT v FROM t WHERE id = (SELECT min(id) FROM t);" },
      [],
    );
    assert.ok(reads(execution, 0).includes("2.@=true<initial"));
  });

  it("a deleted row is read by who misses it", () => {
    const execution = run(
      "pg:rc",
      { D: "DELETE FROM t WHERE id = 2;", R: "SELECT count(*) AS n FROM t;" },
      [step("T1", 1), step("T1", "commit"), step("T2", 1, "T1")],
    );
    assert.deepEqual(reads(execution, 2), ["1.@=true<initial", "2.@=false<T1"]);
    assert.deepEqual(
      execution.dependencies.map((each) => [each.dependency, each.from, each.to, each.predicate]),
      [["wr", 0, 2, true]],
    );
  });

  it("a statement that waited says for whom, and reads the newest version", () => {
    const execution = run(
      "pg:rc",
      { A: "UPDATE t SET v = v + 1 WHERE id = 1;", B: "UPDATE t SET v = v + 1 WHERE id = 1;" },
      [step("T1", 1), step("T2", 1), step("T1", "commit"), step("T2", "commit")],
    );
    const waited = execution.steps.find((each) => each.instance === "T2");
    assert.equal(waited?.waitedFor, "T1");
    assert.deepEqual(waited.sees, []);
    assert.deepEqual(
      waited.reads.map((read) => [read.column, read.value, read.writer]),
      [
        ["@", true, null],
        ["id", 1, null],
        ["v", 11, "T1"],
      ],
    );
    assert.deepEqual(execution.outcome.final["t"], rowsOf({ 1: 12, 2: 20 }));
  });

  it("an insert that a search would have met is a predicate dependency, others are not", () => {
    const scripts = {
      R: "SELECT count(*) AS n FROM t WHERE v > 15;",
      A: "INSERT INTO t (id, v) VALUES (3, 30);",
      B: "INSERT INTO t (id, v) VALUES (4, 1);",
    };
    const execution = run("pg:rc", scripts, [step("T1", 1), step("T2", 1), step("T3", 1)]);
    assert.deepEqual(
      execution.dependencies.map((each) => [
        each.dependency,
        execution.steps[each.to]?.instance,
        each.predicate,
      ]),
      [["rw", "T2", true]],
    );
  });

  it("a change that makes no row match or cease to match is vacuous for who tested the row", () => {
    const scripts = {
      R: "SELECT count(*) AS n FROM t WHERE v > 15;",
      A: "UPDATE t SET v = 11 WHERE id = 1;",
      B: "UPDATE t SET v = 30 WHERE id = 1;",
    };
    const vacuous = (writer: string) => {
      const execution = run("pg:rc", { R: scripts.R, W: writer }, [step("T1", 1), step("T2", 1)]);
      return execution.dependencies.map((each) => [each.dependency, each.isVacuous ?? false]);
    };
    assert.deepEqual(vacuous(scripts.A), [["rw", true]]);
    assert.deepEqual(vacuous(scripts.B), [["rw", false]]);
  });

  it("reads of a transaction's own writes are no dependencies", () => {
    const execution = run(
      "pg:rc",
      { A: "UPDATE t SET v = 1 WHERE id = 1;\nSELECT v FROM t WHERE id = 1;" },
      [],
    );
    assert.deepEqual(execution.dependencies, []);
    assert.deepEqual(execution.outcome.returned["T1"], ["v = 1"]);
  });
});

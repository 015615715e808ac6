// Static analysis, exhaustive exploration and history checker on random programs and on some with known answers.
// `npm run agree:engines` does it on thousands.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomSeed } from "../analysis/agreementRuns";
import { chooser } from "../analysis/productsHarness";
import {
  randomTransactions,
  routinesText,
  type RandomTransactions,
} from "../analysis/randomTransactions";
import { ENGINE_LEVELS, type EngineLevel } from "./compareEngines";
import { compareProgram } from "./engineRuns";

/** As many as pass within seconds; thousands have passed. */
const PROGRAMS = 12;

/** Compares at all levels, and expects an anomaly at just these. */
async function check(
  transactions: RandomTransactions,
  anomalous: readonly EngineLevel[],
): Promise<void> {
  const results = await compareProgram(transactions, ENGINE_LEVELS);
  const told = results.map(({ level, kind, reasons }) => `${level}: ${kind} ${reasons.join("; ")}`);
  assert.ok(
    results.every(({ kind }) => kind === "same"),
    told.join("\n"),
  );
  const shown = results.filter((each) => each.shown !== "none").map(({ level }) => level);
  assert.deepEqual(shown, anomalous);
  const claimed = results.filter((each) => each.claimed !== "none").map(({ level }) => level);
  assert.deepEqual(claimed, anomalous);
}

const BELOW_SNAPSHOT = ENGINE_LEVELS.slice(0, 4);
const BELOW_SERIALIZABLE = ENGINE_LEVELS.slice(0, 6);

const readOf = (id: number, into: "x1" | "x2") =>
  ({
    sql: `SELECT v FROM t WHERE id = ${String(id)}`,
    into,
    as: "value of v, -1 if no row",
  }) as const;

describe("three engines agree on", () => {
  it("a lost update", () =>
    check([[readOf(1, "x1"), { sql: "UPDATE t SET v = :x1 + 1 WHERE id = 1" }]], BELOW_SNAPSHOT));

  it("write skew", () =>
    check(
      [
        [readOf(1, "x1"), { sql: "UPDATE t SET v = :x1 + 1 WHERE id = 2" }],
        [readOf(2, "x1"), { sql: "UPDATE t SET v = :x1 + 1 WHERE id = 1" }],
      ],
      BELOW_SERIALIZABLE,
    ));

  it("a read that is not repeated, and a statement that is not torn", async () => {
    const sum = {
      sql: "SELECT coalesce(sum(v), 0) AS v FROM t",
      into: "x2",
      as: "value of v, -1 if no row",
    } as const;
    const writes = [
      { sql: "UPDATE t SET v = 7 WHERE id = 1" },
      { sql: "UPDATE t SET v = 9 WHERE id = 2" },
    ];
    await check([[sum], writes], []);
    const carried = { sql: "UPDATE t SET v = :x1 WHERE id = 3" };
    await check([[readOf(1, "x1"), sum, carried], writes], ["read-committed"]);
  });

  it("three of which two form a cycle that is harmless by itself", async () => {
    const program: RandomTransactions = [
      [
        {
          sql: "SELECT coalesce(sum(v), 0) AS v FROM t",
          into: "x1",
          as: "value of v, -1 if no row",
        },
      ],
      [{ sql: "UPDATE t SET v = v + 10 WHERE v >= 5" }],
      [{ sql: "UPDATE t SET v = 2 WHERE v = 5" }],
    ];
    const results = await compareProgram(program, ["prefix"]);
    assert.ok(results.every(({ kind }) => kind === "same"));
    const three = results.at(-1);
    const pairs = results.slice(0, -1);
    assert.ok(pairs.every(({ shown, claimed }) => shown === "none" && claimed === "none"));
    assert.ok(three?.transactions.length === 3 && three.shown !== "none");
  });

  it("a changed row is there for those who see its insert", async () => {
    const program: RandomTransactions = [
      [
        {
          sql: "SELECT coalesce(sum(v), 0) AS v FROM t",
          into: "x1",
          as: "value of v, -1 if no row",
        },
      ],
      [{ sql: "DELETE FROM t WHERE id = 2" }, { sql: "INSERT INTO t (id, v) VALUES (3, 1)" }],
      [{ sql: "UPDATE t SET v = v + 5 WHERE id = 3" }],
    ];
    const three = (await compareProgram(program, ["read-atomic"])).at(-1);
    assert.ok(three?.transactions.length === 3 && three.merged > 0);
    assert.deepEqual([three.kind, three.shown, three.claimed], ["same", "none", "none"]);
  });

  it(`${String(PROGRAMS)} random programs`, async () => {
    const sums = { anomalous: 0, benign: 0 };
    for (let number = 1; number <= PROGRAMS; number += 1) {
      const transactions = randomTransactions(chooser(randomSeed(7, number)));
      for (const result of await compareProgram(transactions, ENGINE_LEVELS)) {
        const { kind, level, reasons } = result;
        const text = `${level}: ${kind}; ${reasons.join("; ")}\n${routinesText(result.transactions)}`;
        assert.ok(kind === "same" || kind === "open", text);
        sums.anomalous += result.anomalous;
        sums.benign += result.benign;
      }
    }
    assert.ok(sums.anomalous > 50 && sums.benign > 50, JSON.stringify(sums));
  });
});

// The search against exhaustive enumeration: what no interleaving shows may not be found, and what some interleaving of
// a random small program shows must be found.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { planProduct, solveProduct } from "../../../server/src/analysis/search/products";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import {
  labelOfLevels,
  productLevelAt,
  type Levels,
} from "../../../server/src/isolation/mixedLevels";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import type { Execution, Setup } from "../../../server/src/store/execution";
import { NotExecutable } from "../../../server/src/store/failure";
import { permutations } from "../../../server/src/store/permutations";
import { runSerial } from "../../../server/src/store/run";
import { toExecution } from "../../../server/src/store/toExecution";

const solvers = openZ3();
const SEVERITIES = ["", "unused", "value", "state"];
const STARTS = [[1, 2], [5, 5], [6, 0], [7, 1, 3], [-3, 5], [12, 12], [3]];

type Choose = <T>(items: readonly [T, ...T[]]) => T;

/** A linear congruential generator: the same programs on every run. */
function chooser(seed: number): Choose {
  let state = seed;
  return (items) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return items[(state >>> 8) % items.length] ?? items[0];
  };
}

function statement(choose: Choose, number: number, known: string[]): string {
  const key = choose(["1", "2"]);
  const constant = choose(["1", "2", "5"]);
  const [first, ...others] = known;
  const value = first === undefined ? constant : `:${choose([first, ...others])}`;
  const name = `x${String(number)}`;
  const reads: readonly [string, ...string[]] = [
    `SELECT v AS ${name} FROM t WHERE id = ${key}`,
    `SELECT v AS ${name} FROM t WHERE id = ${key} FOR UPDATE`,
    `SELECT v AS ${name} FROM t WHERE id = ${key} FOR SHARE`,
    `SELECT count(*) AS ${name} FROM t WHERE v >= ${constant}`,
    `SELECT coalesce(sum(v), 0) AS ${name} FROM t`,
    `SELECT coalesce(max(v), 0) AS ${name} FROM t WHERE v <= 6`,
  ];
  const writes: readonly [string, ...string[]] = [
    `UPDATE t SET v = v + ${value} WHERE id = ${key}`,
    `UPDATE t SET v = ${value} + 1 WHERE id = ${key}`,
    `UPDATE t SET v = v - ${constant} WHERE id = ${key} AND v >= ${constant}`,
    `UPDATE t SET v = v + 10 WHERE v >= 2`,
    `INSERT INTO t (id, v) VALUES (3, ${value})`,
    `INSERT INTO t (id, v) VALUES (2, ${value}) ON CONFLICT (id) DO UPDATE SET v = t.v + 1`,
    `DELETE FROM t WHERE id = ${key}`,
  ];
  if (choose(["read", "write"]) === "write") return `${choose(writes)};`;
  known.push(name);
  return `${choose(reads)} \\gset`;
}

function randomProgram(choose: Choose): string {
  const scripts = ["a", "b"].map((name) => {
    const known: string[] = [];
    const count = choose([1, 2, 3]);
    const lines = Array.from({ length: count }, (_, number) => statement(choose, number, known));
    return `-- @transaction ${name}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
  });
  return `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n${scripts.join("")}`;
}

/** The worst confirmed severity of one instance each of the two transactions. */
async function found(program: Program, levels: Levels): Promise<string> {
  const flat = flattenProgram(program, { unroll: 1 });
  const limits = { resourceLimit: 3_000_000, maxFindings: 5, stopped: () => false };
  let worst = "";
  for (const unit of planProduct(flat, levels, 2)) {
    if (unit.transactions[0] === unit.transactions[1]) continue;
    const result = solveProduct(await solvers, program, flat, levels, unit, limits);
    for (const { confirmation } of result.findings)
      if (confirmation.status === "confirmed") worst = severer(worst, confirmation.severity ?? "");
  }
  return worst;
}

/** The worst severity over all interleavings and some states at the start. */
function enumerated(program: Program, levels: Levels): string {
  let worst = "";
  for (const start of STARTS) {
    const setup: Setup = {
      instances: program.transactions.map(({ id }, at) => ({
        instance: `T${String(at + 1)}`,
        transaction: id,
        arguments: {},
      })),
      initial: { t: start.map((v, at) => ({ id: at + 1, v })) },
    };
    for (const execution of executions(program, setup, levels))
      worst = severer(worst, severityOf(program, setup, execution));
  }
  return worst;
}

function executions(program: Program, setup: Setup, levels: Levels): readonly Execution[] {
  try {
    const transactions = new Map(setup.instances.map((each) => [each.instance, each.transaction]));
    const levelOf = (instance: string) => productLevelAt(levels, transactions.get(instance) ?? "");
    const { runs } = enumerateProduct(program, setup, levelOf, 2000);
    return runs
      .map(toExecution)
      .filter(({ outcome }) => Object.values(outcome.status).every((how) => how === "committed"));
  } catch (problem) {
    // What the store does not represent says nothing.
    if (problem instanceof NotExecutable) return [];
    throw problem;
  }
}

function severityOf(program: Program, setup: Setup, execution: Execution): string {
  const names = setup.instances.map((each) => each.instance);
  const serial = permutations(names).map((order) => runSerial(program, setup, order));
  const differs = (view: (each: Execution) => unknown): boolean =>
    serial.every(
      (each) => each.ok && JSON.stringify(view(each.execution)) !== JSON.stringify(view(execution)),
    );
  if (differs((each) => each.outcome.final)) return "state";
  if (differs((each) => each.outcome)) return "value";
  return differs((each) => [each.outcome, each.observed]) ? "unused" : "";
}

function severer(a: string, b: string): string {
  return SEVERITIES.indexOf(b) > SEVERITIES.indexOf(a) ? b : a;
}

/** Checks `rounds` random programs; returns how many of them have an anomaly. */
async function checkRandom(
  seed: number,
  rounds: number,
  levelsOf: (program: Program) => readonly Levels[],
): Promise<number> {
  const choose = chooser(seed);
  let anomalous = 0;
  for (let round = 0; round < rounds; round += 1) {
    const text = randomProgram(choose);
    // Any name will do for the only file.
    const program = readProgram([{ file: "random.sql" as FileId, text }], {});
    for (const levels of levelsOf(program)) {
      const [shown, claimed] = [enumerated(program, levels), await found(program, levels)];
      assert.equal(
        severer(shown, claimed),
        claimed,
        `${labelOfLevels(levels)}: ${shown} missed in\n${text}`,
      );
      if (claimed !== "") anomalous += 1;
    }
  }
  return anomalous;
}

/** Every mixture of two levels. */
function mixtures(program: Program): readonly Levels[] {
  const [first = "", second = ""] = program.transactions.map((each) => each.id);
  return PRODUCT_LEVELS.flatMap((a) =>
    PRODUCT_LEVELS.filter((b) => b !== a).map((b): Levels => ({
      family: "mixed",
      perTransaction: { [first]: a, [second]: b },
      serializablePairs: [],
    })),
  );
}

test("random pairs: nothing that enumeration shows is missed", async () => {
  const single = PRODUCT_LEVELS.filter((each) => !each.serializable);
  const anomalous = await checkRandom(20, 40, () => single);
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

test("random pairs at two levels: nothing that enumeration shows is missed", async () => {
  const anomalous = await checkRandom(7, 20, mixtures);
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

// Properties of the store over random programs: its drivers agree with each other, what it ran can be run again, and
// no outcome is anomalous without a cycle.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MODELLED_LEVELS } from "../../../server/src/isolation/levels";
import { confirm } from "../../../server/src/store/confirm";
import { enumeratePrefix, enumerateProduct } from "../../../server/src/store/enumerate";
import type { Setup } from "../../../server/src/store/execution";
import { observedOf, outcomeOf } from "../../../server/src/store/toExecution";
import type { Run } from "../../../server/src/store/runRecord";
import type { Program } from "../../../server/src/program/program";
import type { Scenario } from "./outcomes";
import { instances, levelOf, productOf, programOf } from "./programs";
import { randomScenario, type Flavour } from "./randomPrograms";

const PLAIN: Flavour = { rows: false, locks: false, rollbacks: false, transactions: 2 };
const FULL: Flavour = { rows: true, locks: true, rollbacks: true, transactions: 2 };
const THREE: Flavour = { rows: true, locks: false, rollbacks: false, transactions: 3 };
const LIMIT = 20_000;

function read(scenario: Scenario): { program: Program; setup: Setup } {
  const program = programOf(scenario.scripts, scenario.tables);
  return {
    program,
    setup: { instances: instances(...Object.keys(scenario.scripts)), initial: scenario.initial },
  };
}

function text(run: Run): string {
  const { final, status, returned } = outcomeOf(run);
  return JSON.stringify([final, status, returned]);
}

function seeds(count: number, start: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => start + index);
}

describe("random programs", () => {
  for (const [paper, product] of [
    ["snapshot-isolation", "pg:rr"],
    ["serializable", "pg:ser"],
    ["serializable", "mariadb:serializable"],
    ["serializable", "sqlserver:serializable"],
    ["snapshot-isolation", "oracle:serializable"],
  ] as const)
    it(`${paper} and ${product} give the same without inserts and locks`, () => {
      const level = levelOf(paper);
      for (const seed of seeds(60, 1)) {
        const { program, setup } = read(randomScenario(seed, PLAIN));
        if (level.family !== "paper") throw new Error(paper);
        const byPaper = new Set(enumeratePrefix(program, setup, level).runs.map(text));
        const { runs } = enumerateProduct(program, setup, () => productOf(product), LIMIT);
        assert.deepEqual([...new Set(runs.map(text))].sort(), [...byPaper].sort(), `seed ${seed}`);
      }
    });

  for (const [name, flavour, count] of [
    ["two transactions", FULL, 40],
    ["three transactions", THREE, 6],
  ] as const)
    it(`what ran is run again and judged: ${name}`, () => {
      for (const seed of seeds(count, 500))
        checkReplays(randomScenario(seed, flavour), seed, ["pg:rc", "pg:rr", "pg:ser"]);
    });

  it("what ran is run again and judged: other products", () => {
    const levels = MODELLED_LEVELS.filter(({ product }) => product !== "postgres");
    for (const seed of seeds(90, 900)) {
      // One level per program: together they meet all.
      const level = levels[seed % levels.length]?.name ?? "";
      checkReplays(randomScenario(seed, FULL), seed, [level]);
    }
  });

  it("levels that promise it give serial outcomes only, inserts, deletes and locks included", () => {
    const levels = MODELLED_LEVELS.filter(({ serializable }) => serializable);
    for (const seed of seeds(40, 2000)) {
      const level = levels[seed % levels.length]?.name ?? "";
      checkReplays(randomScenario(seed, FULL), seed, [level]);
    }
  });
});

/** Every distinct run is a plan: it must run again, and be an anomaly only with a cycle. */
function checkReplays(scenario: Scenario, seed: number, levels: readonly string[]): void {
  const { program, setup } = read(scenario);
  for (const level of levels) {
    const all = enumerateProduct(program, setup, () => productOf(level), LIMIT);
    const seen = new Set<string>();
    for (const [index, run] of all.runs.entries()) {
      const outcome = text(run) + JSON.stringify(observedOf(run));
      if (seen.has(outcome)) continue;
      seen.add(outcome);
      const schedule = all.schedules[index] ?? [];
      const judged = confirm(program, productOf(level), { ...setup, schedule });
      const place = `seed ${seed} at ${level}: ${judged.reason ?? ""}`;
      assert.deepEqual(judged.execution?.outcome, outcomeOf(run), place);
      // Only what vanished with a rollback is an anomaly without a cycle.
      const vanished = judged.reason?.includes("rolled back") === true;
      assert.equal(judged.severity !== undefined, judged.status === "confirmed" || vanished, place);
      if (productOf(level).serializable) assert.equal(judged.severity, undefined, place);
    }
  }
}

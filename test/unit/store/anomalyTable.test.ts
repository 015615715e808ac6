// The store's axioms against the table of anomalies: every visibility and arbitration of each program is tried.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  PAPER_LEVELS,
  PRINTED_LEVELS,
  type PaperLevel,
} from "../../../server/src/isolation/levels";
import { violatedAxiom } from "../../../server/src/store/axioms";
import { freshValues } from "../../../server/src/store/freshValues";
import { runPlan } from "../../../server/src/store/run";
import { anomalyProgram, orders, schedules } from "./anomalySchedules";
import { ANOMALIES, type AnomalyProgram } from "./anomalyTable";
import { levelOf } from "./programs";

const LEVELS: readonly PaperLevel[] = [...PAPER_LEVELS, ...PRINTED_LEVELS];

/** The levels that allow some schedule of the program with what must be seen. */
function allowedAt(anomaly: AnomalyProgram): readonly string[] {
  const { program, setup } = anomalyProgram(anomaly);
  const allowed = new Set<string>();
  for (const order of orders(anomaly))
    for (const schedule of schedules(anomaly, order, [])) {
      const open = LEVELS.filter((level) => !allowed.has(level.name));
      const plan = { ...setup, schedule };
      const run = runPlan(program, levelOf("eventual"), plan, freshValues(plan));
      for (const level of open)
        if (violatedAxiom(level, run) === undefined) allowed.add(level.name);
    }
  return LEVELS.map((level) => level.name).filter((name) => allowed.has(name));
}

describe("the papers' levels and the anomalies that they allow", () => {
  for (const anomaly of ANOMALIES)
    it(anomaly.name, () => {
      assert.deepEqual([...allowedAt(anomaly)].sort(), [...anomaly.allowedAt].sort());
    });
});

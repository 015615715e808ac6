// The encoding's axioms against the store's: on given visibility and arbitration both say the same, at one level, at
// mixtures, and with pairs that are kept serializable. (That writers of one row see each other needs values; see papers.)
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeInstances } from "../../../server/src/analysis/encoding/relational/instances";
import {
  MIXED_LEVELS,
  axiomLiteral,
  statementRelations,
} from "../../../server/src/analysis/encoding/relational/relations";
import type { Mixture } from "../../../server/src/analysis/encoding/relational/relations";
import { createScript } from "../../../server/src/analysis/encoding/smt";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { openZ3 } from "../../../server/src/engine/z3";
import type { Z3 } from "../../../server/src/engine/z3";
import { PAPER_LEVELS, PRINTED_LEVELS } from "../../../server/src/isolation/levels";
import type { PaperLevel } from "../../../server/src/isolation/levels";
import type { Levels } from "../../../server/src/isolation/mixedLevels";
import type { Program } from "../../../server/src/program/program";
import type { ScheduleStep } from "../../../server/src/protocol/witness";
import { violatedAxiom } from "../../../server/src/store/axioms";
import type { Setup } from "../../../server/src/store/execution";
import { freshValues } from "../../../server/src/store/freshValues";
import { runPlan } from "../../../server/src/store/run";
import { anomalyProgram, orders, schedules } from "../store/anomalySchedules";
import { ANOMALIES } from "../store/anomalyTable";
import { assertSchedule } from "./fixedSchedule";
import { levelOf } from "./papersHarness";
import { numberChoice, pick } from "./randomChoice";

let z3: Z3;

before(async () => {
  z3 = await openZ3();
});

after(() => {
  z3.dispose();
});

const LEVELS: readonly PaperLevel[] = [...PAPER_LEVELS, ...PRINTED_LEVELS].map((level) => ({
  ...level,
  axioms: level.axioms.filter((axiom) => axiom !== "noConflict" && axiom !== "uniqueKeys"),
}));

interface Subject {
  readonly program: Program;
  readonly setup: Setup;
  readonly schedule: readonly ScheduleStep[];
}

/** True if the encoding allows this visibility and arbitration; `undefined` asks for the uniform level. */
function encoded(subject: Subject, level: PaperLevel, mixture: Mixture | undefined): boolean {
  const { program, schedule } = subject;
  const flat = flattenProgram(program, { unroll: 1 });
  const instances = makeInstances(
    flat,
    program.transactions.map((_, at) => at),
  );
  const script = createScript();
  const relations = statementRelations(script, instances, mixture);
  assertSchedule(script, relations, instances, schedule);
  const solver = z3.open({ resourceLimit: 0 });
  try {
    solver.add(script.take());
    return solver.check(mixture ? [MIXED_LEVELS] : level.axioms.map(axiomLiteral)) === "sat";
  } finally {
    solver.dispose();
  }
}

function judged({ program, setup, schedule }: Subject, levels: Levels): string | undefined {
  const plan = { ...setup, schedule };
  return violatedAxiom(levels, runPlan(program, levelOf("eventual"), plan, freshValues(plan)));
}

describe("axioms in the encoding and in the store", () => {
  for (const [number, anomaly] of ANOMALIES.entries())
    it(anomaly.name, () => {
      const random = numberChoice(number + 1);
      const { program, setup } = anomalyProgram(anomaly);
      const all = orders(anomaly).flatMap((order) => [
        ...schedules({ ...anomaly, sees: {} }, order, []),
      ]);
      let allowed = 0;
      for (let round = 0; round < 25; round += 1) {
        const subject = { program, setup, schedule: pick(random, all) };
        const level = pick(random, LEVELS);
        const single = judged(subject, level);
        const where = `${level.name}: ${JSON.stringify(subject.schedule)}: ${String(single)}`;
        assert.equal(encoded(subject, level, undefined), single === undefined, where);
        const ids = program.transactions.map((each) => each.id);
        const own = ids.map(() => pick(random, LEVELS));
        const pairs = random(2) === 0 ? [] : [[0, random(ids.length - 1) + 1] as const];
        const mixed = judged(subject, {
          family: "mixed",
          perTransaction: Object.fromEntries(ids.map((id, at) => [id, pick(() => at, own)])),
          serializablePairs: pairs.map(([a, b]) => [ids[a] ?? "", ids[b] ?? ""]),
        });
        const names = own.map((each) => each.name).join(", ");
        assert.equal(
          encoded(subject, level, { levels: own, pairs }),
          mixed === undefined,
          `${names} ${JSON.stringify(pairs)}: ${JSON.stringify(subject.schedule)}: ${String(mixed)}`,
        );
        allowed += [single, mixed].filter((each) => each === undefined).length;
      }
      assert.ok(allowed > 0, "no schedule was allowed");
    });
});

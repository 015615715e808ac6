// Axioms that users write: the encoding against the store on random axioms, programs, visibility and arbitration; and the
// papers' levels written in that language against the built-in ones, in what the search finds.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeDatabase } from "../../../server/src/analysis/encoding/relational/database";
import type { RowTerm } from "../../../server/src/analysis/encoding/relational/database";
import { makeInstances } from "../../../server/src/analysis/encoding/relational/instances";
import type { Instance, StepRef } from "../../../server/src/analysis/encoding/relational/instances";
import {
  MIXED_LEVELS,
  statementRelations,
} from "../../../server/src/analysis/encoding/relational/relations";
import type { Mixture } from "../../../server/src/analysis/encoding/relational/relations";
import { makeRun } from "../../../server/src/analysis/encoding/relational/runner";
import {
  assertAxioms,
  writtenLiteral,
} from "../../../server/src/analysis/encoding/relational/writes";
import { createScript, eq, int, not } from "../../../server/src/analysis/encoding/smt";
import { asInt } from "../../../server/src/analysis/encoding/sqlValue";
import { planPapers, solvePapers } from "../../../server/src/analysis/search/literature/backend";
import { openZ3 } from "../../../server/src/engine/z3";
import type { Z3 } from "../../../server/src/engine/z3";
import type { WrittenAxiom } from "../../../server/src/isolation/formula";
import { PAPER_LEVELS, PRINTED_LEVELS } from "../../../server/src/isolation/levels";
import type { PaperLevel } from "../../../server/src/isolation/levels";
import type { Levels } from "../../../server/src/isolation/mixedLevels";
import { parseAxiom } from "../../../server/src/isolation/parseAxiom";
import { writtenAxioms } from "../../../server/src/isolation/writtenAxioms";
import type { ScheduleStep } from "../../../server/src/protocol/witness";
import { violatedAxiom } from "../../../server/src/store/axioms";
import { NotExecutable } from "../../../server/src/store/failure";
import { freshValues } from "../../../server/src/store/freshValues";
import { runPlan } from "../../../server/src/store/run";
import { anomalyProgram, orders, schedules } from "../store/anomalySchedules";
import { ANOMALIES } from "../store/anomalyTable";
import { assertSchedule } from "./fixedSchedule";
import { LIMITS, fromApp, fromSql, levelOf } from "./papersHarness";
import type { Subject } from "./papersHarness";
import { numberChoice, pick } from "./randomChoice";
import type { NumberChoice } from "./randomChoice";

let z3: Z3;

before(async () => {
  z3 = await openZ3();
});

after(() => {
  z3.dispose();
});

/** Rows 1 and 2 exist at the start with the value 0, no others do. */
const STATEMENTS = [
  "SELECT v FROM a WHERE id = 1",
  "SELECT sum(v) FROM a",
  "UPDATE a SET v = 1 WHERE id = 1",
  "UPDATE a SET v = 2 WHERE id = 2",
  "UPDATE a SET v = v + 1",
  "UPDATE a SET v = 3 WHERE id = 8",
  "DELETE FROM a WHERE id = 2",
  "INSERT INTO a VALUES (3, 0, 5)",
  "INSERT INTO a VALUES (4, 0, 5)",
];

const SCHEMA = "CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL, u integer UNIQUE);";

/** A program of two or three transactions; the last statement of one may depend on what it read. */
function randomProgram(choose: NumberChoice): Subject {
  const count = 2 + choose(2);
  const scripts = Array.from({ length: count }, (_, at) => {
    const body = Array.from({ length: 1 + choose(2) }, () => `${pick(choose, STATEMENTS)};`);
    if (choose(3) === 0)
      body.push(
        "SELECT v AS x FROM a WHERE id = 1 \\gset",
        `\\if :x\n${pick(choose, STATEMENTS)};\n\\endif`,
      );
    return `-- @transaction t${String(at)}\nBEGIN;\n${body.join("\n")}\nCOMMIT;`;
  });
  return fromSql([SCHEMA, ...scripts].join("\n"));
}

/** Some interleaving, in which each statement sees some of the earlier writing statements of others. */
function randomSchedule(
  choose: NumberChoice,
  instances: readonly Instance[],
): readonly ScheduleStep[] {
  const left = instances.map((instance) => [...instance.steps]);
  const done: StepRef[] = [];
  const schedule: ScheduleStep[] = [];
  const likely = 1 + choose(3);
  while (left.some((steps) => steps.length > 0)) {
    const own = pick(
      choose,
      left.filter((steps) => steps.length > 0),
    );
    const step = own.shift();
    assert.ok(step);
    const visible = done.filter((each) => each.instance !== step.instance && choose(4) < likely);
    schedule.push({
      instance: `T${String(step.instance + 1)}`,
      statement: step.step + 1,
      sees: visible.map((each) => `T${String(each.instance + 1)}.${String(each.step + 1)}`),
    });
    if (instances[step.instance]?.writers.includes(step)) done.push(step);
  }
  return schedule;
}

const BINARY = ["vis", "vis", "vis", "ar", "po", "so", "st", "conflict", "samekey"];

/** An axiom that is mostly a rule; statements and transactions, both quantifiers, all relations. */
function randomAxiom(choose: NumberChoice): WrittenAxiom {
  const names = ["q", "w", "p"].slice(0, 1 + choose(3));
  const scope = names.map((name) => ({ name, isTransaction: choose(5) === 0 }));
  const head = scope.map(({ name, isTransaction }) =>
    isTransaction ? `${name}: transaction` : name,
  );
  const atom = (within: typeof scope): string => {
    const [a, b] = [pick(choose, within), pick(choose, within)];
    if (choose(8) === 0) return `write(${a.name})`;
    if (choose(8) === 0 && a.isTransaction === b.isTransaction) return `${a.name} = ${b.name}`;
    const relation = pick(choose, BINARY);
    const needsStatements = relation === "po" && (a.isTransaction || b.isTransaction);
    return `${needsStatements ? "st" : relation}(${a.name}, ${b.name})`;
  };
  const literal = (within: typeof scope): string => `${choose(3) === 0 ? "!" : ""}${atom(within)}`;
  const more = [...scope, { name: "e", isTransaction: choose(4) === 0 }];
  const last = more.at(-1);
  const inner = last?.isTransaction === true ? "e: transaction" : "e";
  const conclusion =
    choose(4) === 0
      ? `(${pick(choose, ["exists", "forall"])} ${inner}. ${literal(more)} ${pick(choose, ["&", "|", "=>", "<=>"])} ${literal(more)})`
      : literal(scope);
  const conditions = Array.from({ length: choose(3) }, () => literal(scope));
  const body = [conditions.join(" & "), conclusion].filter((part) => part !== "").join(" => ");
  const text = `${pick(choose, ["forall", "forall", "forall", "exists"])} ${head.join(", ")}. ${body}`;
  const result = parseAxiom(text);
  assert.ok(result.ok, `${text}: ${JSON.stringify(result)}`);
  return result.axiom;
}

/** True if the encoding allows this visibility and arbitration. */
function encoded(
  subject: Subject,
  schedule: readonly ScheduleStep[],
  axiom: WrittenAxiom,
  mixture: Mixture | undefined,
): boolean {
  const { flat } = subject;
  const instances = makeInstances(flat, [...flat.transactions.keys()]);
  const script = createScript();
  const database = makeDatabase(flat, script, instances);
  const relations = statementRelations(script, instances, mixture);
  const spare = (): readonly RowTerm[] => [[int(1)], [int(2)]];
  const run = makeRun(database, instances, relations, { prefix: "", mayAbort: false, spare });
  for (let id = 0; id < 10; id += 1) {
    const row = [int(id)];
    database.mention("a", row);
    const exists = database.alive("a", row);
    script.assert(id === 1 || id === 2 ? exists : not(exists));
    script.assert(eq(asInt(database.value("a", row, "v")), "0"));
  }
  for (const { index } of instances) script.assert(not(run.aborted(index)));
  assertSchedule(script, relations, instances, schedule);
  assertAxioms(run, [axiom], mixture);
  run.settle();
  const solver = z3.open({ resourceLimit: 0 });
  try {
    solver.add(script.take());
    assert.equal(solver.check([]), "sat", "the execution itself is possible");
    return solver.check([mixture ? MIXED_LEVELS : writtenLiteral(0)]) === "sat";
  } finally {
    solver.dispose();
  }
}

const EVENTUAL = levelOf("eventual");

/** The store's answer on an execution; undefined where the program does not follow the schedule. */
function judged(
  { program }: Subject,
  schedule: readonly ScheduleStep[],
  levels: Levels,
): { readonly violation: string | undefined } | undefined {
  const plan = {
    instances: program.transactions.map(({ id }, at) => ({
      instance: `T${String(at + 1)}`,
      transaction: id,
      arguments: {},
    })),
    initial: { a: [1, 2].map((id) => ({ id, v: 0, u: null })) },
    schedule,
    tables: ["a"],
  };
  try {
    return {
      violation: violatedAxiom(levels, runPlan(program, EVENTUAL, plan, freshValues(plan))),
    };
  } catch (error) {
    if (error instanceof NotExecutable) return undefined;
    throw error;
  }
}

/** As many as pass within seconds; thousands have passed. */
const ROUNDS = 60;

/** The level with its own axioms as a user would write them. */
function written(level: PaperLevel): PaperLevel {
  const own = level.axioms.flatMap(writtenAxioms);
  return { ...level, name: `${level.name} in words`, axioms: [], own };
}

const LEVELS = [...PAPER_LEVELS, ...PRINTED_LEVELS];

/** The search's findings in a tuple, without the level's own name. */
function found({ program, flat }: Subject, level: PaperLevel, transactions: readonly number[]) {
  const { findings, undecided } = solvePapers(z3, program, flat, level, { transactions }, LIMITS);
  const told = findings.map(({ tables, confirmation, preventedBy }) => {
    const { status, severity } = confirmation;
    return JSON.stringify([tables, status, severity, preventedBy]);
  });
  return [...told.sort(), ...undecided];
}

describe("axioms that users write", () => {
  it("mean the same to the encoding and to the store", () => {
    const choose = numberChoice(7);
    const counts = { allowed: 0, refused: 0, mixedAllowed: 0, mixedRefused: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const subject = randomProgram(choose);
      const instances = makeInstances(subject.flat, [...subject.flat.transactions.keys()]);
      const schedule = randomSchedule(choose, instances);
      const axiom = randomAxiom(choose);
      const own: PaperLevel = { ...EVENTUAL, name: "own", own: [axiom] };
      const single = judged(subject, schedule, own);
      if (single === undefined) continue;
      const where = `${axiom.text}\n${JSON.stringify(schedule)}\n${subject.flat.transactions.map((each) => JSON.stringify(each)).join("\n")}`;
      const allowed = single.violation === undefined;
      assert.equal(encoded(subject, schedule, axiom, undefined), allowed, where);
      const levels = instances.map(() => pick(choose, [own, EVENTUAL]));
      const ids = subject.program.transactions.map(({ id }) => id);
      const perTransaction = Object.fromEntries(ids.map((id, at) => [id, levels[at] ?? own]));
      const mixed = judged(subject, schedule, {
        family: "mixed",
        perTransaction,
        serializablePairs: [],
      });
      const mixedAllowed = mixed?.violation === undefined;
      assert.equal(encoded(subject, schedule, axiom, { levels, pairs: [] }), mixedAllowed, where);
      counts[allowed ? "allowed" : "refused"] += 1;
      counts[mixedAllowed ? "mixedAllowed" : "mixedRefused"] += 1;
    }
    for (const [what, count] of Object.entries(counts))
      assert.ok(count > ROUNDS / 10, `${what}: ${String(count)}`);
  });

  it("express the papers' levels: the store refuses the same executions", () => {
    const choose = numberChoice(3);
    const verdicts = new Set<string>();
    for (const anomaly of ANOMALIES) {
      const { program, setup } = anomalyProgram(anomaly);
      const all = orders(anomaly).flatMap((order) => [
        ...schedules({ ...anomaly, sees: {} }, order, []),
      ]);
      for (let round = 0; round < 12; round += 1) {
        const plan = { ...setup, schedule: pick(choose, all) };
        const run = runPlan(program, EVENTUAL, plan, freshValues(plan));
        for (const level of LEVELS) {
          const [one, other] = [level, written(level)].map((each) => violatedAxiom(each, run));
          const where = `${anomaly.name} at ${level.name}: ${String(one)}; ${String(other)}`;
          assert.equal(one === undefined, other === undefined, where);
          verdicts.add(`${level.name} ${String(one === undefined)}`);
        }
      }
    }
    // Every level allows some of them, and all but the weakest refuse some.
    assert.equal(verdicts.size, 2 * LEVELS.length - 1);
  });

  it("express the papers' levels: the search finds the same", () => {
    const subjects = [fromApp("micro")];
    const choose = numberChoice(5);
    for (let round = 0; round < 6; round += 1) subjects.push(randomProgram(choose));
    let anomalous = 0;
    for (const subject of subjects)
      for (const level of LEVELS)
        for (const { transactions } of planPapers(subject.flat, level, 2)) {
          if (choose(6) > 0) continue;
          const expected = found(subject, level, transactions);
          const where = `${level.name}: ${transactions.join()}`;
          assert.deepEqual(found(subject, written(level), transactions), expected, where);
          if (expected.length > 0) anomalous += 1;
        }
    assert.ok(anomalous > 5, String(anomalous));
  });
});

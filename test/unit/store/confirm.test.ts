// Judgements of whole plans at product and paper levels: what is confirmed, how severe, through which cycle.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Table } from "../../../server/src/program/schema";
import type { Row, ScheduleStep, Value } from "../../../server/src/protocol/witness";
import { confirm } from "../../../server/src/store/confirm";
import type { Confirmation } from "../../../server/src/store/execution";
import { instances, levelOf, programOf, rowsOf, table } from "./programs";

interface Plan {
  readonly level: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly start: readonly (string | readonly [string, Readonly<Record<string, Value>>])[];
  readonly tables?: readonly Table[];
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  /** Steps as `T1.1<T2 T3` (sees T2 and T3) and `T1.commit`. */
  readonly schedule: string;
}

interface Expectation {
  readonly status: Confirmation["status"];
  readonly severity?: Confirmation["severity"];
  readonly reason?: RegExp;
  /** `rw T1 T2` per dependency of the cycle. */
  readonly cycle?: readonly string[];
  readonly final?: Readonly<Record<string, readonly Row[]>>;
}

const T = [table("t", { id: "int", v: "int" })];
const WITHDRAW = {
  Withdraw: "SELECT v FROM t WHERE id = :id \\gset\nUPDATE t SET v = :v - :amount WHERE id = :id;",
};
const TWO_WITHDRAWALS = [
  ["Withdraw", { id: 1, amount: 3 }],
  ["Withdraw", { id: 1, amount: 5 }],
] as const;

function check(plan: Plan, expected: Expectation): void {
  const program = programOf(plan.scripts, plan.tables ?? T);
  const result = confirm(program, levelOf(plan.level), {
    instances: instances(...plan.start),
    initial: plan.initial,
    schedule: scheduleOf(plan.schedule),
  });
  assert.equal(result.status, expected.status, result.reason);
  assert.equal(result.severity, expected.severity);
  if (expected.reason !== undefined) assert.match(result.reason ?? "", expected.reason);
  if (expected.cycle !== undefined) assert.deepEqual(cycleText(result), expected.cycle);
  if (expected.final !== undefined) assert.deepEqual(result.witness.outcome.final, expected.final);
}

function scheduleOf(text: string): readonly ScheduleStep[] {
  return text
    .trim()
    .split(/[\s,]*[;\n][\s]*/)
    .filter((step) => step !== "")
    .map((step) => {
      const [place = "", seen = ""] = step.split("<");
      const [instance = "", statement = ""] = place.trim().split(".");
      return {
        instance,
        statement: statement === "commit" ? "commit" : Number(statement),
        sees: seen.split(" ").filter((name) => name !== ""),
      };
    });
}

function cycleText(result: Confirmation): readonly string[] {
  const { execution } = result;
  return result.cycle.map((index) => {
    const edge = execution?.dependencies[index];
    const at = (step: number) => execution?.steps[step]?.instance ?? "";
    if (edge === undefined) return "";
    return `${edge.dependency} ${at(edge.from)} ${at(edge.to)}${edge.predicate ? " predicate" : ""}`;
  });
}

describe("plans at PostgreSQL's levels", () => {
  const lost = "T1.1; T2.1; T1.2; T1.commit; T2.2<T1; T2.commit";

  it("confirms a lost update", () => {
    check(
      {
        level: "pg:rc",
        scripts: WITHDRAW,
        start: TWO_WITHDRAWALS,
        initial: { t: rowsOf({ 1: 10 }) },
        schedule: lost,
      },
      {
        status: "confirmed",
        severity: "state",
        cycle: ["ww T1 T2", "rw T2 T1"],
        final: { t: [{ id: 1, v: 5 }] },
      },
    );
  });

  it("refuses it where the first updater wins", () => {
    check(
      {
        level: "pg:rr",
        scripts: WITHDRAW,
        start: TWO_WITHDRAWALS,
        initial: { t: rowsOf({ 1: 10 }) },
        schedule: lost,
      },
      { status: "unconfirmed", reason: /40001/ },
    );
  });

  it("lets a statement wait and go on with the newest row", () => {
    check(
      {
        level: "pg:rc",
        scripts: WITHDRAW,
        start: TWO_WITHDRAWALS,
        initial: { t: rowsOf({ 1: 10 }) },
        schedule: "T1.1; T2.1; T1.2; T2.2; T1.commit; T2.commit",
      },
      { status: "confirmed", severity: "state", final: { t: [{ id: 1, v: 5 }] } },
    );
  });

  it("finds that an atomic increment loses nothing", () => {
    check(
      {
        level: "pg:rc",
        scripts: { Add: "UPDATE t SET v = v + :amount WHERE id = 1;" },
        start: [
          ["Add", { amount: 1 }],
          ["Add", { amount: 2 }],
        ],
        initial: { t: rowsOf({ 1: 0 }) },
        schedule: "T1.1; T2.1; T1.commit; T2.commit",
      },
      { status: "unconfirmed", reason: /the same/ },
    );
  });

  it("confirms write skew, and refuses it at SERIALIZABLE", () => {
    const skew = {
      scripts: {
        One: "SELECT v FROM t WHERE id = 2 \\gset\nUPDATE t SET v = :v WHERE id = 1;",
        Two: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v WHERE id = 2;",
      },
      start: ["One", "Two"],
      initial: { t: rowsOf({ 1: 1, 2: 2 }) },
      schedule: "T1.1; T2.1; T1.2; T2.2; T1.commit; T2.commit",
    };
    check(
      { ...skew, level: "pg:rr" },
      { status: "confirmed", severity: "state", cycle: ["rw T1 T2", "rw T2 T1"] },
    );
    check({ ...skew, level: "pg:ser" }, { status: "unconfirmed", reason: /not serializable/ });
  });

  it("confirms a phantom through its predicate", () => {
    check(
      {
        level: "pg:rc",
        scripts: {
          Count:
            "SELECT count(*) AS a FROM t WHERE v > 5;\nSELECT count(*) AS b FROM t WHERE v > 5;",
          Insert: "INSERT INTO t (id, v) VALUES (2, 9);",
        },
        start: ["Count", "Insert"],
        initial: { t: rowsOf({ 1: 9 }) },
        schedule: "T1.1; T2.1; T2.commit; T1.2<T2; T1.commit",
      },
      { status: "confirmed", severity: "value", cycle: ["rw T1 T2 predicate", "wr T2 T1"] },
    );
  });

  it("says what differs from the schedule's prediction", () => {
    const plan = {
      level: "pg:rc",
      scripts: WITHDRAW,
      start: TWO_WITHDRAWALS,
      initial: { t: rowsOf({ 1: 10 }) },
    };
    check(
      { ...plan, schedule: "T1.1; T1.2; T1.commit; T2.1; T2.2; T2.commit" },
      { status: "unconfirmed", reason: /sees T1, where the plan says none of the others/ },
    );
    check(
      { ...plan, schedule: "T1.1; T2.1; T1.2; T2.2; T2.commit" },
      { status: "unconfirmed", reason: /T2 still waits for T1/ },
    );
  });

  it("runs what the program has, where the schedule counts fewer or more statements", () => {
    const plan = {
      level: "pg:rc",
      scripts: WITHDRAW,
      start: TWO_WITHDRAWALS,
      initial: { t: rowsOf({ 1: 10 }) },
    };
    for (const schedule of ["T1.1; T1.commit; T2.commit", "T1.1; T1.2; T1.3; T1.commit"])
      check(
        { ...plan, schedule },
        { status: "unconfirmed", reason: /the transactions give the same/ },
      );
  });

  it("refuses a beginning that cannot be", () => {
    const plan = { level: "pg:rc", scripts: WITHDRAW, start: TWO_WITHDRAWALS, schedule: lost };
    const twice = [
      { id: 1, v: 1 },
      { id: 1, v: 2 },
    ];
    check(
      { ...plan, initial: { t: twice } },
      { status: "unconfirmed", reason: /two initial rows/ },
    );
    const distinct = {
      ...WITHDRAW,
      Withdraw: `-- @isolens distinct id, amount\n${WITHDRAW.Withdraw}`,
    };
    check(
      {
        ...plan,
        scripts: distinct,
        start: [
          ["Withdraw", { id: 1, amount: 1 }],
          ["Withdraw", { id: 1, amount: 5 }],
        ],
        initial: { t: rowsOf({ 1: 10 }) },
      },
      { status: "unconfirmed", reason: /precondition/ },
    );
  });

  it("finishes what the schedule leaves open", () => {
    check(
      {
        level: "pg:rc",
        scripts: WITHDRAW,
        start: TWO_WITHDRAWALS,
        initial: { t: rowsOf({ 1: 10 }) },
        schedule: "T1.1; T2.1; T1.2",
      },
      { status: "confirmed", severity: "state" },
    );
  });

  it("counts a transaction that rolls itself back as absent", () => {
    check(
      {
        level: "pg:rc",
        scripts: {
          Check:
            "SELECT v FROM t WHERE id = 1 \\gset\nSELECT v AS again FROM t WHERE id = 1 \\gset\nROLLBACK;",
          Add: "UPDATE t SET v = v + 1 WHERE id = 1;",
        },
        start: ["Check", "Add"],
        initial: { t: rowsOf({ 1: 0 }) },
        schedule: "T1.1; T2.1; T2.commit; T1.2<T2; T1.commit",
      },
      { status: "unconfirmed", reason: /the same/ },
    );
  });
});

describe("plans at the papers' levels", () => {
  const add = {
    scripts: { Add: "UPDATE t SET v = v + :amount WHERE id = 1;" },
    start: [
      ["Add", { amount: 1 }],
      ["Add", { amount: 2 }],
    ] as const,
    initial: { t: rowsOf({ 1: 0 }) },
  };

  for (const level of ["eventual", "read-committed", "read-atomic", "causal", "prefix"])
    it(`lets two increments miss each other at ${level}`, () => {
      check(
        { ...add, level, schedule: "T1.1; T2.1" },
        {
          status: "confirmed",
          severity: "state",
          cycle: ["ww T1 T2", "rw T2 T1"],
          final: { t: [{ id: 1, v: 2 }] },
        },
      );
    });

  for (const level of ["parallel-snapshot-isolation", "snapshot-isolation", "serializable"])
    it(`forbids that at ${level}`, () => {
      check(
        { ...add, level, schedule: "T1.1; T2.1" },
        { status: "unconfirmed", reason: /both write the same row/ },
      );
    });

  it("takes the last write per cell", () => {
    check(
      {
        level: "eventual",
        scripts: { Set: "UPDATE t SET v = :a WHERE id = 1; UPDATE t SET v = :b WHERE id = 2;" },
        start: [
          ["Set", { a: 1, b: 1 }],
          ["Set", { a: 2, b: 2 }],
        ],
        initial: { t: rowsOf({ 1: 0, 2: 0 }) },
        schedule: "T1.1; T2.1; T2.2; T1.2",
      },
      {
        status: "confirmed",
        severity: "state",
        cycle: ["ww T1 T2", "ww T2 T1"],
        final: {
          t: [
            { id: 1, v: 2 },
            { id: 2, v: 1 },
          ],
        },
      },
    );
  });

  const readTwice = {
    scripts: {
      Read: "SELECT v FROM t WHERE id = 1;\nSELECT v AS w FROM t WHERE id = 1;",
      Write: "UPDATE t SET v = 7 WHERE id = 1;",
    },
    start: ["Write", "Read"] as const,
    initial: { t: rowsOf({ 1: 0 }) },
    schedule: "T1.1; T2.1; T2.2<T1.1",
  };

  it("lets a read see more than the one before at read committed, not at read atomic", () => {
    check({ ...readTwice, level: "read-committed" }, { status: "confirmed", severity: "value" });
    check(
      { ...readTwice, level: "read-atomic" },
      { status: "unconfirmed", reason: /does not see T1.1/ },
    );
  });

  it("forbids to see less than before at read committed", () => {
    check(
      { ...readTwice, level: "read-committed", schedule: "T1.1; T2.1<T1.1; T2.2" },
      { status: "unconfirmed", reason: /has seen it before/ },
    );
    check(
      { ...readTwice, level: "eventual", schedule: "T1.1; T2.1<T1.1; T2.2" },
      { status: "confirmed", severity: "value" },
    );
  });

  const fork = {
    scripts: {
      One: "UPDATE t SET v = 1 WHERE id = 1;",
      Two: "UPDATE t SET v = 2 WHERE id = 2;",
      Read: "SELECT v FROM t WHERE id = 1;\nSELECT v AS w FROM t WHERE id = 2;",
    },
    start: ["One", "Two", "Read", "Read"] as const,
    initial: { t: rowsOf({ 1: 0, 2: 0 }) },
    schedule: "T1.1; T2.1; T3.1<T1.1; T3.2<T1.1; T4.1<T2.1; T4.2<T2.1",
  };

  it("lets readers disagree up to parallel snapshot isolation", () => {
    for (const level of ["causal", "parallel-snapshot-isolation"])
      check({ ...fork, level }, { status: "confirmed", severity: "value" });
    for (const level of ["prefix", "snapshot-isolation"])
      check({ ...fork, level }, { status: "unconfirmed", reason: /does not see T1.1/ });
  });

  it("forbids to see an effect without its cause at causal consistency", () => {
    const plan = {
      scripts: {
        Cause: "UPDATE t SET v = 1 WHERE id = 1;",
        Effect: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v WHERE id = 2;",
        Read: "SELECT v FROM t WHERE id = 2;\nSELECT v AS w FROM t WHERE id = 1;",
      },
      start: ["Cause", "Effect", "Read"] as const,
      initial: { t: rowsOf({ 1: 0, 2: 0 }) },
      schedule: "T1.1; T2.1<T1.1; T2.2<T1.1; T3.1<T2.2; T3.2<T2.2",
    };
    check({ ...plan, level: "read-atomic" }, { status: "confirmed", severity: "value" });
    check({ ...plan, level: "causal" }, { status: "unconfirmed", reason: /comes after it/ });
  });

  it("forbids to interleave transactions above eventual consistency", () => {
    const plan = {
      scripts: { Set: "UPDATE t SET v = :a WHERE id = 1; UPDATE t SET v = :a WHERE id = 2;" },
      start: [
        ["Set", { a: 1 }],
        ["Set", { a: 2 }],
      ] as const,
      initial: { t: rowsOf({ 1: 0, 2: 0 }) },
      schedule: "T1.1; T2.1; T2.2; T1.2",
    };
    check(
      { ...plan, level: "read-committed" },
      { status: "unconfirmed", reason: /are interleaved/ },
    );
  });

  it("forbids to see a statement that comes later", () => {
    check(
      { ...add, level: "eventual", schedule: "T1.1<T2.1; T2.1" },
      { status: "unconfirmed", reason: /arbitrated after/ },
    );
  });

  it("finds that two blind inserts of one key are a conflict", () => {
    check(
      {
        level: "eventual",
        scripts: { Insert: "INSERT INTO t (id, v) VALUES (5, :a);" },
        start: [
          ["Insert", { a: 1 }],
          ["Insert", { a: 2 }],
        ],
        initial: { t: [] },
        schedule: "T1.1; T2.1",
      },
      { status: "confirmed", severity: "value", cycle: ["ww T1 T2", "rw T2 T1"] },
    );
  });
});

// Witnesses of the store as histories: the history checker accepts them exactly from the levels down at which they can
// happen, and refuses them at serializable once a reader of everything closes them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { checkHistory } from "../../../server/src/history/check";
import type { ScheduleStep } from "../../../server/src/protocol/witness";
import { confirm } from "../../../server/src/store/confirm";
import { recordedHistory } from "../../../server/src/store/recordedHistory";
import { instances, levelOf, programOf, rowsOf, table } from "./programs";

interface Plan {
  /** A level at which the plan is confirmed. */
  readonly level: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly start: readonly string[];
  /** Steps such as `T1.1` or `T2.1<T1.1`. */
  readonly schedule: string;
}

/** `expected`: one letter per level from read committed to serializable, o for possible and v for not. */
function check(plan: Plan, expected: string): void {
  const program = programOf(plan.scripts, [table("t", { id: "int", v: "int" })]);
  const judged = confirm(program, levelOf(plan.level), {
    instances: instances(...plan.start),
    initial: { t: rowsOf({ 1: 0, 2: 0 }) },
    schedule: plan.schedule.split("; ").map(stepOf),
  });
  assert.equal(judged.status, "confirmed", judged.reason);
  assert.ok(judged.execution);
  const { verdicts } = checkHistory(recordedHistory(judged.execution, { closed: true }));
  assert.equal([...verdicts.values()].map((verdict) => verdict.charAt(0)).join(""), expected);
}

function stepOf(text: string): ScheduleStep {
  const [place = "", seen = ""] = text.split("<");
  const [instance = "", statement = ""] = place.split(".");
  return {
    instance,
    statement: Number(statement),
    sees: seen.split(" ").filter((name) => name !== ""),
  };
}

it("a lost update is possible up to causal consistency", () => {
  check(
    {
      level: "causal",
      scripts: {
        Add: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v + 1 WHERE id = 1;",
      },
      start: ["Add", "Add"],
      schedule: "T1.1; T1.2; T2.1; T2.2",
    },
    "ooovvv",
  );
});

it("write skew is possible up to snapshot isolation", () => {
  check(
    {
      level: "snapshot-isolation",
      scripts: {
        One: "SELECT v FROM t WHERE id = 2 \\gset\nUPDATE t SET v = :v + 1 WHERE id = 1;",
        Two: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v + 1 WHERE id = 2;",
      },
      start: ["One", "Two"],
      schedule: "T1.1; T1.2; T2.1; T2.2",
    },
    "ooooov",
  );
});

it("a long fork is possible up to parallel snapshot isolation", () => {
  check(
    {
      level: "parallel-snapshot-isolation",
      scripts: {
        One: "UPDATE t SET v = 1 WHERE id = 1;",
        Two: "UPDATE t SET v = 2 WHERE id = 2;",
        Read: "SELECT v FROM t WHERE id = 1;\nSELECT v AS w FROM t WHERE id = 2;",
      },
      start: ["One", "Two", "Read", "Read"],
      schedule: "T1.1; T2.1; T3.1<T1.1; T3.2<T1.1; T4.1<T2.1; T4.2<T2.1",
    },
    "oooovv",
  );
});

it("a non-repeatable read is possible at read committed only", () => {
  check(
    {
      level: "read-committed",
      scripts: {
        Read: "SELECT v FROM t WHERE id = 1;\nSELECT v AS w FROM t WHERE id = 1;",
        Write: "UPDATE t SET v = 7 WHERE id = 1;",
      },
      start: ["Write", "Read"],
      schedule: "T1.1; T2.1; T2.2<T1.1",
    },
    "ovvvvv",
  );
});

it("phantoms alone are refused: write skew by predicates at serializable only", () => {
  check(
    {
      level: "snapshot-isolation",
      scripts: {
        One: "SELECT count(*) AS n FROM t WHERE v = 5 \\gset\nINSERT INTO t (id, v) VALUES (10, 6 + :n);",
        Two: "SELECT count(*) AS n FROM t WHERE v = 6 \\gset\nINSERT INTO t (id, v) VALUES (20, 5 + :n);",
      },
      start: ["One", "Two"],
      schedule: "T1.1; T1.2; T2.1; T2.2",
    },
    "ooooov",
  );
});

it("a phantom between two reads is possible at read committed only", () => {
  check(
    {
      level: "read-committed",
      scripts: {
        Read: "SELECT count(*) AS n FROM t WHERE v = 7;\nSELECT count(*) AS m FROM t WHERE v = 7;",
        Insert: "INSERT INTO t (id, v) VALUES (10, 7);",
      },
      start: ["Insert", "Read"],
      schedule: "T1.1; T2.1; T2.2<T1.1",
    },
    "ovvvvv",
  );
});

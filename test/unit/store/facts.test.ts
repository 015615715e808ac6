// Facts measured on PostgreSQL that a tool must get right (design "isolation", section 1.6), each as a test.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkOutcomes, outcomesAt, type Scenario } from "./outcomes";
import { rowsOf, table } from "./programs";

const T = table("t", { id: "int", v: "int" });

describe("facts about PostgreSQL", () => {
  it("a: an UPDATE with a join re-reads its target, and keeps the joined row of its snapshot", () => {
    const scenario: Scenario = {
      tables: [table("a", { id: "int", v: "int" }), table("b", { id: "int", v: "int" })],
      initial: { a: rowsOf({ 1: 0 }), b: rowsOf({ 1: 100 }) },
      scripts: {
        Change: "UPDATE a SET v = 1 WHERE id = 1; UPDATE b SET v = 300 WHERE id = 1;",
        Add: "UPDATE a SET v = a.v + b.v FROM b WHERE a.id = b.id;",
      },
    };
    // 101 is what no serial order gives: the new target row with the old joined row.
    checkOutcomes(scenario, "pg:rc", [
      "a: 1,1 | b: 1,300",
      "a: 1,101 | b: 1,300",
      "a: 1,301 | b: 1,300",
    ]);
    checkOutcomes(scenario, "pg:rr", ["a: 1,1 | b: 1,300", "a: 1,301 | b: 1,300"]);
    checkOutcomes(scenario, "pg:ser", ["a: 1,1 | b: 1,300", "a: 1,301 | b: 1,300"]);
  });

  it("b: a row that was deleted and inserted again is not found by the FOR UPDATE that waited for it", () => {
    const scenario: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10 }) },
      scripts: {
        Replace: "DELETE FROM t WHERE id = 1; INSERT INTO t (id, v) VALUES (1, 20);",
        Lock: "SELECT v FROM t WHERE id = 1 FOR UPDATE;",
      },
    };
    checkOutcomes(scenario, "pg:rc", [
      "T2: no row | t: 1,20",
      "T2: v = 10 | t: 1,20",
      "T2: v = 20 | t: 1,20",
    ]);
    checkOutcomes(scenario, "pg:rr", ["T2: v = 10 | t: 1,20", "T2: v = 20 | t: 1,20"]);
  });

  it("c: INSERT ... WHERE NOT EXISTS without a unique key inserts twice below SERIALIZABLE", () => {
    const insert = (id: number) =>
      `INSERT INTO t (id, v) SELECT ${id}, 7 WHERE NOT EXISTS (SELECT 1 FROM t WHERE v = 7);`;
    const scenario: Scenario = {
      tables: [T],
      initial: { t: [] },
      scripts: { One: insert(1), Two: insert(2) },
    };
    checkOutcomes(scenario, "pg:rc", ["t: 1,7", "t: 1,7; 2,7", "t: 2,7"]);
    checkOutcomes(scenario, "pg:rr", ["t: 1,7", "t: 1,7; 2,7", "t: 2,7"]);
    checkOutcomes(scenario, "pg:ser", ["t: 1,7", "t: 2,7"]);
  });

  it("d: one statement per transaction can be a write skew", () => {
    const scenario: Scenario = {
      tables: [table("aa", { id: "int", v: "int" }), table("bb", { id: "int", v: "int" })],
      initial: { aa: rowsOf({ 1: 10 }), bb: rowsOf({ 1: 20 }) },
      scripts: {
        One: "UPDATE aa SET v = v + (SELECT sum(v) FROM bb);",
        Two: "UPDATE bb SET v = v + (SELECT sum(v) FROM aa);",
      },
    };
    const serial = ["aa: 1,30 | bb: 1,50", "aa: 1,40 | bb: 1,30"];
    checkOutcomes(scenario, "pg:rc", [...serial, "aa: 1,30 | bb: 1,30"]);
    checkOutcomes(scenario, "pg:rr", [...serial, "aa: 1,30 | bb: 1,30"]);
    checkOutcomes(scenario, "pg:ser", serial);
  });

  it("e: an upsert of a row that the snapshot lacks fails at REPEATABLE READ", () => {
    const scenario: Scenario = {
      tables: [T, table("u", { id: "int", v: "int" })],
      initial: { t: [], u: rowsOf({ 1: 5 }) },
      scripts: {
        Insert: "INSERT INTO t (id, v) VALUES (1, 1);",
        Upsert:
          "SELECT v FROM u WHERE id = 1; INSERT INTO t (id, v) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v;",
      },
    };
    const after = "T2: v = 5 | t: 1,3 | u: 1,5";
    checkOutcomes(scenario, "pg:rc", [after]);
    // Only the serial run is left: any snapshot from before the insert ends in 40001.
    checkOutcomes(scenario, "pg:rr", [after]);
  });

  it("f: a foreign key protects the parent's existence and not its other columns", () => {
    const scenario: Scenario = {
      tables: [
        table("parent", { id: "int", status: "text" }),
        table(
          "child",
          { id: "int", parent: "int" },
          { foreignKeys: [{ columns: ["parent"], table: "parent", referenced: ["id"] }] },
        ),
      ],
      initial: { parent: [{ id: 1, status: "open" }], child: [] },
      scripts: {
        AddChild:
          "SELECT status FROM parent WHERE id = 1; INSERT INTO child (id, parent) VALUES (1, 1);",
        Close: "UPDATE parent SET status = 'closed' WHERE id = 1;",
      },
    };
    const both = [
      "T1: status = closed | child: 1,1 | parent: 1,closed",
      "T1: status = open | child: 1,1 | parent: 1,closed",
    ];
    for (const level of ["pg:rc", "pg:rr", "pg:ser"]) checkOutcomes(scenario, level, both);
  });

  it("f: but a parent cannot be deleted under a child that is being inserted", () => {
    const scenario: Scenario = {
      tables: [
        table("parent", { id: "int" }),
        table(
          "child",
          { id: "int", parent: "int" },
          { foreignKeys: [{ columns: ["parent"], table: "parent", referenced: ["id"] }] },
        ),
      ],
      initial: { parent: [{ id: 1 }], child: [] },
      scripts: {
        AddChild: "INSERT INTO child (id, parent) VALUES (1, 1);",
        Delete: "DELETE FROM parent WHERE id = 1;",
      },
    };
    // Whoever comes second fails: no interleaving lets both commit.
    for (const level of ["pg:rc", "pg:rr", "pg:ser"]) checkOutcomes(scenario, level, []);
  });

  it("h: SERIALIZABLE protects only pairs of SERIALIZABLE transactions", () => {
    const skew: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 1, 2: 1 }) },
      scripts: {
        One: "UPDATE t SET v = (SELECT v FROM t WHERE id = 2) + 1 WHERE id = 1;",
        Two: "UPDATE t SET v = (SELECT v FROM t WHERE id = 1) + 1 WHERE id = 2;",
      },
    };
    const both = "t: 1,2; 2,2";
    assert.ok(!outcomesAt(skew, "pg:ser").includes(both));
    for (const levels of ["pg:ser + pg:rr", "pg:rr + pg:ser", "pg:ser + pg:rc", "pg:rc + pg:ser"])
      assert.ok(outcomesAt(skew, levels).includes(both), levels);
    const lost: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10 }) },
      scripts: {
        One: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v + 1 WHERE id = 1;",
        Two: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v + 2 WHERE id = 1;",
      },
    };
    const overwritten = (levels: string) =>
      outcomesAt(lost, levels).some((outcome) => outcome.endsWith("t: 1,11"));
    // The READ COMMITTED one overwrites what the other wrote in between.
    assert.ok(overwritten("pg:rc + pg:ser"));
    assert.ok(overwritten("pg:rc + pg:rr"));
    assert.ok(!overwritten("pg:rr + pg:ser"));
  });
});

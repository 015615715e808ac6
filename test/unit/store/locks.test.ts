// Locks, constraints and waiting at PostgreSQL's levels: which outcomes they leave.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import type { SqlParsers } from "../../../server/src/frontend/sql/parsers";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import { CHECKED_LATER } from "../../../server/src/store/failure";
import { excludes } from "../../../server/src/store/locks";
import { checkOutcomes, outcomesAt, type Scenario } from "./outcomes";
import { instances, productOf, programOf, rowsOf, table } from "./programs";

const T = table("t", { id: "int", v: "int" });

function scenario(scripts: Readonly<Record<string, string>>, rows = { 1: 10, 2: 20 }): Scenario {
  return { tables: [T], initial: { t: rowsOf(rows) }, scripts };
}

describe("locks of tables", () => {
  const lock = "LOCK TABLE t;";
  const increment = "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v + 1 WHERE id = 1;";
  const read = async (scripts: Readonly<Record<string, string>>): Promise<Scenario> => {
    return { ...scenario(scripts), parsers: { pg: await loadPgParser() } };
  };

  it("who waits for one reads what its holder left, where each statement has its snapshot", async () => {
    const change = `${lock} UPDATE t SET v = 5 WHERE id = 1;`;
    checkOutcomes(await read({ A: change, B: increment }), "pg:rc", [
      "T2: v = 10 | t: 1,5; 2,20",
      "T2: v = 5 | t: 1,6; 2,20",
    ]);
  });

  it("LOCK TABLE opens no snapshot", async () => {
    const locked = `${lock} ${increment}`;
    checkOutcomes(await read({ A: locked, B: locked }), "pg:rr", [
      "T1: v = 10 | T2: v = 11 | t: 1,12; 2,20",
      "T1: v = 11 | T2: v = 10 | t: 1,12; 2,20",
    ]);
  });

  it("TRUNCATE makes others wait, and leaves them no row", async () => {
    const look = "SELECT count(*) AS n FROM t \\gset\nINSERT INTO t (id, v) VALUES (3, :n);";
    checkOutcomes(await read({ Empty: "TRUNCATE t;", Look: look }), "pg:rc", [
      "T2: n = 0 | t: 3,0",
      "T2: n = 2 | t: ",
    ]);
  });
});

describe("row locks", () => {
  it("FOR UPDATE makes read-modify-write safe", () => {
    const add = (amount: number) =>
      `SELECT v FROM t WHERE id = 1 FOR UPDATE \\gset\nUPDATE t SET v = :v + ${amount} WHERE id = 1;`;
    checkOutcomes(scenario({ A: add(1), B: add(2) }), "pg:rc", [
      "T1: v = 10 | T2: v = 11 | t: 1,13; 2,20",
      "T1: v = 12 | T2: v = 10 | t: 1,13; 2,20",
    ]);
  });

  it("FOR SHARE on both sides ends in a deadlock or one after the other", () => {
    const add = (amount: number) =>
      `SELECT v FROM t WHERE id = 1 FOR SHARE \\gset\nUPDATE t SET v = :v + ${amount} WHERE id = 1;`;
    checkOutcomes(scenario({ A: add(1), B: add(2) }), "pg:rc", [
      "T1: v = 10 | T2: v = 11 | t: 1,13; 2,20",
      "T1: v = 12 | T2: v = 10 | t: 1,13; 2,20",
    ]);
  });

  it("SKIP LOCKED takes another row", () => {
    const take = "SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;";
    checkOutcomes(scenario({ A: take, B: take }), "pg:rc", [
      "T1: id = 1 | T2: id = 1 | t: 1,10; 2,20",
      "T1: id = 1 | T2: id = 2 | t: 1,10; 2,20",
      "T1: id = 2 | T2: id = 1 | t: 1,10; 2,20",
    ]);
  });

  it("NOWAIT fails instead of waiting", () => {
    const take = "SELECT id FROM t WHERE id = 1 FOR UPDATE NOWAIT;";
    checkOutcomes(scenario({ A: take, B: take }), "pg:rc", [
      "T1: id = 1 | T2: id = 1 | t: 1,10; 2,20",
    ]);
  });

  it("a row that came to match while a statement waited is missed, one that ceased to match is left", () => {
    checkOutcomes(
      scenario({ Swap: "UPDATE t SET v = 30 - v;", Delete: "DELETE FROM t WHERE v = 20;" }),
      "pg:rc",
      ["t: 1,20", "t: 1,20; 2,10", "t: 2,10"],
    );
  });

  it("crossed updates deadlock, or run one after the other", () => {
    checkOutcomes(
      scenario({
        A: "UPDATE t SET v = 1 WHERE id = 1; UPDATE t SET v = 1 WHERE id = 2;",
        B: "UPDATE t SET v = 2 WHERE id = 2; UPDATE t SET v = 2 WHERE id = 1;",
      }),
      "pg:rc",
      ["t: 1,1; 2,1", "t: 1,2; 2,2"],
    );
  });
});

describe("keys under concurrency", () => {
  it("the second insert of a key fails, and so does the history", () => {
    const insert = (v: number) => `INSERT INTO t (id, v) VALUES (3, ${v});`;
    checkOutcomes(scenario({ A: insert(1), B: insert(2) }), "pg:rc", []);
  });

  it("an insert waits for the rollback of another and succeeds", () => {
    checkOutcomes(
      scenario({
        A: "INSERT INTO t (id, v) VALUES (3, 1);\nROLLBACK;",
        B: "INSERT INTO t (id, v) VALUES (3, 2);",
      }),
      "pg:rc",
      ["T1 rolled back: ROLLBACK | t: 1,10; 2,20; 3,2"],
    );
  });

  it("a unique column behaves as a key does", () => {
    const unique = table("t", { id: "int", v: "int" }, { uniqueKeys: [{ columns: ["v"] }] });
    const one: Scenario = {
      ...scenario({
        A: "INSERT INTO t (id, v) VALUES (3, 7) ON CONFLICT (v) DO NOTHING;",
        B: "INSERT INTO t (id, v) VALUES (4, 7) ON CONFLICT (v) DO NOTHING;",
      }),
      tables: [unique],
    };
    checkOutcomes(one, "pg:rc", ["t: 1,10; 2,20; 3,7", "t: 1,10; 2,20; 4,7"]);
    const update = { ...one, scripts: { A: "UPDATE t SET v = 20 WHERE id = 1;" } };
    checkOutcomes(update, "pg:rc", []);
  });

  it("counting upserts lose nothing", () => {
    const count = "INSERT INTO t (id, v) VALUES (3, 1) ON CONFLICT (id) DO UPDATE SET v = t.v + 1;";
    checkOutcomes(scenario({ A: count, B: count }), "pg:rc", ["t: 1,10; 2,20; 3,2"]);
  });

  it("ON CONFLICT fails on a row that changed since the snapshot, also where it does nothing", () => {
    const [a, b] = [1, 2].map((own) => {
      const other = String(3 - own);
      return [
        `SELECT v FROM t WHERE id = ${other};`,
        `UPDATE t SET v = v + 1 WHERE id = ${String(own)};`,
        `INSERT INTO t (id, v) VALUES (${other}, 0) ON CONFLICT DO NOTHING;`,
      ].join("\n");
    });
    checkOutcomes(scenario({ A: a ?? "", B: b ?? "" }), "pg:rr", [
      "T1: v = 20 | T2: v = 11 | t: 1,11; 2,21",
      "T1: v = 21 | T2: v = 10 | t: 1,11; 2,21",
    ]);
  });

  it("a key that the snapshot still has can be inserted again, and its own row replaced", () => {
    const again: Scenario = {
      ...scenario({
        Delete: "DELETE FROM t WHERE id = 1;",
        Insert:
          "SELECT v FROM t WHERE id = 2;\nINSERT INTO t (id, v) VALUES (1, 5) ON CONFLICT DO NOTHING;",
      }),
    };
    checkOutcomes(again, "pg:rr", ["T2: v = 20 | t: 1,5; 2,20", "T2: v = 20 | t: 2,20"]);
    // The transaction would see both rows: that is not followed.
    const reads = { ...again.scripts, Insert: `${again.scripts["Insert"]}\nSELECT v FROM t;` };
    assert.throws(() => outcomesAt({ ...again, scripts: reads }, "pg:rr"), /inserted in its place/);
    checkOutcomes(
      scenario({
        A: "DELETE FROM t WHERE id = 1;\nINSERT INTO t (id, v) VALUES (1, 7);\nSELECT v FROM t WHERE id = 1;",
      }),
      "pg:rr",
      ["T1: v = 7 | t: 1,7; 2,20"],
    );
  });

  it("a CHECK refuses what would break it", () => {
    const checked = table(
      "t",
      { id: "int", v: "int" },
      {
        checks: [
          {
            kind: "comparison",
            operator: ">=",
            left: { kind: "column", relation: "t", column: "v" },
            right: { kind: "literal", value: 0, type: "int" },
          },
        ],
      },
    );
    const take = "UPDATE t SET v = v - 6 WHERE id = 1;";
    checkOutcomes({ ...scenario({ A: take }), tables: [checked] }, "pg:rc", ["t: 1,4; 2,20"]);
    checkOutcomes({ ...scenario({ A: take, B: take }), tables: [checked] }, "pg:rc", []);
  });
});

describe("waiting", () => {
  it("keeps the snapshot with which the statement began", () => {
    const outcomes = outcomesAt(
      scenario({
        Write: "UPDATE t SET v = 11 WHERE id = 1; UPDATE t SET v = 21 WHERE id = 2;",
        Read: "SELECT id, v FROM t ORDER BY id FOR UPDATE;",
      }),
      "pg:rc",
    );
    assert.deepEqual(outcomes, [
      "T2: id = 1, v = 10; id = 2, v = 20 | t: 1,11; 2,21",
      "T2: id = 1, v = 11; id = 2, v = 21 | t: 1,11; 2,21",
    ]);
  });
});

describe("foreign keys that are checked at the commit", () => {
  const after = (deferrable: "immediate" | "deferred") => {
    const foreign = { columns: ["t"], table: "t", referenced: ["id"], deferrable };
    return table("child", { id: "int", t: "int" }, { foreignKeys: [foreign] });
  };
  const add = "INSERT INTO child (id, t) VALUES (7, 1);";
  const runsOf = (
    scripts: Readonly<Record<string, string>>,
    deferrable: "immediate" | "deferred",
    children: readonly { readonly id: number; readonly t: number }[] = [],
    parsers: SqlParsers = {},
  ) => {
    const program = programOf(scripts, [T, after(deferrable)], parsers);
    const setup = {
      instances: instances(...Object.keys(scripts)),
      initial: { t: rowsOf({ 1: 10, 2: 20 }), child: children },
    };
    return enumerateProduct(program, setup, () => productOf("pg:rc"), 1000);
  };

  it("are no evidence where they refuse at once, or make others wait", () => {
    const child = { id: 8, t: 1 };
    for (const [scripts, children] of [
      [{ A: "INSERT INTO child (id, t) VALUES (7, 9);" }, []],
      [{ A: "DELETE FROM t WHERE id = 1;" }, [child]],
      [{ A: "UPDATE t SET id = 3 WHERE id = 1;" }, [child]],
      [{ A: add, B: "DELETE FROM t WHERE id = 1;" }, []],
      [{ A: add, B: "UPDATE t SET id = 3 WHERE id = 1;" }, []],
    ] as const) {
      const said = JSON.stringify(scripts);
      assert.deepEqual(runsOf(scripts, "deferred", children).leftOut, [CHECKED_LATER], said);
      assert.deepEqual(runsOf(scripts, "immediate", children).leftOut, [], said);
    }
  });

  it("no more are those of a part of a statement, which are checked at the end of the whole", async () => {
    const moved =
      "WITH gone AS (DELETE FROM t WHERE id = 1 RETURNING v) INSERT INTO t (id, v) SELECT 1, v FROM gone;";
    const parsers = { pg: await loadPgParser() };
    const run = runsOf({ A: moved }, "immediate", [{ id: 8, t: 1 }], parsers);
    assert.deepEqual(run.leftOut, [CHECKED_LATER]);
    assert.deepEqual(runsOf({ A: moved }, "immediate", [], parsers).leftOut, []);
  });

  it("are as others where nobody meets them", () => {
    for (const other of ["UPDATE t SET v = 5 WHERE id = 1;", "DELETE FROM t WHERE id = 2;", add]) {
      const [now, later] = (["immediate", "deferred"] as const).map((when) =>
        runsOf({ A: add, B: other }, when),
      );
      assert.deepEqual(later?.leftOut, []);
      assert.deepEqual(later?.runs.map(({ final }) => final), now?.runs.map(({ final }) => final)); // prettier-ignore
    }
  });
});

describe("table locks", () => {
  it("exclude each other as documented", () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ["access share", "access exclusive", true],
      ["access share", "exclusive", false],
      ["row exclusive", "share", true],
      ["row exclusive", "row exclusive", false],
      ["share", "share", false],
      ["SHARE MODE", "ROW EXCLUSIVE", true],
      ["share row exclusive", "share row exclusive", true],
      ["row share", "exclusive", true],
      ["row share", "share row exclusive", false],
      ["share update exclusive", "share update exclusive", true],
      ["exclusive", "share row exclusive", true],
    ];
    for (const [held, wanted, expected] of cases) {
      assert.equal(excludes("table t", held, wanted), expected, `${held} / ${wanted}`);
      assert.equal(excludes("table t", wanted, held), expected, `${wanted} / ${held}`);
    }
    assert.equal(excludes("advisory 1", "exclusive", "exclusive"), true);
    assert.equal(excludes("advisory 1", "share", "share"), false);
  });
});

// Facts measured on MariaDB 10.11 that distinguish InnoDB from PostgreSQL, each as a test.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProductLevel } from "../../../server/src/isolation/levels";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import { checkOutcomes, type Scenario } from "./outcomes";
import { instances, productOf, programOf, rowsOf, table } from "./programs";

const T = table("t", { id: "int", v: "int" });
const ALL = [
  "mariadb:read-uncommitted",
  "mariadb:read-committed",
  "mariadb:repeatable-read",
  "mariadb:rrsi",
  "mariadb:serializable",
];
const RR = "mariadb:repeatable-read";
const SI = "mariadb:rrsi";

function check(levels: readonly string[], scenario: Scenario, expected: readonly string[]): void {
  for (const level of levels) checkOutcomes(scenario, level, expected);
}

describe("facts about InnoDB", () => {
  it("an UPDATE with a join acts on the newest version of both rows", () => {
    const scenario: Scenario = {
      tables: [table("a", { id: "int", v: "int" }), table("b", { id: "int", v: "int" })],
      initial: { a: rowsOf({ 1: 0 }), b: rowsOf({ 1: 100 }) },
      scripts: {
        Change: "UPDATE a SET v = 1 WHERE id = 1; UPDATE b SET v = 300 WHERE id = 1;",
        Add: "UPDATE a SET v = a.v + b.v FROM b WHERE a.id = b.id;",
      },
    };
    check([RR, SI, "mariadb:serializable"], scenario, ["a: 1,1 | b: 1,300", "a: 1,301 | b: 1,300"]);
  });

  it("INSERT ... WHERE NOT EXISTS without a unique key inserts twice at READ COMMITTED only", () => {
    const insert = (id: number) =>
      `INSERT INTO t (id, v) SELECT ${String(id)}, 7 WHERE NOT EXISTS (SELECT 1 FROM t WHERE v = 7);`;
    const scenario: Scenario = {
      tables: [T],
      initial: { t: [] },
      scripts: { One: insert(1), Two: insert(2) },
    };
    checkOutcomes(scenario, "mariadb:read-committed", ["t: 1,7", "t: 1,7; 2,7", "t: 2,7"]);
    check([RR, SI, "mariadb:serializable"], scenario, ["t: 1,7", "t: 2,7"]);
  });

  it("one statement per transaction is a write skew at READ COMMITTED only", () => {
    const scenario: Scenario = {
      tables: [table("aa", { id: "int", v: "int" }), table("bb", { id: "int", v: "int" })],
      initial: { aa: rowsOf({ 1: 1 }), bb: rowsOf({ 1: 2 }) },
      scripts: {
        One: "UPDATE aa SET v = v + (SELECT sum(v) FROM bb) WHERE id = 1;",
        Two: "UPDATE bb SET v = v + (SELECT sum(v) FROM aa) WHERE id = 1;",
      },
    };
    const serial = ["aa: 1,3 | bb: 1,5", "aa: 1,4 | bb: 1,3"];
    checkOutcomes(scenario, "mariadb:read-committed", ["aa: 1,3 | bb: 1,3", ...serial]);
    check([RR, SI, "mariadb:serializable"], scenario, serial);
  });

  it("who waits by way of an index has locked its entry, which a holder who came by the key may need", () => {
    const unique = table("t", { id: "int", v: "int", n: "int" }, { uniqueKeys: [{ columns: ["v", "id"] }] }); // prettier-ignore
    const ended = "the entries of an index of t are locked before its rows";
    const leftOut = (first: string, then: string): readonly string[] => {
      const scripts = {
        Hold: `SELECT n FROM t WHERE ${first} FOR UPDATE \\gset\n${then};`,
        Wait: "UPDATE t SET n = 7 WHERE v = 10;",
      };
      const setup = {
        instances: instances("Hold", "Wait"),
        initial: { t: [{ id: 1, v: 10, n: 0 }] },
      };
      const level = (): ProductLevel => productOf("mariadb:read-committed");
      return enumerateProduct(programOf(scripts, [unique]), setup, level, 1000).leftOut;
    };
    for (const then of [
      "UPDATE t SET n = 1 WHERE v = 10",
      "UPDATE t SET v = 11 WHERE id = 1",
      "DELETE FROM t WHERE id = 1",
    ]) {
      assert.deepEqual(leftOut("id = 1", then), [ended], then);
      assert.deepEqual(leftOut("v = 10", then), [], then);
    }
    assert.deepEqual(leftOut("id = 1", "UPDATE t SET n = 1 WHERE id = 1"), []);
  });

  it("a search for the first rows waits where the order of its index leads it", () => {
    const leftOut = (order: string): readonly string[] => {
      const scripts = {
        Change: "UPDATE t SET v = 1 WHERE id = 2; INSERT INTO t (id, v) VALUES (1, 0);",
        First: `SELECT id FROM t WHERE v = 0 ORDER BY ${order} LIMIT 1 FOR UPDATE;`,
      };
      const setup = { instances: instances("Change", "First"), initial: { t: rowsOf({ 2: 0 }) } };
      const level = (): ProductLevel => productOf("mariadb:read-committed");
      return enumerateProduct(programOf(scripts, [T]), setup, level, 1000).leftOut;
    };
    assert.deepEqual(leftOut("id"), []);
    for (const order of ["id DESC", "v, id"])
      assert.deepEqual(leftOut(order), ["a search for the first rows of an order waits before it has them"]); // prettier-ignore
  });

  it("a scan that waits does not come back to a row that is inserted behind it", () => {
    const scan = (id: number, base: number) =>
      `SELECT count(*) AS n FROM t WHERE v >= 15 FOR UPDATE \\gset
       INSERT INTO t (id, v) VALUES (${String(id)}, ${String(base)} + :n);`;
    const scenario: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10, 2: 20 }) },
      scripts: { Behind: scan(0, 30), Ahead: scan(4, 40) },
    };
    check(["mariadb:read-uncommitted", "mariadb:read-committed"], scenario, [
      "T1: n = 1 | T2: n = 1 | t: 0,31; 1,10; 2,20; 4,41",
      "T1: n = 1 | T2: n = 2 | t: 0,31; 1,10; 2,20; 4,42",
      "T1: n = 2 | T2: n = 1 | t: 0,32; 1,10; 2,20; 4,41",
    ]);
  });

  for (const change of ["UPDATE t SET v = v - 1", "DELETE FROM t"])
    it(`${change} with LIMIT tests its rows again after it waited`, () => {
      const scenario: Scenario = {
        tables: [table("t", { id: "int", v: "int", w: "int" })],
        initial: { t: [{ id: 1, v: 5, w: 1 }] },
        scripts: {
          Take: "UPDATE t SET w = 0 WHERE id = 1; UPDATE t SET v = v * 10 WHERE id = 1;",
          Limited: `-- @isolens dialect mariadb\n${change} WHERE w = 1 ORDER BY id LIMIT 1;`,
        },
      };
      const first = change.startsWith("DELETE") ? "t: " : "t: 1,40,0";
      check(ALL, scenario, [first, "t: 1,50,0"]);
    });

  it("UPDATE with LIMIT passes rows that others lock and that do not match at READ COMMITTED", () => {
    const scenario: Scenario = {
      tables: [table("t", { id: "int", v: "int", w: "int" })],
      initial: {
        t: [
          { id: 1, v: 5, w: 0 },
          { id: 2, v: 6, w: 1 },
        ],
      },
      scripts: {
        Match: "UPDATE t SET w = 1 WHERE id = 1; SELECT v FROM t WHERE id = 2;",
        Limited:
          "-- @isolens dialect mariadb\nSELECT id FROM t WHERE id = 1 FOR UPDATE SKIP LOCKED; UPDATE t SET v = 0 WHERE w = 1 ORDER BY id LIMIT 1;",
      },
    };
    checkOutcomes(scenario, "mariadb:read-committed", [
      "T1: v = 0 | T2: id = 1 | t: 1,5,1; 2,0,1",
      "T1: v = 0 | T2: no row | t: 1,5,1; 2,0,1",
      "T1: v = 6 | T2: id = 1 | t: 1,0,1; 2,6,1",
      "T1: v = 6 | T2: no row | t: 1,0,1; 2,6,1",
      "T1: v = 6 | T2: no row | t: 1,5,1; 2,0,1",
    ]);
  });

  it("a subquery of SET reads when its row is locked at READ COMMITTED", () => {
    const scenario: Scenario = {
      tables: [T, table("tot", { id: "int", v: "int" })],
      initial: { t: [], tot: rowsOf({ 1: 0 }) },
      scripts: {
        One: "INSERT INTO t (id, v) VALUES (1, 1); UPDATE tot SET v = (SELECT sum(v) FROM t) WHERE id = 1;",
        Two: "INSERT INTO t (id, v) VALUES (2, 2); UPDATE tot SET v = (SELECT sum(v) FROM t) WHERE id = 1;",
      },
    };
    checkOutcomes(scenario, "mariadb:read-committed", ["t: 1,1; 2,2 | tot: 1,3"]);
  });

  it("an upsert changes a row that the snapshot does not have, unless snapshot isolation is on", () => {
    const scenario: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10 }) },
      scripts: {
        Look: "SELECT v FROM t WHERE id = 1; INSERT INTO t (id, v) VALUES (5, 2) ON CONFLICT (id) DO UPDATE SET v = t.v + 100;",
        Add: "INSERT INTO t (id, v) VALUES (5, 1);",
      },
    };
    checkOutcomes(scenario, RR, ["T1: v = 10 | t: 1,10; 5,101"]);
    checkOutcomes(scenario, SI, ["T1: v = 10 | t: 1,10; 5,101"]);
  });

  it("INSERT IGNORE of a row that the snapshot does not have fails with snapshot isolation", () => {
    const scenario: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10 }) },
      scripts: {
        Look: "SELECT v FROM t WHERE id = 1; INSERT INTO t (id, v) VALUES (5, 2) ON CONFLICT DO NOTHING; SELECT v FROM t WHERE id = 5;",
        Add: "INSERT INTO t (id, v) VALUES (5, 1);",
      },
    };
    checkOutcomes(scenario, RR, [
      "T1: v = 10 / v = 1 | t: 1,10; 5,1",
      "T1: v = 10 / no row | t: 1,10; 5,1",
    ]);
    checkOutcomes(scenario, SI, ["T1: v = 10 / v = 1 | t: 1,10; 5,1"]);
  });

  it("a row that others have deleted since the snapshot has changed", () => {
    const scenario: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10, 7: 70 }) },
      scripts: {
        Again: "SELECT v FROM t WHERE id = 1; INSERT INTO t (id, v) VALUES (7, 1);",
        Remove: "DELETE FROM t WHERE id = 7;",
      },
    };
    checkOutcomes(scenario, RR, ["T1: v = 10 | t: 1,10; 7,1"]);
    checkOutcomes(scenario, SI, ["T1: v = 10 | t: 1,10; 7,1"]);
  });

  it("rows outside of the keys that are asked for have not changed", () => {
    const scenario: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10, 2: 20, 7: 70 }) },
      scripts: {
        Some: "SELECT v FROM t WHERE id = 1; UPDATE t SET v = 5 WHERE id = 1 OR id = 2;",
        Other: "UPDATE t SET v = 99 WHERE id = 7;",
      },
    };
    check(ALL, scenario, ["T1: v = 10 | t: 1,5; 2,5; 7,99"]);
  });

  it("a transaction's own version of a row shows columns that its snapshot does not have", () => {
    const scenario: Scenario = {
      tables: [table("t", { id: "int", v: "int", w: "int" })],
      initial: { t: [{ id: 2, v: 20, w: 0 }] },
      scripts: {
        Own: "SELECT w FROM t WHERE id = 2; UPDATE t SET v = v + 1 WHERE id = 2; SELECT w FROM t WHERE id = 2;",
        Other: "UPDATE t SET w = 9 WHERE id = 2;",
      },
    };
    checkOutcomes(scenario, RR, [
      "T1: w = 0 / w = 0 | t: 2,21,9",
      "T1: w = 0 / w = 9 | t: 2,21,9",
      "T1: w = 9 / w = 9 | t: 2,21,9",
    ]);
    checkOutcomes(scenario, SI, ["T1: w = 0 / w = 0 | t: 2,21,9", "T1: w = 9 / w = 9 | t: 2,21,9"]);
  });

  it("the snapshot is that of the first plain SELECT, not of the first statement", () => {
    const scenario: Scenario = {
      tables: [T],
      initial: { t: rowsOf({ 1: 10, 2: 20 }) },
      scripts: {
        Late: "UPDATE t SET v = 11 WHERE id = 1; SELECT v FROM t WHERE id = 2; SELECT v FROM t WHERE id = 2;",
        Other: "UPDATE t SET v = 22 WHERE id = 2;",
      },
    };
    const rows = "t: 1,11; 2,22";
    check([RR, SI], scenario, [`T1: v = 20 / v = 20 | ${rows}`, `T1: v = 22 / v = 22 | ${rows}`]);
  });

  describe("a query inside of a change that is no UPDATE of one table nor INSERT ... SELECT", () => {
    const tables = ["aa", "bb", "oth"].map((name) => table(name, { id: "int", v: "int" }));
    const initial = {
      aa: rowsOf({ 1: 5, 2: 1 }),
      bb: rowsOf({ 1: 5, 2: 1 }),
      oth: rowsOf({ 1: 5, 2: 5 }),
    };
    const crossed = (read: (own: number, from: string) => string): Scenario => {
      const half = (own: number, from: string, to: string): string =>
        `-- @isolens dialect mariadb\n${read(own, from)}; UPDATE ${to} SET v = 9 WHERE id = 1;`;
      return { tables, initial, scripts: { One: half(1, "aa", "bb"), Two: half(2, "bb", "aa") } };
    };
    const serial = (one: string, two: string): readonly string[] =>
      [one, two].map((rows) => `aa: 1,9; 2,1 | bb: 1,9; 2,1 | oth: ${rows}`);

    it("keeps writers of the rows that it reads out: DELETE", () => {
      const scenario = crossed(
        (own, from) =>
          `DELETE FROM oth WHERE id = ${String(own)} AND v < (SELECT v FROM ${from} WHERE id = 1)`,
      );
      check(ALL, scenario, serial("1,5", "2,5"));
    });

    it("also of each row at hand", () => {
      const scenario = crossed(
        (own, from) =>
          `DELETE FROM oth WHERE id = ${String(own)} AND (SELECT v - oth.v FROM ${from} WHERE id = 1) > 0`,
      );
      check(ALL, scenario, serial("1,5", "2,5"));
    });

    it("also in VALUES, where LIMIT counts groups and not the rows that it counts", () => {
      const scenario = crossed(
        (own, from) =>
          `INSERT INTO oth (id, v) VALUES (${String(own + 2)}, (SELECT SUM(v) + COUNT(*) FROM ${from} LIMIT 1))`,
      );
      check(ALL, scenario, serial("1,5; 2,5; 3,12; 4,8", "1,5; 2,5; 3,8; 4,12"));
    });

    it("also of an UPDATE of several tables", () => {
      const scenario = crossed(
        (own, from) =>
          `UPDATE oth JOIN (SELECT v FROM ${from} WHERE id = 1) d SET oth.v = d.v + 1 WHERE oth.id = ${String(own)}`,
      );
      check(ALL, scenario, serial("1,10; 2,6", "1,6; 2,10"));
    });

    it("does not of an UPDATE of one table below REPEATABLE READ", () => {
      const scenario = crossed(
        (own, from) =>
          `UPDATE oth SET v = (SELECT v FROM ${from} WHERE id = 1) + 1 WHERE id = ${String(own)}`,
      );
      const [one = "", two = ""] = serial("1,10; 2,6", "1,6; 2,10");
      const skewed = "aa: 1,9; 2,1 | bb: 1,9; 2,1 | oth: 1,6; 2,6";
      checkOutcomes(scenario, "mariadb:read-committed", [one, two, skewed]);
      check([RR, SI, "mariadb:serializable"], scenario, [one, two]);
    });
  });
});

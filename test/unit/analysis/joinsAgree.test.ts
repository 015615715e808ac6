// Joins, aggregates over them and dependent subqueries against exhaustive enumeration: random small routines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import { checkRandom } from "./productsHarness";
import type { Choose } from "./productsHarness";

const TABLE = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n";

/** A condition on the rows `a` and `b`. */
function condition(choose: Choose): string {
  const number = choose(["1", "2", "5"]);
  return choose([
    "b.id = a.v",
    "b.id = a.id + 1",
    "b.v > a.v",
    "a.id <> b.id",
    `b.v >= ${number} AND b.id = a.v`,
    `b.id = a.v AND a.v = ${number}`,
  ]);
}

/** A number that a query over two rows at a time gives. */
function query(choose: Choose, into = ""): string {
  const both = condition(choose);
  const number = choose(["1", "2", "5"]);
  const aggregate = choose([
    "count(*)",
    "count(DISTINCT a.v)",
    "count(DISTINCT b.id)",
    "sum(a.v)",
    "sum(a.v + b.v)",
    "min(b.v)",
    "max(a.v - b.v)",
  ]);
  return choose([
    `SELECT ${aggregate}${into} FROM t a JOIN t b ON ${both}`,
    `SELECT ${aggregate}${into} FROM t a, t b WHERE ${both} AND a.v > ${number}`,
    `SELECT count(*)${into} FROM t a WHERE EXISTS (SELECT * FROM t b WHERE ${both})`,
    `SELECT count(*)${into} FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE ${both})`,
    `SELECT count(*)${into} FROM t a WHERE a.v IN (SELECT b.id FROM t b WHERE b.v > ${number})`,
    `SELECT sum((SELECT count(*) FROM t b WHERE ${both}))${into} FROM t a`,
    `SELECT a.v${into} FROM t a JOIN t b ON ${both} WHERE a.id = ${number}`,
    `SELECT a.id${into} FROM t a WHERE a.v > 0 ORDER BY a.v + a.id DESC, a.id LIMIT 1 OFFSET ${choose(["0", "1"])}`,
    `SELECT sum(c.v)${into} FROM (SELECT a.id, b.v FROM t a JOIN t b ON ${both}) c WHERE c.id < 3`,
    `SELECT count(*)${into} FROM (SELECT a.v FROM t a) c WHERE c.v > ${number}`,
  ]);
}

function statement(choose: Choose): string {
  const key = choose(["1", "2", "3"]);
  const number = choose(["1", "2", "5"]);
  const both = condition(choose);
  return choose([
    `x := coalesce((${query(choose)}), 0);`,
    `${query(choose, " INTO x")}; x := coalesce(x, 0);`,
    `UPDATE t SET v = v + ${number} WHERE id = ${key};`,
    `UPDATE t SET v = x WHERE id = ${key};`,
    // Of rows that are deleted, none comes again.
    `INSERT INTO t VALUES (3, ${number});`,
    `DELETE FROM t WHERE id = ${choose(["1", "2"])};`,
    `DELETE FROM t a WHERE a.id = ${choose(["1", "2"])} AND EXISTS (SELECT * FROM t b WHERE ${both});`,
    `UPDATE t a SET v = ${number} WHERE NOT EXISTS (SELECT * FROM t b WHERE ${both});`,
    `UPDATE t a SET v = b.v FROM t b WHERE ${both};`,
    `UPDATE t a SET v = a.v + 1 FROM t b WHERE ${both} AND b.id = ${key};`,
    `UPDATE t a SET v = (SELECT count(*) FROM t b WHERE ${both}) WHERE a.id = ${key};`,
  ]);
}

function randomRoutines(choose: Choose): string {
  const routines = ["a", "b"].map((name) => {
    const count = choose([2, 3]);
    const body = Array.from({ length: count }, () => statement(choose));
    return `CREATE FUNCTION ${name}() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE x integer := 0;
BEGIN
  ${body.join("\n  ")}
  RETURN x;
END $$;\n`;
  });
  return TABLE + routines.join("");
}

test("random joins and subqueries: nothing that enumeration shows is missed", async () => {
  const anomalous = await checkRandom({
    seed: 3,
    rounds: 10,
    programs: randomRoutines,
    levelsOf: () =>
      PRODUCT_LEVELS.filter((each) => !each.serializable && each.name.startsWith("postgres")),
  });
  assert.ok(anomalous >= 2, "too few of the random programs say anything");
});

/** Scripts, whose callers see all rows of a result. */
function randomScripts(choose: Choose): string {
  const scripts = ["A", "B"].map((name) => {
    const lines = Array.from({ length: choose([2, 3]) }, () => {
      const number = choose(["1", "2", "5"]);
      const key = choose(["1", "2", "3"]);
      return choose([
        `SELECT id, v FROM t WHERE v < ${number};`,
        `SELECT a.id, b.v FROM t a JOIN t b ON ${condition(choose)};`,
        `SELECT v FROM t ORDER BY v DESC, id LIMIT 2;`,
        `SELECT id FROM t WHERE v > ${number} EXCEPT SELECT b.v FROM t b;`,
        `UPDATE t SET v = ${number} WHERE id = ${key};`,
        `UPDATE t SET v = v + ${number} WHERE v < ${number};`,
        `DELETE FROM t WHERE id = ${key};`,
      ]);
    });
    return `-- @transaction ${name}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
  });
  return TABLE + scripts.join("");
}

test("random scripts: no difference between sets of rows is missed", async () => {
  const anomalous = await checkRandom({
    seed: 4,
    rounds: 10,
    programs: randomScripts,
    levelsOf: () =>
      PRODUCT_LEVELS.filter((each) => !each.serializable && each.name.startsWith("postgres")),
  });
  assert.ok(anomalous >= 2, "too few of the random programs say anything");
});

// Loops, handlers and savepoints against exhaustive enumeration: random small routines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import { checkRandom } from "./productsHarness";
import type { Choose } from "./productsHarness";

const TABLE = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL CHECK (v < 14));\n";

/** Statements of PL/pgSQL; inside of a loop `r` is its row. */
function statement(choose: Choose, depth: number, row: boolean): string {
  const key = choose(["1", "2", "3"]);
  const number = choose(["1", "2", "5"]);
  const value = row ? choose(["r.v", "x", number]) : choose(["x", number]);
  const place = row ? choose(["r.id", key]) : key;
  const plain: readonly [string, ...string[]] = [
    `SELECT v INTO x FROM t WHERE id = ${place};`,
    `SELECT v INTO x FROM t WHERE id = ${place} FOR UPDATE;`,
    `SELECT count(*) INTO x FROM t WHERE v >= ${number};`,
    `UPDATE t SET v = v + ${number} WHERE id = ${place};`,
    `UPDATE t SET v = ${value} + 1 WHERE id = ${place};`,
    `INSERT INTO t VALUES (${key}, ${value});`,
    `DELETE FROM t WHERE id = ${place};`,
  ];
  if (depth === 0) return choose(plain);
  const inner = (inLoop: boolean): string => statement(choose, depth - 1, inLoop);
  const block: readonly [() => string, ...(() => string)[]] = [
    () => choose(plain),
    () =>
      `FOR r IN SELECT id, v FROM t WHERE v >= ${number} ORDER BY ${choose(["id", "v", "v DESC"])} LOOP ${inner(true)} END LOOP;`,
    () => `FOR j IN 1..2 LOOP ${inner(row)} END LOOP;`,
    () =>
      `BEGIN ${inner(row)} INSERT INTO t VALUES (${key}, ${value}); EXCEPTION WHEN unique_violation THEN ${inner(row)} END;`,
    () =>
      `BEGIN ${inner(row)} IF x > ${number} THEN RAISE EXCEPTION 'x'; END IF; EXCEPTION WHEN raise_exception THEN ${inner(row)} END;`,
    () =>
      `BEGIN ${inner(row)} EXCEPTION WHEN check_violation OR unique_violation THEN ${inner(row)} END;`,
  ];
  return choose(block)();
}

function randomRoutines(choose: Choose): string {
  const routines = ["a", "b"].map((name) => {
    const count = choose([1, 2]);
    const body = Array.from({ length: count }, () => statement(choose, 1, false));
    return `CREATE FUNCTION ${name}() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE r record; x integer := 0;
BEGIN
  ${body.join("\n  ")}
  RETURN x;
END $$;\n`;
  });
  return TABLE + routines.join("");
}

test("random routines: nothing that enumeration shows is missed", async () => {
  const anomalous = await checkRandom({
    seed: 5,
    rounds: 14,
    programs: randomRoutines,
    levelsOf: () =>
      PRODUCT_LEVELS.filter((each) => each.product === "postgres" && !each.serializable),
    unroll: 3,
  });
  assert.ok(anomalous >= 2, "too few of the random programs say anything");
});

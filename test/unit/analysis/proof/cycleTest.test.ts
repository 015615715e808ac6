// Cycles that the texts rule out with any number of rounds: no interleaving of lists and results of up to three items shows an
// anomaly of it, and the search with three rounds finds none. The rest are the cases of which it speaks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import { createCycleTest } from "../../../../server/src/analysis/proof/cycleTest";
import { findLevel, type Level } from "../../../../server/src/isolation/levels";
import type { Program } from "../../../../server/src/program/program";
import { compareVerdicts } from "../agreement";
import { chooser, readRandom, type Choose } from "../productsHarness";

const TABLE = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL, w integer);\n";

const ROUNDS = 12;

function statement(choose: Choose, item: string | undefined): string {
  const id = item ?? choose(["1", "2"]);
  return choose([
    `SELECT v INTO x FROM t WHERE id = ${id};`,
    `SELECT w INTO y FROM t WHERE id = ${id};`,
    `SELECT v INTO x FROM t WHERE id = ${id} FOR UPDATE;`,
    "SELECT count(*) INTO y FROM t WHERE v > 4;",
    `UPDATE t SET v = v + 1 WHERE id = ${id};`,
    `UPDATE t SET v = x + 1 WHERE id = ${id};`,
    `UPDATE t SET w = y WHERE id = ${id};`,
    `UPDATE t SET w = 7 WHERE id = ${id};`,
    `INSERT INTO t VALUES (${id} + 2, 1, 1) ON CONFLICT DO NOTHING;`,
    `DELETE FROM t WHERE id = ${id};`,
  ]);
}

function part(choose: Choose): string {
  const body = (item: string): string =>
    Array.from({ length: choose([1, 1, 2]) }, () => statement(choose, item)).join(" ");
  switch (choose(["plain", "plain", "rows", "list"])) {
    case "rows":
      return `FOR r IN SELECT id FROM t ORDER BY id LOOP ${body("r.id")} END LOOP;`;
    case "list":
      return `FOREACH i IN ARRAY ${choose(["ARRAY[1]", "ARRAY[1, 2]", "ARRAY[2, 1, 2]"])} LOOP ${body("i")} END LOOP;`;
    default:
      return statement(choose, undefined);
  }
}

function routine(choose: Choose, name: string): string {
  const parts = Array.from({ length: choose([1, 2]) }, () => part(choose)).join(" ");
  return `CREATE FUNCTION ${name}() RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE x integer := 0; y integer := 0; i integer; r record;
    BEGIN ${parts} RETURN x + y; END $$;\n`;
}

/** Two random routines, of which some are taken for units: each of their statements commits by itself. */
async function randomProgram(choose: Choose): Promise<{ text: string; program: Program }> {
  const text = TABLE + routine(choose, "a") + routine(choose, "b");
  const program = await readRandom(text);
  const transactions = program.transactions.map((each) =>
    choose([true, false]) ? { ...each, boundary: "unit" as const } : each,
  );
  return { text, program: { ...program, transactions } };
}

function level(name: string): Level {
  const found = findLevel(name);
  if (!found) throw new Error(`no level ${name}`);
  return found;
}

function testOf(program: Program, at: Level) {
  return createCycleTest(flattenProgram(program, { unroll: 1, anyRounds: true }), at);
}

for (const [name, seed] of [
  ["postgres:read-committed", 11],
  ["mysql:repeatable-read", 12],
] as const)
  test(`what has no cycle in any number of rounds has no anomaly at ${name}`, async () => {
    const choose = chooser(seed);
    let compared = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { text, program } = await randomProgram(choose);
      const { may } = testOf(program, level(name));
      for (const members of [
        [0, 0],
        [0, 1],
        [1, 1],
      ]) {
        if (may(members)) continue;
        compared += 1;
        const { shown, claimed } = await compareVerdicts(program, level(name), members, 3);
        const units = program.transactions.map(({ boundary }) => boundary).join();
        assert.deepEqual([shown, claimed], ["none", "none"], `${members.join()} ${units}\n${text}`);
      }
    }
    assert.ok(compared > ROUNDS / 4, `only ${String(compared)} were compared`);
  });

async function speaks(bodies: readonly string[], at: string): Promise<string> {
  const routines = bodies.map(
    (
      body,
      n,
    ) => `CREATE FUNCTION f${String(n)}(ids integer[]) RETURNS integer LANGUAGE plpgsql AS $$
      DECLARE x integer := 0; y integer := 0; i integer; r record; BEGIN ${body} RETURN x; END $$;\n`,
  );
  const { may } = testOf(await readRandom(TABLE + routines.join("")), level(at));
  return bodies
    .flatMap((_, a) => bodies.map((__, b) => [a, b]))
    .filter((pair) => may(pair))
    .map((pair) => pair.join(""))
    .join(" ");
}

const EACH = (body: string): string => `FOREACH i IN ARRAY ids LOOP ${body} END LOOP;`;

test("a change in place for each item of a list has no cycle, a change of what was read has one", async () => {
  const rc = "postgres:read-committed";
  assert.equal(await speaks([EACH("UPDATE t SET v = v + 1 WHERE id = i;")], rc), "");
  const stale = "SELECT v INTO x FROM t WHERE id = i; UPDATE t SET v = x WHERE id = i;";
  assert.equal(await speaks([EACH(stale)], rc), "00");
});

test("a read behind a change in the text may come before it in another round", async () => {
  const rc = "postgres:read-committed";
  const late = "UPDATE t SET v = v + 1 WHERE id = i; SELECT w INTO x FROM t WHERE id = i;";
  const both = "UPDATE t SET v = 5, w = 5 WHERE id = 1;";
  assert.equal(await speaks([late, both], rc), "");
  assert.equal(await speaks([EACH(late), both], rc), "01 10");
});

test("what InnoDB reads for a change is among the newest rows, also where the state of plain reads is older", async () => {
  const copies = "UPDATE t SET w = (SELECT v FROM t WHERE id = 1) WHERE id = 3;";
  const reads = "SELECT v INTO x FROM t WHERE id = 2;";
  const both = "UPDATE t SET v = 7 WHERE id = 2; UPDATE t SET v = 7 WHERE id = 1;";
  const begun = "mysql:repeatable-read(consistent-snapshot)";
  assert.equal(await speaks([copies + reads, both], begun), "01 10");
});

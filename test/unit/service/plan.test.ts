// Plans for programs in which every pair is too many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import type { FileId } from "../../../server/src/protocol/source";
import { planner } from "../../../server/src/service/search/plan";

const MANY = 405;

async function flatOf(text: string) {
  const program = readProgram([{ file: "a.sql" as FileId, text }], { pg: await loadPgParser() });
  return flattenProgram(program, { unroll: 1 });
}

/** Transaction n changes table(n) and reads table(n + 1), so that all are connected. */
async function planOf(table: (n: number) => number) {
  const tables = new Set<number>();
  const routines = Array.from({ length: MANY }, (_, n) => {
    for (const each of [n, n + 1]) tables.add(table(each));
    return `CREATE FUNCTION f${String(n)}(k integer) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE x integer; BEGIN SELECT v INTO x FROM t${String(table(n + 1))} WHERE id = k;
      UPDATE t${String(table(n))} SET v = v + x WHERE id = k; END $$;`;
  });
  const created = [...tables].map(
    (each) => `CREATE TABLE t${String(each)} (id integer PRIMARY KEY, v integer NOT NULL);`,
  );
  const text = [...created, ...routines].join("\n");
  const level = findLevel("read-atomic");
  assert.ok(level);
  const { units, omitted } = planner(await flatOf(text))(level, 2);
  return { pairs: new Set(units.map((unit) => [...unit.transactions].sort().join())), omitted };
}

test("pairs of a large program are found by the tables that they share", async () => {
  const { pairs, omitted } = await planOf((n) => n % 45);
  assert.deepEqual(omitted, []);
  // Both change the same table.
  for (const pair of ["0,45", "0,90"]) assert.ok(pairs.has(pair), pair);
  assert.ok(!pairs.has("0,2"));
});

test("where too many share a table, each is asked about with itself, and the rest is said", async () => {
  const { pairs, omitted } = await planOf(() => 0);
  assert.deepEqual(omitted, [
    "too many transactions share the tables t0 to search every two of them; check fewer files at a time",
  ]);
  for (const pair of ["0,0", "7,7"]) assert.ok(pairs.has(pair), pair);
});

test("what a test rules out is not planned at its levels, in no part of the program", async () => {
  const level = findLevel("pg:rc");
  const other = findLevel("pg:rr");
  assert.ok(level && other);
  const routine = (name: string): string => `CREATE FUNCTION ${name}(k integer) RETURNS void
    LANGUAGE plpgsql AS $$ DECLARE x integer; BEGIN SELECT v INTO x FROM t WHERE id = k;
    UPDATE t SET v = x + 1 WHERE id = k; END $$;`;
  const table = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);";
  const flat = await flatOf([table, ...["a", "b", "c"].map(routine)].join("\n"));
  const plan = planner(flat, { levels: level, may: (members) => !members.includes(1) });
  const membersAt = (...asked: Parameters<typeof plan>): readonly string[] =>
    [
      ...new Set(plan(...asked).units.map(({ transactions }) => [...transactions].sort().join())),
    ].sort();
  assert.deepEqual(membersAt(level, 2), ["0,0", "0,2", "2,2"]);
  assert.deepEqual(membersAt(level, 2, [1, 2]), ["2,2"]);
  assert.deepEqual(membersAt(other, 2, [1, 2]), ["1,1", "1,2", "2,2"]);
});

test("the pairs of a large program are asked about in the order of their worth, whatever file they stand in", async () => {
  const lesser = Array.from(
    { length: MANY },
    (_, n) => `CREATE FUNCTION f${String(n)}(k integer) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE x integer; BEGIN SELECT v INTO x FROM t WHERE id = k;
      IF x = 1 THEN UPDATE t SET v = 2 WHERE id = k; END IF; END $$;`,
  );
  const lost = `CREATE FUNCTION pay(k integer) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE x integer; BEGIN SELECT balance INTO x FROM account WHERE id = k;
    UPDATE account SET balance = x - 1 WHERE id = k; UPDATE t SET v = 1 WHERE id = k; END $$;`;
  const tables = ["t (id integer PRIMARY KEY, v integer)", "account (id integer PRIMARY KEY, balance integer)"]; // prettier-ignore
  const text = [...tables.map((each) => `CREATE TABLE ${each};`), ...lesser, lost].join("\n");
  const level = findLevel("pg:rc");
  assert.ok(level);
  const { units } = planner(await flatOf(text))(level, 2);
  assert.deepEqual(units[0]?.transactions, [MANY, MANY]);
});

// Random units beside units and transactions: what the search claims at products' levels against exhaustive enumeration,
// and the two encodings against each other at SERIALIZABLE, which units are searched at like at any level.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findLevel, type Level } from "../../../server/src/isolation/levels";
import { effectiveLevels } from "../../../server/src/service/verdict/effectiveLevels";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import { runSchedule } from "../../../server/src/store/run";
import { outcomeOf } from "../../../server/src/store/toExecution";
import { verdictOf } from "./agreement";
import { checkRandom, chooser, readRandom, type Choose } from "./productsHarness";

/** Names of what was read so far, in order. */
type Read = string[];

function statement(choose: Choose, read: Read): string {
  const id = choose(["1", "2"]);
  const [first, ...others] = read;
  const value = first === undefined ? "3" : choose([first, ...others]);
  const keep = (expression: string, rest: string): string => {
    const name = `x${String(read.length + 1)}`;
    read.push(`coalesce(:${name}, 0)`);
    return `SELECT ${expression} AS ${name} FROM t WHERE ${rest} \\gset`;
  };
  switch (choose(["read", "read", "lock", "count", "add", "set", "many", "insert", "delete"])) {
    case "read":
      return keep("v", `id = ${id}`);
    case "lock":
      return keep("v", `id = ${id} FOR UPDATE`);
    case "count":
      return keep("count(*)", "v > 4");
    case "add":
      return `UPDATE t SET v = v + 1 WHERE id = ${id};`;
    case "set":
      return `UPDATE t SET v = ${value} + 1 WHERE id = ${id};`;
    case "many":
      return "UPDATE t SET v = v + 1 WHERE v > 4;";
    case "insert":
      return `INSERT INTO t VALUES (${id}, ${value}) ON CONFLICT DO NOTHING;`;
    default:
      return `DELETE FROM t WHERE id = ${id};`;
  }
}

function unit(choose: Choose, name: string): string {
  const read: Read = [];
  const lines = [`-- @isolens unit ${name}`];
  for (let left = choose([2, 2, 3]); left > 0; left -= 1) {
    const own = [statement(choose, read)];
    if (choose([false, false, true])) own.unshift("BEGIN;");
    if (own.length > 1) {
      if (choose([false, true])) own.push(statement(choose, read));
      own.push(choose(["COMMIT;", "COMMIT;", "ROLLBACK;"]));
    }
    lines.push(...own);
  }
  return lines.join("\n");
}

function transaction(choose: Choose, name: string): string {
  const read: Read = [];
  const lines = [statement(choose, read), statement(choose, read)];
  return [`-- @isolens transaction ${name}`, "BEGIN;", ...lines, "COMMIT;"].join("\n");
}

function programs(choose: Choose): string {
  const second = choose([unit, unit, transaction]);
  const table = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);";
  return [table, unit(choose, "A"), second(choose, "B"), ""].join("\n");
}

function level(name: string): Level {
  const found = findLevel(name);
  if (!found) throw new Error(`no level ${name}`);
  return found;
}

for (const [name, seed] of [
  ["postgres:read-committed", 1],
  ["postgres:repeatable-read", 2],
  ["postgres:serializable", 3],
  ["mysql:repeatable-read", 4],
] as const)
  test(`random units agree with enumeration at ${name}`, async () => {
    const levels = level(name);
    const found = await checkRandom({ seed, rounds: 4, programs, levelsOf: () => [levels] });
    assert.ok(found > 0);
  });

test("random units agree with enumeration where their transactions have levels of their own", async () => {
  const postgres = [
    "BEGIN ISOLATION LEVEL READ COMMITTED;",
    "BEGIN ISOLATION LEVEL REPEATABLE READ;",
    "BEGIN ISOLATION LEVEL SERIALIZABLE;",
  ] as const;
  let mixed = 0;
  const found = await checkRandom({
    seed: 7,
    rounds: 5,
    programs: (choose) =>
      programs(choose).replace(/^BEGIN;$/gm, () => choose(["BEGIN;", ...postgres])),
    levelsOf: ({ transactions }) =>
      ["postgres:read-committed", "postgres:serializable"].map((name) => {
        const { levels, unknown } = effectiveLevels(transactions, level(name));
        assert.deepEqual(unknown, []);
        if (levels.family === "mixed" && levels.inside) mixed += 1;
        return levels;
      }),
  });
  assert.ok(found > 0 && mixed > 1);
});

test("both encodings say the same of units at SERIALIZABLE", async () => {
  const choose = chooser(5);
  for (let round = 0; round < 5; round += 1) {
    const text = programs(choose);
    const program = await readRandom(text);
    const product = await verdictOf(program, level("postgres:serializable"), [0, 1]);
    const paper = await verdictOf(program, level("serializable"), [0, 1]);
    assert.equal(paper, product, text);
  }
});

test("every interleaving of units runs again by its schedule", async () => {
  const choose = chooser(6);
  const instances = ["A", "B"].map((name, at) => ({
    instance: `T${String(at + 1)}`,
    transaction: name,
    arguments: {},
  }));
  const initial = { t: [5, 6].map((v, at) => ({ id: at + 1, v })) };
  for (let round = 0; round < 6; round += 1) {
    const text = programs(choose);
    const program = await readRandom(text);
    const levels = level("postgres:read-committed");
    assert.ok(levels.family === "product");
    const { runs, schedules } = enumerateProduct(program, { instances, initial }, () => levels, 40);
    for (const [at, run] of runs.entries()) {
      const schedule = schedules[at] ?? [];
      const again = runSchedule(program, levels, { instances, initial, schedule });
      assert.ok(again.ok, again.ok ? "" : `${again.reason} in\n${text}`);
      assert.deepEqual(again.execution.outcome, outcomeOf(run), text);
    }
  }
});

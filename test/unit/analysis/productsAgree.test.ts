// The search against exhaustive enumeration: what no interleaving shows may not be found, and what some interleaving of
// a random small program shows must be found.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRODUCT_LEVELS, type ProductLevel } from "../../../server/src/isolation/levels";
import type { Levels } from "../../../server/src/isolation/mixedLevels";
import type { Program } from "../../../server/src/program/program";
import { checkRandom } from "./productsHarness";
import type { Choose } from "./productsHarness";

function statement(choose: Choose, number: number, known: string[]): string {
  const key = choose(["1", "2"]);
  const constant = choose(["1", "2", "5"]);
  const [first, ...others] = known;
  const value = first === undefined ? constant : `:${choose([first, ...others])}`;
  const name = `x${String(number)}`;
  const reads: readonly [string, ...string[]] = [
    `SELECT v AS ${name} FROM t WHERE id = ${key}`,
    `SELECT v AS ${name} FROM t WHERE id = ${key} FOR UPDATE`,
    `SELECT v AS ${name} FROM t WHERE id = ${key} FOR SHARE`,
    `SELECT count(*) AS ${name} FROM t WHERE v >= ${constant}`,
    `SELECT coalesce(sum(v), 0) AS ${name} FROM t`,
    `SELECT coalesce(max(v), 0) AS ${name} FROM t WHERE v <= 6`,
  ];
  const writes: readonly [string, ...string[]] = [
    `UPDATE t SET v = v + ${value} WHERE id = ${key}`,
    `UPDATE t SET v = ${value} + 1 WHERE id = ${key}`,
    `UPDATE t SET v = v - ${constant} WHERE id = ${key} AND v >= ${constant}`,
    `UPDATE t SET v = v + 10 WHERE v >= 2`,
    `INSERT INTO t (id, v) VALUES (3, ${value})`,
    `INSERT INTO t (id, v) VALUES (2, ${value}) ON CONFLICT (id) DO UPDATE SET v = t.v + 1`,
    `DELETE FROM t WHERE id = ${key}`,
  ];
  if (choose(["read", "write"]) === "write") return `${choose(writes)};`;
  known.push(name);
  return `${choose(reads)} \\gset`;
}

function randomProgram(choose: Choose): string {
  const scripts = ["a", "b"].map((name) => {
    const known: string[] = [];
    const count = choose([1, 2, 3]);
    const lines = Array.from({ length: count }, (_, number) => statement(choose, number, known));
    return `-- @transaction ${name}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
  });
  return `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n${scripts.join("")}`;
}

const POSTGRES = PRODUCT_LEVELS.filter((each) => each.product === "postgres");
/** Levels of others that are encoded in ways of their own. */
const OTHERS = [
  "mariadb:repeatable-read",
  "mariadb:read-committed",
  "mariadb:repeatable-read(snapshot-isolation=on)",
  "mariadb:serializable",
  "sqlserver:read-committed",
  "sqlserver:repeatable-read",
  "sqlserver:read-committed-snapshot",
  "oracle:read-committed",
  "tidb:repeatable-read",
].map(levelNamed);

function levelNamed(name: string): ProductLevel {
  const level = PRODUCT_LEVELS.find((each) => each.name === name);
  if (level === undefined) throw new Error(`no level ${name}`);
  return level;
}

/** Every mixture of two of these levels. */
function mixtures(levels: readonly ProductLevel[], program: Program): readonly Levels[] {
  const [first = "", second = ""] = program.transactions.map((each) => each.id);
  return levels.flatMap((a) =>
    levels
      .filter((b) => b !== a)
      .map((b): Levels => ({
        family: "mixed",
        perTransaction: { [first]: a, [second]: b },
        serializablePairs: [],
      })),
  );
}

test("random pairs: nothing that enumeration shows is missed", async () => {
  const single = POSTGRES.filter((each) => !each.serializable);
  const anomalous = await checkRandom({
    seed: 20,
    rounds: 40,
    programs: randomProgram,
    levelsOf: () => single,
  });
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

test("random pairs at two levels: nothing that enumeration shows is missed", async () => {
  const anomalous = await checkRandom({
    seed: 7,
    rounds: 20,
    programs: randomProgram,
    levelsOf: (program) => mixtures(POSTGRES, program),
  });
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

test("random pairs at other databases' levels: nothing that enumeration shows is missed", async () => {
  let turn = 0;
  const anomalous = await checkRandom({
    seed: 5,
    rounds: 60,
    programs: randomProgram,
    // Each program at two of them.
    levelsOf: () => [0, 1].flatMap(() => OTHERS[turn++ % OTHERS.length] ?? []),
  });
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

test("random pairs at two levels of InnoDB: nothing that enumeration shows is missed", async () => {
  const innodb = ["read-committed", "repeatable-read", "serializable"].map((each) =>
    levelNamed(`mariadb:${each}`),
  );
  let turn = 0;
  const anomalous = await checkRandom({
    seed: 12,
    rounds: 60,
    programs: randomProgram,
    levelsOf: (program) => {
      const all = mixtures(innodb, program);
      return [all[turn++ % all.length]].flatMap((each) => each ?? []);
    },
  });
  assert.ok(anomalous >= 3, "too few of the random programs say anything");
});

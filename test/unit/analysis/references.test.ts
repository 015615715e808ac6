// Foreign keys between transactions: who writes a row needs its parent, and who deletes a parent needs it to have no
// children. At the papers' levels nothing else keeps two such transactions apart; at databases' levels locks do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { planPapers, solvePapers } from "../../../server/src/analysis/search/literature/backend";
import { planProduct, solveProduct } from "../../../server/src/analysis/search/products/backend";
import { openZ3 } from "../../../server/src/engine/z3";
import { findLevel } from "../../../server/src/isolation/levels";
import { LIMITS } from "./papersHarness";
import { checkRandom, readRandom } from "./productsHarness";
import type { Choose } from "./productsHarness";

const solvers = openZ3();

const TABLES = `
CREATE TABLE parent (id integer PRIMARY KEY, n integer NOT NULL);
CREATE TABLE child (id integer PRIMARY KEY, parent integer NOT NULL REFERENCES parent (id));
CREATE TABLE emp (id integer PRIMARY KEY, boss integer REFERENCES emp (id));
CREATE TABLE task (id integer PRIMARY KEY, state integer NOT NULL, ended_by integer REFERENCES parent (id));
CREATE TABLE y (id integer PRIMARY KEY, v integer NOT NULL);
`;

const SI = "snapshot-isolation";
const RC = "postgres:read-committed";
const RR = "postgres:repeatable-read";
const INNODB = "mysql:repeatable-read";

/** True if two transactions have an anomaly at these levels and none at those; everything is decided. */
function check(
  name: string,
  bodies: readonly [string, string],
  expected: { readonly at: readonly string[]; readonly notAt: readonly string[] },
): void {
  test(name, async () => {
    const scripts = bodies.map(
      (body, at) => `-- @transaction t${String(at)}\nBEGIN;\n${body}\nCOMMIT;\n`,
    );
    const program = await readRandom(TABLES + scripts.join(""));
    const flat = flattenProgram(program, { unroll: 1 });
    for (const levelName of [...expected.at, ...expected.notAt]) {
      const level = findLevel(levelName);
      assert.ok(level);
      const z3 = await solvers;
      const units =
        level.family === "paper" ? planPapers(flat, level, 2) : planProduct(flat, level, 2);
      const both = units.filter(({ transactions }) => new Set(transactions).size === 2);
      const results = both.map((unit) =>
        level.family === "paper"
          ? solvePapers(z3, program, flat, level, unit, LIMITS)
          : solveProduct(z3, program, flat, level, unit, LIMITS),
      );
      const statuses = results.flatMap(({ findings }) =>
        findings.map(({ confirmation }) => confirmation.status),
      );
      assert.ok(
        results.every(({ undecided }) => undecided.length === 0),
        levelName,
      );
      assert.ok(
        statuses.every((status) => status === "confirmed"),
        levelName,
      );
      assert.equal(statuses.length > 0, expected.at.includes(levelName), levelName);
    }
  });
}

const ADD = "INSERT INTO child VALUES (:c, :p);";
const END = (state: number, also = ""): string =>
  `SELECT state FROM task WHERE id = :t \\gset\n\\if :state = 0\nUPDATE task SET state = ${String(state)}${also} WHERE id = :t;\n\\endif`;

check("what an update refers to is there from the start", [END(1, ", ended_by = :p"), END(2)], {
  at: [RC],
  notAt: ["postgres:serializable"],
});

check(
  "what an update refers to in one case is there from the start",
  [
    "SELECT state, ended_by FROM task WHERE id = :t \\gset\n\\if :state = 0 AND :ended_by <> :p\n" +
      "UPDATE task SET state = 1, ended_by = CASE WHEN :kind = 7 THEN NULL ELSE :p END WHERE id = :t;\n\\endif",
    END(2),
  ],
  { at: [RC], notAt: ["postgres:serializable"] },
);

const MOVE = "UPDATE child SET parent = :p WHERE id = :c;";
const APART = { at: [SI, "read-committed"], notAt: ["serializable", RC, RR, INNODB] };

check("a child comes while its parent goes", [ADD, "DELETE FROM parent WHERE id = :p;"], APART);
check("while several rows go", [ADD, "DELETE FROM parent WHERE n < :n;"], APART);
check("a child moves to a parent that goes", [MOVE, "DELETE FROM parent WHERE id = :p;"], APART);
check(
  "within one table",
  ["INSERT INTO emp VALUES (:e, :b);", "DELETE FROM emp WHERE id = :b;"],
  APART,
);

const READ = "SELECT v FROM y WHERE id = 1;";
const WRITE = "UPDATE y SET v = v + 1 WHERE id = 1;";
const SPLIT = { at: [RC, INNODB], notAt: [SI, RR, "serializable"] };

// The check of a key reads the newest rows at REPEATABLE READ as well; run on PostgreSQL 18.
check(
  "who deletes a parent saw that its children had gone",
  [`${READ} DELETE FROM parent WHERE id = :p;`, `DELETE FROM child WHERE parent = :p; ${WRITE}`],
  { at: [RC, RR, INNODB], notAt: [SI, "serializable"] },
);
check(
  "who moves a child saw its new parent",
  [`${READ} ${MOVE}`, `INSERT INTO parent VALUES (:p, 1); ${WRITE}`],
  SPLIT,
);

test("rows at the start of a witness have their parents there too", async () => {
  const program = await readRandom(`
CREATE TABLE acc (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE item (id integer PRIMARY KEY, acc integer NOT NULL REFERENCES acc, n integer NOT NULL);
-- @transaction f
BEGIN;
SELECT sum(n) FROM item WHERE acc = :p;
INSERT INTO acc VALUES (:a, :q);
UPDATE item SET n = n + 1 WHERE acc = :p;
COMMIT;`);
  const flat = flattenProgram(program, { unroll: 1 });
  const z3 = await solvers;
  for (const name of [RC, "read-committed", SI]) {
    const level = findLevel(name);
    assert.ok(level);
    const units =
      level.family === "paper" ? planPapers(flat, level, 2) : planProduct(flat, level, 2);
    const findings = units.flatMap((unit) =>
      level.family === "paper"
        ? solvePapers(z3, program, flat, level, unit, LIMITS).findings
        : solveProduct(z3, program, flat, level, unit, LIMITS).findings,
    );
    if (name === RC) assert.ok(findings.length > 0);
    for (const { confirmation } of findings) {
      const { acc = [], item = [] } = confirmation.witness.initial;
      const keys = new Set(acc.map(({ id }) => id));
      for (const row of item) assert.ok(keys.has(row.acc), name);
    }
  }
});

test("what is not looked up is said", async () => {
  const told = async (body: string): Promise<readonly string[]> => {
    const text = `CREATE TABLE p (id integer PRIMARY KEY, code integer UNIQUE);
CREATE TABLE c (id integer PRIMARY KEY, code integer REFERENCES p (code));
BEGIN; SELECT * FROM c WHERE id = 1; ${body} COMMIT;`;
    const flat = flattenProgram(await readRandom(text), { unroll: 1 });
    return flat.transactions[0]?.losses ?? [];
  };
  assert.match((await told("UPDATE p SET code = :n WHERE id = 1;")).join(), /rows of c refer to/u);
  assert.match(
    (await told("SELECT * FROM p WHERE id = 1; UPDATE c SET code = code + 1;")).join(),
    /rows of p that an UPDATE/u,
  );
  assert.deepEqual(await told("DELETE FROM p WHERE id = 1;"), []);
});

test("random programs with parents and children agree with enumeration", async () => {
  const statement = (choose: Choose): string =>
    choose([
      "INSERT INTO child VALUES (:c, :p);",
      "UPDATE child SET parent = :p WHERE id = :c;",
      "DELETE FROM child WHERE id = :c;",
      "DELETE FROM child WHERE parent = :p;",
      "DELETE FROM parent WHERE id = :p;",
      "INSERT INTO parent VALUES (:p, 0);",
      "SELECT n FROM parent WHERE id = :p;",
      "UPDATE parent SET n = n + 1 WHERE id = :p;",
      "SELECT count(*) FROM child WHERE parent = :p;",
    ]);
  const tables = TABLES.split("\n").slice(0, 3).join("\n");
  const programs = (choose: Choose): string =>
    tables +
    ["a", "b"]
      .map(
        (name) =>
          `\n-- @transaction ${name}\nBEGIN;\n${statement(choose)}\n${choose(["", statement(choose)])}\nCOMMIT;`,
      )
      .join("");
  const levelsOf = () => [RC, RR].flatMap((name) => findLevel(name) ?? []);
  assert.ok((await checkRandom({ seed: 7, rounds: 12, programs, levelsOf })) > 0);
});

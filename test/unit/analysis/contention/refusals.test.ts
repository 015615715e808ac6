// Deadlocks of programs as people write them, and their twins that lock in one order and are silent.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRefusals } from "../../../../server/src/analysis/contention/refusals";
import { explainRefusal } from "../../../../server/src/analysis/explain/refusal";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Anomaly } from "../../../../server/src/protocol/report";
import type { FileId } from "../../../../server/src/protocol/source";
import { analysablePart } from "../../../../server/src/service/search/analysable";

const parser = loadPgParser();

/** The deadlocks of a program, in the order in which they are found. */
async function deadlocks(text: string, levelName: string): Promise<readonly Anomaly[]> {
  const level = findLevel(levelName);
  assert.ok(level, levelName);
  const read = readProgram([{ file: "a.sql" as FileId, text }], { pg: await parser });
  const { program, flat } = analysablePart(read, 2);
  return findRefusals(program, flat, level).map((each) => explainRefusal(program, level, each));
}

interface Case {
  readonly name: string;
  readonly schema: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** The transactions of each deadlock, by level. */
  readonly expected: Readonly<Record<string, readonly string[]>>;
}

const ACCOUNT = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";
const UPDATE = (who: string, how: string) =>
  `UPDATE account SET balance = balance ${how} WHERE id = ${who};`;

const CASES: readonly Case[] = [
  {
    name: "a transfer and one in the other direction",
    schema: ACCOUNT,
    scripts: { transfer: UPDATE(":a", "- 1") + UPDATE(":b", "+ 1") },
    expected: { "pg:rc": ["transfer transfer"], "mariadb:repeatable-read": ["transfer transfer"] },
  },
  {
    name: "a transfer that locks the smaller key first",
    schema: ACCOUNT,
    scripts: {
      transfer: `SELECT id FROM account WHERE id = LEAST(:a, :b) FOR UPDATE;
SELECT id FROM account WHERE id = GREATEST(:a, :b) FOR UPDATE;
${UPDATE(":a", "- 1")}${UPDATE(":b", "+ 1")}`,
    },
    expected: { "pg:rc": [], "mariadb:repeatable-read": [] },
  },
  {
    name: "both rows locked by one statement in order",
    schema: ACCOUNT,
    scripts: {
      transfer: `SELECT id FROM account WHERE id IN (:a, :b) ORDER BY id FOR UPDATE;
${UPDATE(":a", "- 1")}${UPDATE(":b", "+ 1")}`,
    },
    expected: { "pg:rc": [], "mariadb:repeatable-read": [] },
  },
  {
    name: "two transactions that lock two tables in opposite orders",
    schema: `${ACCOUNT} CREATE TABLE branch (id int PRIMARY KEY, total int NOT NULL);`,
    scripts: {
      deposit: `${UPDATE(":a", "+ 1")} UPDATE branch SET total = total + 1 WHERE id = :b;`,
      audit: `UPDATE branch SET total = 0 WHERE id = :b; ${UPDATE(":a", "+ 0")}`,
    },
    expected: { "pg:rc": ["deposit audit"], "mariadb:read-committed": ["deposit audit"] },
  },
  {
    name: "two transactions that lock two tables in one order",
    schema: `${ACCOUNT} CREATE TABLE branch (id int PRIMARY KEY, total int NOT NULL);`,
    scripts: {
      deposit: `${UPDATE(":a", "+ 1")} UPDATE branch SET total = total + 1 WHERE id = :b;`,
      audit: `${UPDATE(":a", "+ 0")} UPDATE branch SET total = 0 WHERE id = :b;`,
    },
    expected: { "pg:rc": [], "mariadb:repeatable-read": [] },
  },
  {
    name: "three in a ring",
    schema: ["a", "b", "c"].map((t) => `CREATE TABLE ${t} (id int PRIMARY KEY, n int);`).join(" "),
    scripts: {
      one: "UPDATE a SET n = 1 WHERE id = :x; UPDATE b SET n = 1 WHERE id = :y;",
      two: "UPDATE b SET n = 2 WHERE id = :x; UPDATE c SET n = 2 WHERE id = :y;",
      three: "UPDATE c SET n = 3 WHERE id = :x; UPDATE a SET n = 3 WHERE id = :y;",
    },
    expected: { "pg:rc": ["one two three"], "mariadb:repeatable-read": ["one two three"] },
  },
  {
    name: "a row that is read FOR SHARE and then changed",
    schema: ACCOUNT,
    scripts: { add: `SELECT balance FROM account WHERE id = :a FOR SHARE; ${UPDATE(":a", "+ 1")}` },
    expected: { "pg:rc": ["add add"], "mariadb:read-committed": ["add add"] },
  },
  {
    name: "a row that is read FOR UPDATE and then changed",
    schema: ACCOUNT,
    scripts: {
      add: `SELECT balance FROM account WHERE id = :a FOR UPDATE; ${UPDATE(":a", "+ 1")}`,
    },
    expected: { "pg:rc": [], "mariadb:repeatable-read": [] },
  },
  {
    name: "a row that SERIALIZABLE of InnoDB locks when it is read",
    schema: ACCOUNT,
    scripts: { add: `SELECT balance FROM account WHERE id = :a; ${UPDATE(":a", "+ 1")}` },
    expected: { "pg:rc": [], "mariadb:repeatable-read": [], "mariadb:serializable": ["add add"] },
  },
  {
    name: "a row that is looked for FOR UPDATE and then inserted: InnoDB locks the gap",
    schema: ACCOUNT,
    scripts: {
      open: "SELECT id FROM account WHERE id = :a FOR UPDATE; INSERT INTO account VALUES (:a, 0);",
    },
    expected: {
      "pg:rc": [],
      "mariadb:read-committed": [],
      "mariadb:repeatable-read": ["open open"],
    },
  },
  {
    name: "a child whose parent is changed behind it: InnoDB locks the parent in share mode",
    schema: `CREATE TABLE customer (id int PRIMARY KEY, orders int NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customer (id));`,
    scripts: {
      buy: `INSERT INTO orders VALUES (:o, :c); UPDATE customer SET orders = orders + 1 WHERE id = :c;`,
    },
    expected: { "pg:rc": [], "mariadb:repeatable-read": ["buy buy"] },
  },
  {
    name: "rows that are inserted in the order of the arguments",
    schema: ACCOUNT,
    scripts: { open: "INSERT INTO account VALUES (:a, 0); INSERT INTO account VALUES (:b, 0);" },
    expected: { "pg:rc": ["open open"], "mariadb:repeatable-read": ["open open"] },
  },
  {
    name: "each statement by itself",
    schema: ACCOUNT,
    scripts: { one: UPDATE(":a", "- 1"), two: UPDATE(":b", "+ 1") },
    expected: { "pg:rc": [], "mariadb:repeatable-read": [] },
  },
];

describe("deadlocks", () => {
  for (const { name, schema, scripts, expected } of CASES)
    for (const [level, transactions] of Object.entries(expected))
      it(`${name}, at ${level}`, async () => {
        const texts = Object.entries(scripts).map(
          ([script, body]) => `-- @transaction ${script}\nBEGIN;\n${body}\nCOMMIT;`,
        );
        const found = await deadlocks([schema, ...texts].join("\n"), level);
        assert.deepEqual(
          found.map((each) => each.transactions.join(" ")),
          transactions,
        );
        for (const { cycle, witness, steps } of found) {
          assert.equal(cycle.length, witness.instances.length);
          assert.ok(cycle.every(({ dependency }) => dependency === "waits"));
          assert.equal(steps.filter(({ statement }) => statement === "rollback").length, 1);
        }
      });

  it("are told in plain words", async () => {
    const text = `${ACCOUNT}
-- @transaction transfer
BEGIN;
${UPDATE(":a", "- 1")}
${UPDATE(":b", "+ 1")}
COMMIT;`;
    const [pg] = await deadlocks(text, "pg:rc");
    assert.equal(
      pg?.message,
      "transfer(1, 2) and transfer(2, 1) wait for each other, and the server ends one of them (40P01): " +
        "transfer(1, 2) wants account[2], which transfer(2, 1) has locked; transfer(2, 1) wants account[1], which transfer(1, 2) has locked (deadlock).",
    );
    const [maria] = await deadlocks(text, "mariadb:repeatable-read");
    assert.match(maria?.title ?? "", /the server ends one of them \(1213\)$/u);
    assert.ok(pg.steps.some(({ effect }) => effect === "waits for T2"));
  });
});

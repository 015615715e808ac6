// Advice beside a chain that is in the way: only what makes the chain impossible when it is done.
import assert from "node:assert/strict";
import { test } from "node:test";
import { proveSql } from "./proveSql";

const TABLES = `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE b (id integer PRIMARY KEY, v integer NOT NULL);
`;

/** The kinds of remedies of each obstacle, in their order. */
async function remediesOf(bodies: readonly string[], level: string): Promise<readonly string[]> {
  const scripts = bodies.map(
    (body, at) => `-- @transaction t${String(at)}\nBEGIN;\n${body}\nCOMMIT;\n`,
  );
  const { answer } = await proveSql(TABLES + scripts.join(""), level);
  assert.equal(answer.kind, "blocked");
  const obstacles = answer.kind === "blocked" ? answer.obstacles : [];
  return obstacles.map(({ remedies = [] }) => remedies.map(({ kind }) => kind).join(" "));
}

const READ_A = "SELECT v AS x FROM a WHERE id = :id \\gset";
const READ_B = "SELECT v AS y FROM b WHERE id = :id \\gset";
const SKEW = [
  `${READ_A}\nUPDATE b SET v = v + 1 WHERE id = :id AND :x > 0;`,
  `${READ_B}\nUPDATE a SET v = v + 1 WHERE id = :id AND :y > 0;`,
];

test("write skew: a change of what is read; a lock that one of them takes lets the other go on behind it", async () => {
  for (const level of ["postgres:repeatable-read", "snapshot-isolation"]) {
    const [pair, ...longer] = await remediesOf(SKEW, level);
    assert.equal(pair, "change");
    for (const told of longer) assert.ok(told.includes("change"), told);
  }
});

test("a read, then a write of the row: a lock where each statement sees a state of its own", async () => {
  const lost = [`${READ_A}\nUPDATE a SET v = :x + 1 WHERE id = :id;`];
  for (const told of await remediesOf(lost, "postgres:read-committed"))
    assert.ok(told.includes("lock"), told);
});

test("what counts rows cannot lock them, and nothing is promised", async () => {
  const counting =
    "SELECT count(*) AS n FROM a WHERE v > 0 \\gset\nINSERT INTO a (id, v) SELECT :id, 1 WHERE :n < 10;";
  for (const level of ["postgres:repeatable-read", "postgres:read-committed"])
    for (const told of await remediesOf([counting], level)) assert.equal(told, "");
});

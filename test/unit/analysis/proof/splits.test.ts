// Proofs where each statement sees a state of its own: locks that are kept until the commit, paths and keys decide what
// the texts alone leave open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { proveSql } from "./proveSql";

const RC = "postgres:read-committed";
const INNODB_RC = "mysql:read-committed";
const INNODB = "mysql:repeatable-read";
const LEVELS = [RC, INNODB_RC, INNODB];

const TABLES = `CREATE TABLE list (id integer PRIMARY KEY, size integer NOT NULL);
CREATE TABLE item (list integer REFERENCES list (id), id integer, done integer NOT NULL, PRIMARY KEY (list, id));
`;

/** Proves the scripts at each of these levels, and expects that just the `expected` ones are proved. */
async function check(
  bodies: readonly string[],
  expected: readonly string[],
  about = "",
): Promise<void> {
  const scripts = bodies.map(
    (body, at) => `-- @transaction t${String(at)}\n${about}BEGIN;\n${body}\nCOMMIT;\n`,
  );
  const proved: string[] = [];
  for (const level of LEVELS) {
    const { answer } = await proveSql(TABLES + scripts.join(""), level);
    if (answer.kind === "proved") proved.push(level);
    else assert.equal(answer.kind, "blocked");
  }
  assert.deepEqual(proved, expected, bodies.join("\n--\n"));
}

const LOCK = "SELECT size AS s FROM list WHERE id = :list FOR UPDATE \\gset";
const COUNT = "SELECT count(*) AS n FROM item WHERE list = :list \\gset";
const ADD = "INSERT INTO item (list, id, done) SELECT :list, :id, 0 WHERE :n < 10;";
const DONE = "UPDATE item SET done = 1 WHERE list = :list AND id = :id;";

// A lock of a row that is absent protects nothing, and a proof does not use that a foreign key keeps the parent there.
test("who locks the parent first is not proved to have what it reads to itself", async () => {
  await check([`${LOCK}\n${COUNT}\n${ADD}`], []);
  await check([`${LOCK}\n${COUNT}\n${ADD}`, `${LOCK}\n${COUNT}\n${DONE}`], []);
});

test("without the lock, or with another one, it has not", async () => {
  await check([`${COUNT}\n${ADD}`], []);
  await check([`${LOCK.replace(":list", ":other")}\n${COUNT}\n${ADD}`], []);
  await check([`${LOCK}\n${COUNT}\n${ADD}`, `${COUNT}\n${ADD}`], []);
});

test("a lock behind the read is too late", async () => {
  await check([`${COUNT}\n${LOCK}\n${ADD}`], []);
});

test("a shared lock keeps writers of the row away, not each other", async () => {
  const share = LOCK.replace("FOR UPDATE", "FOR SHARE");
  await check([`${share}\n${COUNT}\n${ADD}`], []);
  const grow = "UPDATE list SET size = size + 1 WHERE id = :list;";
  await check([`${grow}\n${COUNT}\n${ADD}`], []);
});

test("locks are given up with what is undone", async () => {
  await check([`SAVEPOINT p;\n${LOCK}\nROLLBACK TO p;\n${COUNT}\n${ADD}`], []);
});

test("one snapshot that is taken before the lock is too old", async () => {
  const first = "SELECT done AS d FROM item WHERE list = 1 AND id = 1 \\gset";
  await check([`${first}\n${LOCK}\n${COUNT}\n${ADD}`], []);
});

test("rows that are never the same", async () => {
  const read = "SELECT done AS d FROM item WHERE list = 1 AND id = :id \\gset";
  const write = "UPDATE item SET done = 1 WHERE list = 2 AND id = :id;";
  await check([`${read}\n${write}`], LEVELS);
  await check([`${read}\n${write.replace("list = 2", "list = 1")}`], []);
});

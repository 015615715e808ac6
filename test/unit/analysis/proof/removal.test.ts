// The parts that a proof names are needed: without a lemma, a key or an atomic update, there is no proof, or one that does not name
// the lemma.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "../../truth/analyse";
import { proveRead, proveSql, readSql } from "./proveSql";
import { removalsOf } from "./removals";

const SI = "snapshot-isolation";
const RR = "postgres:repeatable-read";

/** Proves the text, and again without each name that the proof tells; `needed` are those without which it is lost. */
async function check(
  files: Parameters<typeof proveSql>[0],
  level: string,
  needed: readonly string[],
): Promise<void> {
  const program = await readSql(files);
  const { answer } = await proveRead(program, level);
  assert.equal(answer.kind, "proved");
  const told = answer.kind === "proved" ? answer.assumed : [];
  const lost: string[] = [];
  for (const name of told) {
    const without = new Set([name]);
    const other = (await proveRead(program, level, { without, brief: true })).answer;
    if (other.kind !== "proved") lost.push(name);
    else assert.ok(!other.assumed.includes(name), name);
  }
  assert.deepEqual(lost, needed);
}

const COUNTER = [
  "lemma district.d_next_o_id never decreases",
  "lemma rows of district are never deleted",
];
const ORDERS =
  "invariant new_order.no_o_id < district.d_next_o_id where new_order.no_w_id = district.d_w_id and new_order.no_d_id = district.d_id";

test("TPC-C at REPEATABLE READ: its counter, and that orders waiting are below it", async () => {
  await check(app("tpcc-mysql"), RR, [ORDERS, ...COUNTER]);
});

test("the bank and TATP need nothing but their texts", async () => {
  await check(app("bank"), SI, []);
  await check(app("tatp"), SI, []);
});

const PARENT = "CREATE TABLE parent (id integer PRIMARY KEY, v integer NOT NULL);\n";
const CHILD = (foreign: string): string =>
  `${PARENT}CREATE TABLE child (id integer PRIMARY KEY, parent_id integer NOT NULL${foreign});
CREATE FUNCTION add_to(k integer, other integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE p integer; x integer;
BEGIN
  SELECT parent_id INTO p FROM child WHERE id = k;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE parent SET v = v + 1 WHERE id = p;
  IF NOT FOUND THEN
    SELECT v INTO x FROM parent WHERE id = other;
    UPDATE parent SET v = x WHERE id = k;
  END IF;
END $$;
CREATE FUNCTION adopt(k integer, p integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO child (id, parent_id) VALUES (k, p);
END $$;
`;

test("a foreign key is needed where no row without parent may be met", async () => {
  await check(CHILD(" REFERENCES parent (id)"), SI, [
    "lemma rows of child have the row of parent that they refer to",
    "lemma rows of parent are never deleted",
  ]);
  assert.equal((await proveSql(CHILD(""), SI)).answer.kind, "blocked");
});

test("rows that are deleted while others come to refer to them", async () => {
  const text = `${CHILD(" REFERENCES parent (id)")}-- @transaction close
BEGIN;
DELETE FROM parent WHERE id = :id;
COMMIT;
`;
  for (const level of [SI, RR]) {
    const { answer } = await proveSql(text, level);
    const reasons =
      answer.kind === "blocked" ? answer.restrictions.map(({ reason }) => reason) : [];
    assert.ok(
      reasons.some((each) => each.includes("refer")),
      reasons.join(),
    );
  }
});

/** The text is proved at the levels; `lost` are the things without which it is not. */
async function checkRemovals(
  text: string,
  levels: readonly string[],
  lost: readonly string[],
): Promise<void> {
  const program = await readSql(text);
  for (const level of levels) {
    assert.equal((await proveRead(program, level, { brief: true })).answer.kind, "proved", level);
    const found: string[] = [];
    for (const { what, program: without } of removalsOf(program)) {
      const { answer } = await proveRead(without, level, { brief: true });
      if (answer.kind !== "proved") found.push(what.replace(/:.*/, ""));
    }
    assert.deepEqual(found, lost, level);
  }
}

const ACCOUNT = "CREATE TABLE account (id integer PRIMARY KEY, bal integer NOT NULL);\n";
const script = (...lines: readonly string[]): string =>
  `-- @transaction t\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
const READ_COMMITTED = ["postgres:read-committed", "mysql:read-committed"];

test("an update in place is needed where statements see states of their own", () =>
  checkRemovals(
    `${ACCOUNT}${script("UPDATE account SET bal = bal + 1 WHERE id = :id;")}`,
    [...READ_COMMITTED, "mysql:repeatable-read"],
    ["the update in place of t"],
  ));

test("so is a lock", () =>
  checkRemovals(
    `${ACCOUNT}${script("SELECT bal AS b FROM account WHERE id = :id FOR UPDATE \\gset", "UPDATE account SET bal = :b + 1 WHERE id = :id;")}`,
    READ_COMMITTED,
    ["the lock of t"],
  ));

test("a key keeps out what was not there when it was looked for", () =>
  checkRemovals(
    `${ACCOUNT}${script("SELECT count(*) AS n FROM account WHERE id = :id \\gset", "INSERT INTO account (id, bal) VALUES (:id, :n);")}`,
    [SI, RR, "parallel-snapshot-isolation"],
    ["the primary key of account"],
  ));

// Proofs by induction: what must be proved, what must not, and that each part of a program that a proof needs is needed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "../../truth/analyse";
import { LIMITS, proveSql } from "./proveSql";

const SI = "snapshot-isolation";
const PSI = "parallel-snapshot-isolation";

const ACCOUNT = "CREATE TABLE account (id integer PRIMARY KEY, bal integer NOT NULL);\n";

/** True if the text is proved at the level. */
async function isProved(text: string, level: string): Promise<boolean> {
  return (await proveSql(text, level)).answer.kind === "proved";
}

function scripts(...bodies: readonly string[]): string {
  return bodies
    .map((body, at) => `-- @transaction t${String(at)}\nBEGIN;\n${body}\nCOMMIT;\n`)
    .join("");
}

test("TPC-C at SI: new orders and payments, then deliveries; the rest is independent", async () => {
  const { answer, sets } = await proveSql(app("tpcc"), SI);
  assert.equal(answer.kind, "proved");
  assert.deepEqual(sets, ["new_order payment", "delivery"]);
});

test("TPC-C at SI without its counter: the chain of the paper is in the way", async () => {
  const { answer, chains } = await proveSql(app("tpcc"), SI, { counters: false });
  assert.equal(answer.kind, "blocked");
  assert.ok(chains.includes("order_status -> delivery -> new_order"), chains.join());
});

test("TPC-C at PSI is not proved: a long fork is in the way", async () => {
  const { answer, chains } = await proveSql(app("tpcc"), PSI);
  assert.equal(answer.kind, "blocked");
  assert.ok(chains.some((each) => each.includes("-> order_status ->")));
});

test("TPC-C at PostgreSQL's REPEATABLE READ is snapshot isolation", async () => {
  const { answer } = await proveSql(app("tpcc"), "postgres:repeatable-read");
  assert.equal(answer.kind, "proved");
});

for (const level of [PSI, SI, "postgres:repeatable-read"])
  test(`the bank is proved at ${level}`, async () => {
    assert.equal((await proveSql(app("bank"), level)).answer.kind, "proved");
  });

for (const level of ["causal"])
  test(`the bank loses updates at ${level}`, async () => {
    const { answer, chains } = await proveSql(app("bank"), level);
    assert.equal(answer.kind, "blocked");
    assert.ok(chains.length > 0);
  });

test("SmallBank at SI is not proved", async () => {
  assert.equal((await proveSql(app("smallbank"), SI)).answer.kind, "blocked");
});

test("an atomic update is needed: without it the counter is overwritten blindly", async () => {
  const reader = "SELECT bal AS x FROM account WHERE id = :id \\gset";
  const atomic = `${ACCOUNT}${scripts("UPDATE account SET bal = bal + 1 WHERE id = :id;", reader)}`;
  assert.ok(await isProved(atomic, SI));
  const crossed = `${ACCOUNT}${scripts(`${reader}\nUPDATE account SET bal = :x WHERE id = :other;`)}`;
  assert.ok(!(await isProved(crossed, SI)), "they read what others write");
});

test("a lost update at levels without conflicts of writers", async () => {
  const text = `${ACCOUNT}${scripts("UPDATE account SET bal = bal + 1 WHERE id = :id;")}`;
  assert.ok(await isProved(text, SI));
  for (const level of ["prefix", "causal", "read-atomic"])
    assert.ok(!(await isProved(text, level)));
});

const ON_CALL = "CREATE TABLE doctor (id integer PRIMARY KEY, on_call integer NOT NULL);\n";
const LEAVE = `SELECT on_call AS other FROM doctor WHERE id = :other_id LOCK \\gset
\\if :other
UPDATE doctor SET on_call = 0 WHERE id = :id;
\\endif`;

test("write skew is in the way until the read locks, at PostgreSQL's REPEATABLE READ", async () => {
  const text = (lock: string): string => `${ON_CALL}${scripts(LEAVE.replace("LOCK", lock))}`;
  assert.ok(!(await isProved(text(""), "postgres:repeatable-read")));
  assert.ok(await isProved(text("FOR UPDATE"), "postgres:repeatable-read"));
  assert.ok(!(await isProved(text("FOR UPDATE"), SI)), "the papers' levels know no locks");
});

const QUEUE = `CREATE TABLE counter (id integer PRIMARY KEY, next integer NOT NULL);
CREATE TABLE job (queue integer, id integer, PRIMARY KEY (queue, id));
`;
const PUT = (change: string): string => `SELECT next AS n FROM counter WHERE id = :q \\gset
UPDATE counter SET next = ${change} WHERE id = :q;
INSERT INTO job (queue, id) VALUES (:q, :n);`;
const TAKE = `SELECT id AS oldest FROM job WHERE queue = :q ORDER BY id LIMIT 1 \\gset
DELETE FROM job WHERE queue = :q AND id = :oldest;`;

test("a counter makes ids that are taken in order safe; one that may go back does not", async () => {
  const look =
    "SELECT next AS n FROM counter WHERE id = :q \\gset\nSELECT id AS x FROM job WHERE queue = :q \\gset";
  assert.ok(await isProved(`${QUEUE}${scripts(PUT(":n + 1"), TAKE, look)}`, SI));
  const { answer, chains } = await proveSql(`${QUEUE}${scripts(PUT(":n - 1"), TAKE, look)}`, SI);
  assert.equal(answer.kind, "blocked");
  assert.ok(chains.length > 0);
  const reset = "UPDATE counter SET next = 1 WHERE id = :q;";
  assert.ok(!(await isProved(`${QUEUE}${scripts(PUT(":n + 1"), TAKE, look, reset)}`, SI)));
});

test("a lemma that rests on rows that stay goes when rows are deleted", async () => {
  const look =
    "SELECT next AS n FROM counter WHERE id = :q \\gset\nSELECT id AS x FROM job WHERE queue = :q \\gset";
  const close = "DELETE FROM counter WHERE id = :q;";
  assert.ok(!(await isProved(`${QUEUE}${scripts(PUT(":n + 1"), TAKE, look, close)}`, SI)));
});

test("what depends on how many rows there are is any value", async () => {
  const text = `${ACCOUNT}${scripts(
    "SELECT count(*) AS n FROM account WHERE bal > 0 \\gset\nINSERT INTO account (id, bal) SELECT :id, 1 WHERE :n < 100;",
  )}`;
  assert.ok(!(await isProved(text, SI)), "two may both find 99");
});

test("keys are looked for among the newest rows: who inserts one again need not have seen it deleted", async () => {
  const readd =
    "SELECT bal AS x FROM account WHERE id = :id \\gset\nINSERT INTO account (id, bal) VALUES (:id, 1);";
  const text = `${ACCOUNT}${scripts(readd, "DELETE FROM account WHERE id = :id;")}`;
  assert.ok(await isProved(text, SI));
  const { answer } = await proveSql(text, "postgres:repeatable-read");
  assert.equal(answer.kind, "blocked");
  assert.match(answer.kind === "blocked" ? (answer.restrictions[0]?.reason ?? "") : "", /again/u);
});

test("a unique key is needed: it keeps two registrations of one name apart", async () => {
  const register =
    "SELECT age AS x FROM person WHERE name = :name \\gset\nINSERT INTO person (name, age) VALUES (:name, 1);";
  const text = (key: string): string =>
    `CREATE TABLE person (name integer ${key}, age integer NOT NULL);\n${scripts(register)}`;
  assert.ok(await isProved(text("PRIMARY KEY"), SI));
  assert.ok(!(await isProved(text("NOT NULL"), SI)));
});

test("where each statement sees a state of its own the chain in the way is named as well", async () => {
  const text = `${ACCOUNT}${scripts("SELECT bal AS x FROM account WHERE id = :id \\gset\nUPDATE account SET bal = :x WHERE id = :id;")}`;
  const { answer, chains } = await proveSql(text, "postgres:read-committed");
  assert.deepEqual(chains, ["t0 -> t0 -> t0"]);
  const [, second] = answer.kind === "blocked" ? (answer.obstacles[0]?.steps ?? []) : [];
  assert.deepEqual([second?.dependency, second?.table], ["rw", "account"]);
});

test("one snapshot is needed for each transaction", async () => {
  const { answer } = await proveSql(app("bank"), "read-committed");
  assert.equal(answer.kind, "blocked");
  assert.match(answer.kind === "blocked" ? (answer.reason ?? "") : "", /one snapshot/u);
});

test("a proof without time is no proof", async () => {
  for (const limits of [
    { ...LIMITS, stopped: () => true },
    { ...LIMITS, resourceLimit: 1 },
  ]) {
    const { answer } = await proveSql(app("bank"), SI, { limits });
    assert.equal(answer.kind, "unknown");
  }
});

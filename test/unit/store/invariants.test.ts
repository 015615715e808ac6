// Invariants over concrete rows, and the judge's refusal of a start that breaks one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import type { Row } from "../../../server/src/protocol/witness";
import { confirm } from "../../../server/src/store/confirm";
import { brokenInvariant, withAskedRows, withRow } from "../../../server/src/store/invariants";
import { initialRows } from "../../../server/src/store/row";

type Rows = Readonly<Record<string, readonly Row[]>>;

const parsers = loadPgParser().then((pg) => ({ pg }));

async function programOf(...invariants: readonly string[]): Promise<Program> {
  const text = `${invariants.map((each) => `-- @isolens invariant ${each}\n`).join("")}
CREATE TABLE account (id int PRIMARY KEY, balance int, owner int);
CREATE TABLE person (id int PRIMARY KEY, age int NOT NULL CHECK (age >= 18));
CREATE FUNCTION pay(a int) RETURNS void LANGUAGE sql AS 'UPDATE account SET balance = balance - 1 WHERE id = a';`;
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  assert.deepEqual(program.notes, []);
  return program;
}

function account(id: number, balance: number | null, owner = 1): Row {
  return { id, balance, owner };
}

async function check(invariant: string, rows: Rows, holds: boolean): Promise<void> {
  const program = await programOf(invariant);
  const broken = brokenInvariant(program, initialRows(program.schema, rows));
  assert.equal(broken === undefined, holds, `${invariant} in ${JSON.stringify(rows)}`);
}

test("a condition on each row; NULL breaks nothing", async () => {
  const positive = "account.balance >= 0";
  await check(positive, {}, true);
  await check(positive, { account: [account(1, 0), account(2, null)] }, true);
  await check(positive, { account: [account(1, 0), account(2, -1)] }, false);
});

test("pairs of rows that belong together", async () => {
  const young = "account.balance < person.age where account.owner = person.id";
  const person = [{ id: 1, age: 20 }];
  await check(young, { account: [account(1, 19)], person }, true);
  await check(young, { account: [account(1, 20)], person }, false);
  await check(young, { account: [account(1, 20, 2)], person }, true);
});

test("rows that must exist, and rows that must not", async () => {
  const owned = "exists (select 1 from person where id = account.owner)";
  await check(owned, { account: [account(1, 5)] }, false);
  await check(owned, { account: [account(1, 5)], person: [{ id: 1, age: 20 }] }, true);
  const one =
    "not exists (select 1 from account a, account b where a.id < b.id and a.owner = b.owner)";
  await check(one, { account: [account(1, 5), account(2, 5)] }, false);
  await check(one, { account: [account(1, 5), account(2, 5, 2)] }, true);
});

test("rows that are asked for are added, with values that break nothing", async () => {
  const program = await programOf("exists (select 1 from person where id = account.owner)");
  const rows = withAskedRows(program, { account: [account(1, 5, 7)] }, () => true);
  const [person] = rows["person"] ?? [];
  assert.equal(person?.["id"], 7);
  assert.ok(Number(person["age"]) >= 18);
  const refused = withAskedRows(program, { account: [account(1, 5, 7)] }, () => false);
  assert.equal(refused["person"], undefined);
});

test("a witness whose start breaks an invariant is not confirmed, with the reason", async () => {
  const program = await programOf("account.balance >= 0");
  const level = findLevel("eventual");
  assert.ok(level);
  const plan = {
    instances: ["T1", "T2"].map((instance) => ({
      instance,
      transaction: "pay",
      arguments: { a: 1 },
    })),
    initial: { account: [account(1, -5)] },
    schedule: [
      { instance: "T1", statement: 1, sees: [] },
      { instance: "T2", statement: 1, sees: [] },
    ],
  };
  const { status, reason } = confirm(program, level, plan);
  assert.equal(status, "unconfirmed");
  assert.match(reason ?? "", /the initial rows break the invariant "account.balance >= 0"/);
  const kept = confirm(program, level, { ...plan, initial: { account: [account(1, 5)] } });
  assert.equal(kept.status, "confirmed");
});

test("a row that is added keeps the conditions of its table, which speak of several columns", async () => {
  const text = `CREATE TABLE team (id int PRIMARY KEY, agent int, human int, kind text NOT NULL, size int NOT NULL,
  CHECK ((agent IS NOT NULL) <> (human IS NOT NULL)), CHECK (kind IN ('small', 'large')), CHECK (size > 1));`;
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  const row = { id: 7, agent: null, human: null, kind: "a", size: 1 };
  const { team = [] } = withRow(program, {}, { table: "team", row, fixed: new Set(["id"]) });
  assert.deepEqual(team, [{ id: 7, agent: 0, human: null, kind: "small", size: 2 }]);
});

test("a CHECK that cannot be evaluated hides no other one", async () => {
  const text = `CREATE TABLE file (id int PRIMARY KEY, hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{4}$'));
CREATE TABLE team (id int PRIMARY KEY, slug text NOT NULL CHECK (slug ~ '^[a-z]+$'), agent int, human int,
  CHECK ((agent IS NOT NULL) <> (human IS NOT NULL)));`;
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  const row = { id: 1, slug: "a", agent: null, human: null };
  const others = { file: [{ id: 1, hash: "a" }] };
  const { team = [] } = withRow(program, others, { table: "team", row, fixed: new Set(["id"]) });
  assert.deepEqual(team, [{ id: 1, slug: "a", agent: 0, human: null }]);
});

test("a row is added where the store cannot evaluate a CHECK of its table", async () => {
  const text = "CREATE TABLE file (id int PRIMARY KEY, hash text CHECK (hash ~ '^[0-9a-f]{4}$'));";
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  const row = { id: 1, hash: "v0" };
  const added = withRow(program, {}, { table: "file", row, fixed: new Set(["id"]) });
  assert.deepEqual(
    added["file"]?.map(({ id }) => id),
    [1],
  );
});

test("a CHECK on what a row is added with hides no CHECK on the rest of it", async () => {
  const text = `CREATE TABLE team (code text PRIMARY KEY CHECK (length(code) = 4), kind text NOT NULL CHECK (kind IN ('small', 'large')));`;
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  const row = { code: "v0", kind: "a" };
  const { team = [] } = withRow(program, {}, { table: "team", row, fixed: new Set(["code"]) });
  assert.deepEqual(team, [{ code: "v0", kind: "small" }]);
});

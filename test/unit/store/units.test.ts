// Transactions that commit before their end: which writes stay when a part of one fails, and which units are none.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Program, Transaction } from "../../../server/src/program/program";
import type { Command } from "../../../server/src/program/statement";
import { literal } from "../../../server/src/frontend/sql/expressions";
import { findLevel } from "../../../server/src/isolation/levels";
import { plainUnit } from "../../../server/src/program/unit";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import { runSchedule, runSerial } from "../../../server/src/store/run";
import { outcomeOf } from "../../../server/src/store/toExecution";
import { programOf, rowsOf, table } from "./programs";

const TABLES = [table("t", { id: "int", v: "int" })];
const [MODEL] = programOf({ P: "SELECT v FROM t WHERE id = 1;" }, TABLES).transactions;
if (MODEL === undefined) throw new Error("no transaction");
const { source } = MODEL;

function statements(sql: string): Command {
  const [transaction] = programOf({ P: sql }, TABLES).transactions;
  if (transaction === undefined) throw new Error(`no transaction in ${sql}`);
  return transaction.body;
}

const sequence = (...commands: readonly Command[]): Command => ({ kind: "sequence", commands });
const atomic = (...commands: readonly Command[]): Command => ({
  kind: "atomic",
  body: sequence(...commands),
  source,
});
const fails: Command = { kind: "rollback", why: "no", code: "P0001", source };
const leaves: Command = { kind: "rollback", why: "no", leaves: "atomic", source };
const caught = (body: Command, handler: Command): Command => ({
  kind: "try",
  body,
  handler,
  source,
});
const set = (id: number, v: number): Command =>
  statements(`UPDATE t SET v = ${String(v)} WHERE id = ${String(id)};`);
const insert = (id: number): Command => statements(`INSERT INTO t VALUES (${String(id)}, 0);`);

function unit(body: Command): Transaction {
  return {
    ...MODEL,
    id: "P",
    name: "P",
    header: source,
    source,
    boundary: "unit",
    body,
    parameters: [],
    preconditions: [],
    annotations: [],
    taint: [],
  };
}

/** Rows of n give v a key that is checked at the commit. */
const KEYED = table(
  "n",
  { id: "int", v: "int" },
  {
    uniqueKeys: [{ columns: ["v"], deferrable: "deferred" }],
  },
);
const give = (id: number): Command => {
  const [transaction] = programOf({ P: `INSERT INTO n (id, v) VALUES (${String(id)}, 0);` }, [
    KEYED,
  ]).transactions;
  if (transaction === undefined) throw new Error("no transaction");
  return transaction.body;
};

interface Expected {
  readonly rows: Readonly<Record<string, number>>;
  readonly status?: string;
  readonly returns?: readonly string[];
}

/** Rows 1 and 2 are 10 and 20 at the start. */
function check(name: string, body: Command, expected: Expected): void {
  test(name, () => {
    const program: Program = {
      schema: { tables: [...TABLES, KEYED] },
      transactions: [unit(body)],
      notes: [],
      files: [source.file],
    };
    const setup = {
      instances: [{ instance: "T1", transaction: "P", arguments: {} }],
      initial: { t: rowsOf({ 1: 10, 2: 20 }) },
    };
    const result = runSerial(program, setup, ["T1"]);
    assert.ok(result.ok, result.ok ? "" : result.reason);
    const { outcome } = result.execution;
    assert.deepEqual(outcome.final["t"], rowsOf(expected.rows));
    assert.equal(outcome.status["T1"], expected.status ?? "committed");
    if (expected.returns) assert.deepEqual(outcome.returned["T1"], expected.returns);
  });
}

check("what was committed stays when the unit fails", sequence(set(1, 1), fails), {
  rows: { 1: 1, 2: 20 },
  returns: ["fails: no"],
});
check("a unit that fails before it has written anything has not happened", fails, {
  rows: { 1: 10, 2: 20 },
  status: "rolled back: no",
});
check(
  "a failure undoes the transaction around it alone",
  sequence(set(1, 1), atomic(set(2, 2), fails)),
  {
    rows: { 1: 1, 2: 20 },
  },
);
check(
  "a handler around a transaction goes on with nothing of it",
  caught(atomic(set(1, 1), fails), set(2, 2)),
  {
    rows: { 1: 10, 2: 2 },
  },
);
check(
  "a handler inside of a transaction undoes its block",
  atomic(set(1, 1), caught(sequence(set(2, 2), fails), set(2, 3))),
  {
    rows: { 1: 1, 2: 3 },
  },
);
check(
  "a handler does not undo what statements outside have committed",
  caught(sequence(set(1, 1), fails), set(2, 2)),
  {
    rows: { 1: 1, 2: 2 },
  },
);
check(
  "an error of a statement outside leaves those before it",
  caught(sequence(set(1, 1), insert(2)), set(2, 2)),
  {
    rows: { 1: 1, 2: 2 },
  },
);
check(
  "a commit that is refused is undone, and the handler around it goes on",
  sequence(
    give(1),
    caught(atomic(set(1, 1), caught(give(2), set(2, 3))), set(2, 2)),
    atomic(set(1, 5), give(3)),
  ),
  {
    rows: { 1: 10, 2: 2 },
  },
);
check(
  "a statement that is a transaction fails with its commit",
  caught(sequence(give(1), give(2)), set(2, 2)),
  {
    rows: { 1: 10, 2: 2 },
  },
);
check("ROLLBACK goes on behind the transaction", sequence(atomic(set(1, 1), leaves), set(2, 2)), {
  rows: { 1: 10, 2: 2 },
});
check(
  "leaving a loop out of a transaction commits it",
  sequence(
    {
      kind: "loop",
      id: "l",
      over: { kind: "while", condition: { kind: "literal", value: true, type: "bool" } },
      body: atomic(set(1, 1), { kind: "exit", loop: "l", source }),
      source,
    },
    fails,
  ),
  { rows: { 1: 1, 2: 20 } },
);

test("a unit of one transaction is that transaction", () => {
  const boundary = (body: Command): string => plainUnit(unit(body)).boundary;
  assert.equal(boundary(set(1, 1)), "autocommit");
  assert.equal(boundary(atomic(set(1, 1), set(2, 2))), "explicit");
  assert.equal(boundary(caught(atomic(set(1, 1)), fails)), "explicit");
  assert.equal(boundary(sequence(set(1, 1), set(2, 2))), "unit");
  assert.equal(boundary(sequence(atomic(set(1, 1)), fails)), "unit");
  assert.equal(boundary(sequence(atomic(set(1, 1), leaves), fails)), "unit");
  assert.equal(boundary(sequence(atomic(set(1, 1)), set(2, 2))), "unit");
});

test("a unit that runs one statement or another is autocommitted", () => {
  const boundary = (body: Command): string => plainUnit(unit(body)).boundary;
  const either = (then: Command, otherwise: Command): Command => {
    return { kind: "if", condition: literal(true), then, otherwise, source };
  };
  assert.equal(boundary(either(set(1, 1), set(2, 2))), "autocommit");
  assert.equal(boundary(either(set(1, 1), fails)), "autocommit");
  assert.equal(boundary(either(set(1, 1), sequence(set(1, 1), set(2, 2)))), "unit");
  assert.equal(boundary(sequence(either(set(1, 1), set(2, 2)), set(1, 2))), "unit");
  assert.equal(boundary(sequence(either(set(1, 1), set(2, 2)), fails)), "unit");
});

test("a failure behind a statement that has changed nothing leaves nothing", () => {
  const boundary = (body: Command): string => plainUnit(unit(body)).boundary;
  const write = set(1, 1);
  const id = (write.kind === "sequence" ? write.commands : [write]).flatMap((each) =>
    each.kind === "statement" ? [each.statement.id] : [],
  )[0];
  assert.ok(id !== undefined);
  const told = (operator: "=" | ">", then: Command, otherwise?: Command): Command => ({
    kind: "if",
    condition: {
      kind: "comparison",
      operator,
      left: { kind: "affected", statement: id },
      right: { kind: "literal", value: 0, type: "int" },
    },
    then,
    ...(otherwise && { otherwise }),
    source,
  });
  const nothing = sequence();
  assert.equal(boundary(sequence(write, told("=", fails))), "autocommit");
  assert.equal(boundary(sequence(write, told(">", nothing, fails))), "autocommit");
  assert.equal(boundary(sequence(write, told(">", fails))), "unit");
  assert.equal(boundary(sequence(write, told("=", nothing, fails))), "unit");
  assert.equal(
    boundary(sequence(statements("SELECT v FROM t WHERE id = 1;"), fails)),
    "autocommit",
  );
});

test("a transaction of a unit takes no snapshot of before the end of the one in front of it", () => {
  const body = sequence(
    set(1, 1),
    statements("UPDATE t SET v = (SELECT v FROM t WHERE id = 1) WHERE id = 2;"),
  );
  const program: Program = {
    schema: { tables: TABLES },
    transactions: [unit(body)],
    notes: [],
    files: [source.file],
  };
  const setup = {
    instances: [{ instance: "T1", transaction: "P", arguments: {} }],
    initial: { t: rowsOf({ 1: 10, 2: 20 }) },
  };
  const level = findLevel("tidb:repeatable-read");
  assert.ok(level?.family === "product");
  const { runs } = enumerateProduct(program, setup, () => level, 100);
  const left = runs.map((run) => outcomeOf(run).final["t"]);
  assert.deepEqual(left, [rowsOf({ 1: 1, 2: 1 })]);
});

test("a schedule may take what only reads to commit later than its statement, and nothing else", () => {
  const look = statements("SELECT v FROM t WHERE id = 1;");
  const program: Program = {
    schema: { tables: TABLES },
    transactions: [
      { ...unit(sequence(look, set(1, 7))), id: "P" },
      { ...unit(sequence(set(2, 8), look)), id: "Q" },
    ],
    notes: [],
    files: [source.file],
  };
  const level = findLevel("postgres:read-committed");
  assert.ok(level);
  const run = (seen: readonly string[]) =>
    runSchedule(program, level, {
      instances: [
        { instance: "T1", transaction: "P", arguments: {} },
        { instance: "T2", transaction: "Q", arguments: {} },
      ],
      initial: {
        t: [
          { id: 1, v: 10 },
          { id: 2, v: 20 },
        ],
      },
      schedule: [
        { instance: "T1", statement: 1, sees: [] },
        { instance: "T2", statement: 1, sees: [] },
        { instance: "T1", statement: 2, sees: ["T2/1", "T1/1"] },
        { instance: "T2", statement: 2, sees: seen },
      ],
    });
  assert.ok(run(["T2/1", "T1/2"]).ok);
  const other = run(["T2/1"]);
  assert.equal(
    other.ok ? "" : other.reason,
    "statement 2 of T2 sees T1/2, T2/1, where the plan says T2/1",
  );
});

test("a run whose next statement depends on a condition that is not understood is left out", () => {
  const asks: Command = {
    kind: "if",
    condition: literal("perhaps"),
    then: set(1, 2),
    otherwise: insert(2),
    source,
  };
  const transactions = [unit(sequence(asks))];
  const program: Program = { schema: { tables: TABLES }, transactions, notes: [], files: [] };
  const level = findLevel("postgres:read-committed");
  assert.ok(level?.family === "product");
  const { runs, leftOut } = enumerateProduct(
    program,
    { instances: [{ instance: "T1", transaction: "P", arguments: {} }], initial: { t: [] } },
    () => level,
    10,
  );
  assert.deepEqual([runs.length, leftOut], [0, ["the condition perhaps is not understood"]]);
});

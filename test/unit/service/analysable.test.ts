// Statements that flattening cannot go through are left out with their reason, and the rest is analysed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { Expression } from "../../../server/src/program/expression";
import type { Transaction } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { analysablePart } from "../../../server/src/service/search/analysable";

const TEXT = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction plain
BEGIN; UPDATE t SET v = 1 WHERE id = :id; COMMIT;
-- @transaction vast
BEGIN; UPDATE t SET v = 2 WHERE id = :id; COMMIT;`;

/** The transaction behind a condition of a few objects that stands for 2^depth comparisons. */
function behindVast(transaction: Transaction, depth: number): Transaction {
  let condition: Expression = {
    kind: "isNull",
    operand: { kind: "parameter", name: "id" },
  };
  for (let at = 0; at < depth; at += 1) {
    condition = { kind: "and", operands: [condition, condition] };
  }
  const { header: source, body } = transaction;
  return { ...transaction, body: { kind: "if", condition, then: body, source } };
}

test("a transaction with too many cases is left out and named, the others are not", () => {
  // A file id of tests.
  const program = readProgram([{ file: "a.sql" as FileId, text: TEXT }], {});
  const transactions = program.transactions.map((each) =>
    each.name === "vast" ? behindVast(each, 40) : each,
  );
  const part = analysablePart({ ...program, transactions });
  assert.deepEqual(
    part.program.transactions.map(({ name }) => name),
    ["plain"],
  );
  assert.deepEqual(
    part.flat.transactions.map(({ id }) => id),
    ["plain"],
  );
  assert.deepEqual(
    part.leftOut.map(({ reason, transactions: own }) => ({ reason, own })),
    [
      {
        reason:
          "vast is not analysed: it has too many rounds, rows and cases to go through them all",
        own: ["vast"],
      },
    ],
  );
});

test("a column whose name stands for something else is told, and costs only what uses its table", () => {
  const text = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE odd (id integer PRIMARY KEY, "@" integer NOT NULL);
-- @transaction plain
BEGIN; UPDATE t SET v = 1 WHERE id = :id; COMMIT;
-- @transaction marked
BEGIN; UPDATE odd SET "@" = 2 WHERE id = :id; COMMIT;`;
  // A file id of tests.
  const part = analysablePart(readProgram([{ file: "a.sql" as FileId, text }], {}));
  assert.deepEqual(
    part.program.transactions.map(({ name }) => name),
    ["plain"],
  );
  assert.match(
    part.leftOut.map(({ reason }) => reason).join(),
    /the name of the column "@" of odd/,
  );
});

// Control flow of single instances: branches, loops, handlers, savepoints, early ends.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Expression } from "../../../server/src/program/expression";
import type { Program, Transaction } from "../../../server/src/program/program";
import type { Command } from "../../../server/src/program/statement";
import type { FileId } from "../../../server/src/protocol/source";
import { runSerial } from "../../../server/src/store/run";
import { programOf, rowsOf, table } from "./programs";

const TABLES = [table("t", { id: "int", v: "int" })];
// The one place of this test where a plain name becomes a file.
const FILE = "test.sql" as FileId;
const SOURCE = {
  file: FILE,
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
};

/** Statements of the SQL text, in order, to be placed among commands. */
function statements(sql: string): readonly Command[] {
  const [transaction] = programOf({ P: sql }, TABLES).transactions;
  const body = transaction?.body;
  if (body === undefined) throw new Error("no transaction");
  return body.kind === "sequence" ? body.commands : [body];
}

function at(commands: readonly Command[], index: number): Command {
  const command = commands[index];
  if (command === undefined) throw new Error(`no command ${index}`);
  return command;
}

const int = (value: number): Expression => ({ kind: "literal", value, type: "int" });
const variable = (name: string): Expression => ({ kind: "variable", name });
const add = (left: Expression, right: Expression): Expression => ({
  kind: "arithmetic",
  operator: "+",
  left,
  right,
});
const less = (left: Expression, right: Expression): Expression => ({
  kind: "comparison",
  operator: "<",
  left,
  right,
});
const assign = (name: string, value: Expression): Command => ({
  kind: "assign",
  variable: name,
  value,
  source: SOURCE,
});
const sequence = (...commands: readonly Command[]): Command => ({ kind: "sequence", commands });
const when = (condition: Expression, then: Command, otherwise?: Command): Command =>
  otherwise === undefined
    ? { kind: "if", condition, then, source: SOURCE }
    : { kind: "if", condition, then, otherwise, source: SOURCE };
const returns = (value: Expression): Command => ({ kind: "return", value, source: SOURCE });
const rollback: Command = { kind: "rollback", why: "too much", code: "P0001", source: SOURCE };

interface Expectation {
  readonly returns?: string;
  readonly status?: string;
  readonly rows?: Readonly<Record<string, number>>;
  readonly reason?: RegExp;
}

function check(body: Command, expected: Expectation): void {
  const transaction: Transaction = {
    id: "P",
    name: "P",
    header: SOURCE,
    source: SOURCE,
    boundary: "routine",
    parameters: [],
    preconditions: [],
    body,
    annotations: [],
    taint: [],
  };
  const program: Program = {
    schema: { tables: TABLES },
    transactions: [transaction],
    notes: [],
    files: [FILE],
  };
  const setup = {
    instances: [{ instance: "T1", transaction: "P", arguments: {} }],
    initial: { t: rowsOf({ 1: 10, 2: 20 }) },
  };
  const result = runSerial(program, setup, ["T1"]);
  if (!result.ok) {
    assert.match(result.reason, expected.reason ?? /^$/);
    return;
  }
  assert.equal(expected.reason, undefined);
  const { outcome } = result.execution;
  assert.equal(outcome.status["T1"], expected.status ?? "committed");
  if (expected.returns !== undefined) assert.deepEqual(outcome.returned["T1"], [expected.returns]);
  if (expected.rows !== undefined) assert.deepEqual(outcome.final["t"], rowsOf(expected.rows));
}

describe("control flow", () => {
  it("takes a branch; NULL is not true", () => {
    check(when(less(int(1), int(2)), returns(int(1)), returns(int(2))), { returns: "1" });
    check(when(less(variable("unset"), int(2)), returns(int(1)), returns(int(2))), {
      returns: "2",
    });
  });

  it("counts up and down", () => {
    const loop = (from: number, to: number, step: number): Command =>
      sequence(
        assign("n", int(0)),
        {
          kind: "loop",
          id: "l",
          over: { kind: "count", variable: "i", from: int(from), to: int(to), step },
          body: assign("n", add(variable("n"), variable("i"))),
          source: SOURCE,
        },
        returns(variable("n")),
      );
    check(loop(1, 4, 1), { returns: "10" });
    check(loop(4, 1, -1), { returns: "10" });
    check(loop(1, 5, 2), { returns: "9" });
    check(loop(2, 1, 1), { returns: "0" });
  });

  it("leaves and restarts loops, inner ones by the name of the outer", () => {
    const whileLoop = (id: string, body: Command): Command => ({
      kind: "loop",
      id,
      over: { kind: "while", condition: less(variable("n"), int(10)) },
      body,
      source: SOURCE,
    });
    const step = assign("n", add(variable("n"), int(1)));
    const exit = (loop: string): Command => ({ kind: "exit", loop, source: SOURCE });
    const next = (loop: string): Command => ({ kind: "continue", loop, source: SOURCE });
    const start = assign("n", int(0));
    check(sequence(start, whileLoop("a", step), returns(variable("n"))), { returns: "10" });
    check(sequence(start, whileLoop("a", sequence(step, exit("a"))), returns(variable("n"))), {
      returns: "1",
    });
    check(
      sequence(start, whileLoop("a", sequence(step, next("a"), exit("a"))), returns(variable("n"))),
      { returns: "10" },
    );
    check(
      sequence(
        start,
        whileLoop("a", sequence(whileLoop("b", sequence(step, exit("a"))), step)),
        returns(variable("n")),
      ),
      { returns: "1" },
    );
    check(sequence(start, whileLoop("a", sequence())), { reason: /more than 100 rounds/ });
  });

  it("goes through the rows of a result", () => {
    const [select] = statements("SELECT id, v FROM t ORDER BY id DESC;");
    if (select?.kind !== "statement" || select.statement.kind !== "select")
      throw new Error("no query");
    const { into } = select.statement;
    check(
      sequence(
        assign("n", int(0)),
        // A routine goes through the rows itself; its caller does not get them.
        { ...select, statement: { ...select.statement, discarded: true } },
        {
          kind: "loop",
          id: "l",
          over: { kind: "rows", result: into },
          body: assign(
            "n",
            add(variable("n"), { kind: "field", result: into, field: "v", at: { loop: "l" } }),
          ),
          source: SOURCE,
        },
        returns(add(variable("n"), { kind: "size", result: into })),
      ),
      { returns: "32" },
    );
  });

  it("a rollback undoes everything, a return keeps what was done", () => {
    const [update] = statements("UPDATE t SET v = 0 WHERE id = 1;");
    if (update === undefined) throw new Error("no update");
    check(sequence(update, rollback), {
      status: "rolled back: too much",
      rows: { 1: 10, 2: 20 },
    });
    check(sequence(update, returns(int(1)), rollback), { rows: { 1: 0, 2: 20 }, returns: "1" });
  });

  it("a handler undoes its block and goes on", () => {
    const commands = statements(
      "UPDATE t SET v = 0 WHERE id = 1; UPDATE t SET v = 5 WHERE id = 2; INSERT INTO t (id, v) VALUES (1, 1); DELETE FROM t WHERE id = 2;",
    );
    const [first, second, fails, handler] = [0, 1, 2, 3].map((index) => at(commands, index));
    if (!first || !second || !fails || !handler) throw new Error("missing");
    const guarded = (body: Command): Command => ({ kind: "try", body, handler, source: SOURCE });
    check(sequence(first, guarded(sequence(second, fails, rollback))), { rows: { 1: 0 } });
    check(sequence(first, guarded(second)), { rows: { 1: 0, 2: 5 } });
    check(sequence(first, guarded(sequence(second, rollback))), { rows: { 1: 0 } });
    check(
      guarded(assign("x", { kind: "arithmetic", operator: "/", left: int(1), right: int(0) })),
      {
        rows: { 1: 10 },
      },
    );
    // ROLLBACK itself is no error, and a handler is for the errors that it names.
    const only = (catches: string, body: Command): Command => ({
      kind: "try",
      body,
      handler,
      catches: [catches],
      source: SOURCE,
    });
    check(sequence(first, only("23", sequence(second, fails))), { rows: { 1: 0 } });
    check(sequence(first, only("22012", sequence(second, fails))), {
      status: "rolled back: 23505 duplicate key (id) in t",
      rows: { 1: 10, 2: 20 },
    });
    const rollsBack: Command = { kind: "rollback", why: "asked to", source: SOURCE };
    check(guarded(sequence(first, rollsBack)), {
      status: "rolled back: asked to",
      rows: { 1: 10, 2: 20 },
    });
    check(sequence(first, fails), {
      status: "rolled back: 23505 duplicate key (id) in t",
      rows: { 1: 10, 2: 20 },
    });
  });

  it("a savepoint keeps what came before it", () => {
    const commands = statements(
      "UPDATE t SET v = 0 WHERE id = 1; UPDATE t SET v = 5 WHERE id = 2;",
    );
    const savepoint = (kind: "savepoint" | "rollbackTo" | "release"): Command => ({
      kind,
      name: "s",
      source: SOURCE,
    });
    check(
      sequence(at(commands, 0), savepoint("savepoint"), at(commands, 1), savepoint("rollbackTo")),
      { rows: { 1: 0, 2: 20 } },
    );
    check(
      sequence(at(commands, 0), savepoint("savepoint"), at(commands, 1), savepoint("release")),
      { rows: { 1: 0, 2: 5 } },
    );
    check(savepoint("rollbackTo"), { reason: /no such savepoint/ });
  });

  it("keeps what is not understood as a term, and gives up only where a decision needs it", () => {
    const unknown: Expression = {
      kind: "unknown",
      id: "u1",
      type: "int",
      dependsOn: [int(3)],
      why: "md5",
    };
    check(returns(unknown), { returns: "md5(u1, 3)" });
    check(sequence(assign("x", unknown), returns(int(1))), { returns: "1" });
    check(when(less(unknown, int(1)), returns(int(1))), { reason: /not understood/ });
    check(when({ kind: "sameValue", left: unknown, right: unknown }, returns(int(7))), {
      returns: "7",
    });
  });
});

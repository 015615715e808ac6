// Values that code asks for outside of the database are chosen with a witness, and are the same in all of its runs.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { explain } from "../../../server/src/analysis/explain/explain";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import type { Expression } from "../../../server/src/program/expression";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { answersText } from "../../../server/src/protocol/witness";
import { confirm } from "../../../server/src/store/confirm";
import { NotExecutable } from "../../../server/src/store/failure";
import { outsideAnswers, type Question } from "../../../server/src/store/outsideAnswers";

/** A question about one thing. */
function about(atom: string, rest = ""): Question {
  return { text: `${atom}${rest}`, form: `${atom}${rest}`, atoms: [atom] };
}

describe("answers", () => {
  it("are yes at first, then each kind of question by itself", () => {
    const answers = outsideAnswers();
    const ask = (): readonly boolean[] => [
      answers.answer(about("f(1)")),
      answers.answer(about("f(2)")),
      answers.answer(about("g()", " > 3")),
    ];
    const all = [ask()];
    while (answers.next()) all.push(ask());
    assert.deepEqual(all, [
      [true, true, true],
      [true, true, false],
      [false, false, true],
      [false, false, false],
    ]);
  });

  it("contradict each other nowhere: a term is asked about once, and nothing new behind the run", () => {
    const answers = outsideAnswers();
    assert.equal(answers.answer(about("f(1)", " > 5")), true);
    assert.throws(() => answers.answer(about("f(1)", " < 3")), NotExecutable);
    answers.close();
    assert.equal(answers.answer(about("f(1)", " > 5")), true);
    assert.throws(() => answers.answer(about("f(2)", " > 5")), NotExecutable);
  });
});

const parsers = loadPgParser().then((pg) => ({ pg }));

/** A lost update behind a question. */
async function guarded(question: Expression): Promise<Program> {
  const text = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
-- @transaction add
BEGIN;
SELECT balance FROM account WHERE id = :id \\gset
UPDATE account SET balance = :balance + 1 WHERE id = :id;
COMMIT;`;
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  const transactions = program.transactions.map((each) => {
    const commands = each.body.kind === "sequence" ? each.body.commands : [];
    const at = commands.findLastIndex(({ kind }) => kind === "statement");
    const body = commands.map((command, n) =>
      n === at
        ? ({ kind: "if", condition: question, then: command, source: each.source } as const)
        : command,
    );
    return { ...each, body: { kind: "sequence", commands: body } as const };
  });
  return { ...program, transactions };
}

const BALANCE: Expression = { kind: "parameter", name: "id" };

function judged(program: Program) {
  const level = findLevel("postgres:read-committed");
  const [transaction] = program.transactions;
  assert.ok(level && transaction);
  const instances = ["T1", "T2"].map((instance) => ({
    instance,
    transaction: transaction.id,
    arguments: { id: 1 },
  }));
  const sees: readonly string[] = [];
  const step = (instance: string, statement: number | "commit") => ({ instance, statement, sees });
  return confirm(program, level, {
    instances,
    initial: { account: [{ id: 1, balance: 5 }] },
    schedule: [
      step("T1", 1),
      step("T2", 1),
      step("T1", 2),
      step("T1", "commit"),
      { ...step("T2", 2), sees: ["T1"] },
    ],
  });
}

describe("a witness behind a question", () => {
  const call = (name: string): Expression => ({
    kind: "call",
    name,
    arguments: [BALANCE],
    deterministic: true,
  });

  it("takes an answer that lets it happen, and tells it", async () => {
    const allowed = judged(await guarded(call("code:allowed")));
    assert.equal(allowed.status, "confirmed", allowed.reason);
    assert.equal(answersText(allowed.witness), "Taken for true: allowed(1).");
    const denied = judged(await guarded({ kind: "not", operand: call("code:denied") }));
    assert.equal(answersText(denied.witness), "Taken for false: denied(1).");
  });

  it("tells each question once, without arguments of which none is there", () => {
    const answers = {
      "allowed(u1, NULL, NULL)": true,
      "allowed(u2, NULL)": true,
      "known(1)": false,
    };
    const told = "Taken for true: allowed, and for false: known(1).";
    assert.equal(answersText({ answers }), told);
  });

  it("tells it in the sentence that every view shows", async () => {
    const program = await guarded(call("code:allowed"));
    const confirmation = judged(program);
    const level = findLevel("postgres:read-committed") ?? assert.fail();
    const finding = { confirmation, tables: ["account"], preventedBy: [], allowedAt: [] };
    assert.match(explain(program, level, finding).message, / Taken for true: allowed\(1\)\.$/u);
  });

  it("takes none for two questions about one thing, under whatever id and as whatever part", async () => {
    const number = (value: number): Expression => ({ kind: "literal", value, type: "int" });
    const compared = (operator: "<" | ">", left: Expression, right: number): Expression => ({
      kind: "comparison",
      operator,
      left,
      right: number(right),
    });
    const limit = (id: string): Expression => ({
      kind: "unknown",
      id,
      type: "other",
      dependsOn: [BALANCE],
      why: "limit is not known",
    });
    const plus = (left: Expression): Expression => ({
      kind: "arithmetic",
      operator: "+",
      left,
      right: number(1),
    });
    const both = (...operands: readonly Expression[]): Expression => ({ kind: "and", operands });
    for (const question of [
      both(compared("<", limit("u1"), 3), compared(">", limit("u2"), 10)),
      both(compared("<", plus(limit("u1")), 3), compared(">", limit("u1"), 10)),
      both(compared("<", plus(call("code:f")), 3), compared(">", call("code:f"), 10)),
    ]) {
      const { status, reason } = judged(await guarded(question));
      assert.equal(status, "unconfirmed");
      assert.match(reason ?? "", /is not understood/u);
    }
    const twice = both(compared("<", limit("u1"), 3), compared("<", limit("u2"), 3));
    assert.equal(judged(await guarded(twice)).status, "confirmed");
  });

  it("takes none for what is no code of the program's", async () => {
    const { status, reason, obstacle } = judged(await guarded(call("matches")));
    assert.equal(status, "unconfirmed");
    assert.match(reason ?? "", /the condition matches\(1\) is not understood/u);
    // The BEGIN of this program stands for the condition.
    assert.deepEqual([obstacle?.file, obstacle?.range.start.line], ["a.sql", 2]);
  });
});

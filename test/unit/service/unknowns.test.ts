import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import { emptyTable } from "../../../server/src/program/schema";
import type { Taint } from "../../../server/src/program/precision";
import type { Note, Program, Transaction } from "../../../server/src/program/program";
import type { Command, Statement } from "../../../server/src/program/statement";
import { undecidedCount } from "../../../server/src/protocol/report";
import type { FileId, SourceRange } from "../../../server/src/protocol/source";
import {
  budgetText,
  coverageOf,
  undecidedTuples,
  unreadParts,
} from "../../../server/src/service/verdict/unknowns";

function at(line: number): SourceRange {
  const position = { line, character: 0 };
  // Test data: the only place where this name is made.
  return { file: "a.sql" as FileId, range: { start: position, end: position } };
}

function statement(line: number, ...taint: readonly Taint[]): Command {
  const opaque: Statement = {
    kind: "lock",
    id: `t/${String(line)}`,
    source: at(line),
    text: "lock",
    taint,
    mode: "exclusive",
  };
  return { kind: "statement", statement: opaque };
}

function transaction(...commands: readonly Command[]): Transaction {
  return {
    id: "t",
    name: "t",
    header: at(0),
    source: at(0),
    boundary: "explicit",
    parameters: [],
    preconditions: [],
    body: { kind: "sequence", commands },
    annotations: [],
    taint: [],
  };
}

function program(transactions: readonly Transaction[], notes: readonly Note[] = []): Program {
  return { schema: { tables: [] }, transactions, notes, files: [] };
}

function programIn(text: string): Program {
  // Test data, as above.
  return readProgram(
    [{ file: "a.sql" as FileId, text: `-- @transaction t\nBEGIN; ${text} COMMIT;` }],
    {},
  );
}

/** The parts that were not read, as "line: reason". */
function unread(of: Program): readonly string[] {
  return unreadParts(of, []).map(({ reason, range }) => `${String(range?.start.line)}: ${reason}`);
}

const over: Taint = { effect: "over", reason: "a little" };
const opaque: Taint = { effect: "opaque", reason: "nothing known" };
const approx: Taint = { effect: "approx", reason: "tables only" };

describe("what a check could not decide", () => {
  it("counts how exactly statements were read", () => {
    const commands = [
      statement(1),
      statement(2, over),
      statement(3, over, approx),
      statement(4, opaque),
    ];
    const counts = coverageOf(program([transaction(...commands)]));
    assert.deepEqual(counts, { statements: 4, exact: 1, over: 1, approx: 1, opaque: 1 });
  });

  it("names statements that were not understood, and only these", () => {
    const commands = [
      statement(1),
      statement(2, over),
      statement(3, over, approx),
      statement(4, opaque),
    ];
    assert.deepEqual(unread(program([transaction(...commands)])), [
      "3: tables only",
      "4: nothing known",
    ]);
  });

  it("says an error once, though its statement was not understood either", () => {
    const note: Note = { severity: "error", code: "syntax", message: "broken", source: at(4) };
    assert.deepEqual(unread(program([transaction(statement(4, opaque))], [note])), ["4: broken"]);
  });

  it("counts remarks that are no errors as no gap", () => {
    const note: Note = { severity: "warning", code: "schema", message: "no table", source: at(4) };
    assert.deepEqual(unread(program([], [note])), []);
  });

  it("names control flow that is not searched", () => {
    const body: Command = {
      kind: "if",
      condition: { kind: "literal", value: true, type: "bool" },
      then: { kind: "try", body: statement(6), handler: statement(7), source: at(5) },
      source: at(4),
    };
    assert.deepEqual(unread(program([transaction(body)])), [
      "5: runs in which its exception handler acts on a deadlock or a serialization failure are not searched",
    ]);
  });

  it("names the errors that a handler is for and no run meets", () => {
    const handled = (...catches: readonly string[]): Command => ({
      kind: "try",
      body: statement(6),
      handler: statement(7),
      catches,
      source: at(5),
    });
    assert.deepEqual(unread(program([transaction(handled("23505", "P0001"))])), []);
    assert.deepEqual(unread(program([transaction(handled("40P01"))])), [
      "5: runs in which its exception handler acts on a deadlock are not searched",
    ]);
  });

  it("says where keys that are checked at the commit are not followed", () => {
    const body = "INSERT INTO t (id, k) VALUES (1, 1)";
    const insert = programIn(`${body};`).transactions[0]?.body;
    assert.ok(insert);
    const keyed = emptyTable("t", at(0));
    const tables = [
      { ...keyed, uniqueKeys: [{ columns: ["k"], deferrable: "deferred" as const }] },
    ];
    const block: Command = {
      kind: "try",
      body: insert,
      handler: { kind: "sequence", commands: [] },
      source: at(7),
    };
    const of = {
      ...program([{ ...transaction(block), boundary: "autocommit" }]),
      schema: { tables },
    };
    const reasons = (name: string): readonly string[] => {
      const level = findLevel(name);
      assert.ok(level);
      const flat = flattenProgram(of, { unroll: 1 });
      return unreadParts(of, [], { flat, levelOf: () => level, apart: new Set() }).map(
        ({ reason }) => reason,
      );
    };
    const handled =
      "runs in which its exception handler acts on a commit that is refused for a key are not searched";
    const late = "that the key (k) is checked at the commit is not searched at snapshot-isolation";
    assert.deepEqual(reasons("snapshot-isolation"), [handled, late]);
    assert.match(reasons("postgres:read-committed").join(), /a commit that is refused for a key/);
  });

  it("lists tuples that were not reached, up to a limit", () => {
    const unreached = Array.from({ length: 60 }, () => [0, 0]);
    const result = {
      findings: [],
      undecided: [],
      unreached,
      completed: 1,
      cut: true,
      stopped: true,
    };
    const all = undecidedTuples(program([transaction()]), result, "budget", 10_000);
    assert.equal(all.length, 51);
    assert.deepEqual(all[0], {
      reason: "time budget of 10 s; --budget 60s tries longer",
      transactions: ["t", "t"],
    });
    assert.match(all.at(-1)?.reason ?? "", /\(10 further groups of transactions\)$/u);
    assert.equal(undecidedCount(all), 60);
  });

  it("says so when only larger groups were not reached", () => {
    const result = {
      findings: [],
      undecided: [],
      unreached: [],
      completed: 2,
      cut: true,
      stopped: true,
    };
    assert.deepEqual(undecidedTuples(program([transaction()]), result, "cancel", 10_000), [
      {
        reason: "cancelled (more than 2 transactions at a time were not searched)",
        transactions: [],
      },
    ]);
  });

  const budgets: readonly (readonly [number, string])[] = [
    [10_000, "time budget of 10 s; --budget 60s tries longer"],
    [500, "time budget of 500 ms; --budget 60s tries longer"],
    [60_000, "time budget of 1 min; --budget 4m tries longer"],
  ];
  for (const [milliseconds, text] of budgets) {
    it(`says: ${text}`, () => {
      assert.equal(budgetText(milliseconds), text);
    });
  }
});

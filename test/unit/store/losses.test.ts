// Losses of a transaction as reasons against a run: one that surely stands behind all of the run, as code executes, is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Program } from "../../../server/src/program/program";
import type { Statement } from "../../../server/src/program/statement";
import type { FileId, SourceRange } from "../../../server/src/protocol/source";
import { lossBefore } from "../../../server/src/store/losses";

const A = "a.ts" as FileId;

function at(line: number, file: FileId = A, last = line): SourceRange {
  return {
    file,
    range: { start: { line, character: 0 }, end: { line: last, character: 9 } },
  };
}

function select(line: number, calledAt?: number): Statement {
  const through = calledAt === undefined ? [] : [{ name: "f", source: at(calledAt) }];
  const source = at(line);
  const base = { id: `t/${String(line)}`, source, text: "", taint: [], through };
  return { ...base, kind: "lock", mode: "exclusive" };
}

/** The transaction stands on lines 10 to 20. */
function isLost(loss: SourceRange | undefined, ...ran: readonly Statement[]): boolean {
  const taint = [{ effect: "approx" as const, reason: "unknown", ...(loss && { source: loss }) }];
  const program: Program = {
    schema: { tables: [] },
    transactions: [
      {
        id: "t",
        name: "t",
        header: at(10),
        source: at(10, A, 20),
        boundary: "explicit",
        parameters: [],
        preconditions: [],
        body: { kind: "sequence", commands: [] },
        annotations: [],
        taint,
      },
    ],
    notes: [],
    files: [A],
  };
  return lossBefore(program, "t", ran) !== undefined;
}

test("a loss behind all statements of a run is none of it, and one before some of them is", () => {
  assert.equal(isLost(at(15), select(11), select(14)), false);
  assert.equal(isLost(at(12), select(11), select(14)), true);
  assert.equal(isLost(undefined, select(11)), true);
  assert.equal(isLost(at(15)), true, "nothing ran");
});

test("a function stands anywhere in a file, and runs where it is called", () => {
  assert.equal(isLost(at(40), select(11)), true, "called on the way, declared behind");
  assert.equal(isLost(at(15, "b.ts" as FileId), select(11)), true);
  assert.equal(
    isLost(at(15), select(2, 12)),
    false,
    "a statement of a function that is called before",
  );
  assert.equal(isLost(at(15), select(2, 18)), true);
  assert.equal(isLost(at(15), select(40, 12)), false);
  assert.equal(isLost(at(15), select(40)), true, "nobody knows from where it is called");
});

test("what stands behind a statement of a loop runs before its next round", () => {
  assert.equal(isLost(at(15), select(11), select(11)), true);
});

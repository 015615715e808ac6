// A broken open text: of the whole program nothing is proved, and nothing passes for safe.
import assert from "node:assert/strict";
import { test } from "node:test";
import { certainPart } from "../../../server/src/lsp/brokenTexts";
import type { FileId } from "../../../server/src/protocol/source";
import type { LevelReport } from "../../../server/src/protocol/report";

const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 6 } };

const REPORT: LevelReport = {
  tool: "test",
  formatVersion: 1,
  level: "postgres:serializable",
  levels: { default: "postgres:serializable", perTransaction: {} },
  verdict: "safe",
  rests: { bound: 3 },
  transactions: [{ name: "pay", file: "pay.sql", range: RANGE, precision: "exact" }],
  anomalies: [],
  unknown: [],
  assumptions: [],
  coverage: { statements: 1, exact: 1, over: 0, approx: 0, opaque: 0 },
  proof: { status: "proved", steps: [], lemmas: [], obstacles: [] },
  sufficient: [{ transactions: ["pay"], tried: [] }],
};

const OPEN = "open.sql" as FileId;

test("a transaction without its COMMIT yet holds back the verdict and the proof of all", () => {
  const note = {
    severity: "warning",
    code: "no-commit",
    message: "no COMMIT",
    source: { file: OPEN, range: RANGE },
  } as const;
  const outcome = { report: REPORT, notes: [note] };
  const texts = [{ file: OPEN, text: "BEGIN;" }];
  assert.equal(certainPart(outcome, [], texts), outcome);
  const { report } = certainPart(outcome, [OPEN], texts);
  assert.equal(report.verdict, "unknown");
  assert.deepEqual([report.proof, report.sufficient], [undefined, undefined]);
});

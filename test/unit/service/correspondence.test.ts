// An anomaly is followed through edits by its stale reads; one that another of its claim hides comes to light.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { editedText, type TextEdit } from "../../../server/src/analysis/repair/candidate";
import { planProduct, solveProduct } from "../../../server/src/analysis/search/products/backend";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import type { Program } from "../../../server/src/program/program";
import type { Anomaly } from "../../../server/src/protocol/report";
import type { FileId } from "../../../server/src/protocol/source";
import { statementsOf } from "../../../server/src/analysis/operations/tables";
import type { StaleRead } from "../../../server/src/service/findings/causes";
import { correspondence } from "../../../server/src/service/search/correspondence";
import { withPrivateCopies } from "../../../server/src/service/search/privateCopies";
import type { Session } from "../../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { openTestSession } from "./testSession";

// A file id is any name that is unique in its workspace.
const FILE = "a.sql" as FileId;

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

const READ = "SELECT balance FROM account WHERE id = :id";
const TEXT = `CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
-- @transaction add
BEGIN;
${READ} \\gset
UPDATE account SET balance = :balance + 1 WHERE id = :id;
COMMIT;
`;

async function anomalyOf(text: string): Promise<Anomaly> {
  const project = {
    files: [{ file: FILE, text }],
    context: [],
    configuration: DEFAULT_CONFIGURATION,
  };
  const { report } = await session.checkWorkspace({ project }, AbortSignal.timeout(60_000));
  const [anomaly] = report.anomalies;
  assert.ok(anomaly);
  return anomaly;
}

async function relationAfter(start: number, end: number, newText: string): Promise<string> {
  const edits: readonly TextEdit[] = [{ file: FILE, start, end, newText }];
  const old = await anomalyOf(TEXT);
  const now = await anomalyOf(editedText(TEXT, edits));
  return correspondence([{ file: FILE, text: TEXT }], edits).relationOf(old, now);
}

describe("the correspondence of anomalies", () => {
  const at = TEXT.indexOf(READ);

  it("holds a read for the same with a lock that does not help written into it", async () => {
    const end = at + READ.length;
    assert.equal(await relationAfter(end, end, " FOR KEY SHARE"), "same");
  });

  it("follows a read that another statement before it moves", async () => {
    assert.equal(await relationAfter(at, at, "SELECT 1;\n"), "same");
  });

  it("holds a read that the edit wrote for a new one", async () => {
    const end = at + READ.length;
    assert.equal(
      await relationAfter(at, end, "SELECT balance FROM account WHERE account.id = :id"),
      "new",
    );
  });
});

const VISIT = `CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL, points integer NOT NULL);
-- @transaction visit
BEGIN;
SELECT balance FROM account WHERE id = :id \\gset
UPDATE account SET balance = :balance - 1 WHERE id = :id;
SELECT points FROM account WHERE id = :other \\gset
UPDATE account SET points = :points + 1 WHERE id = :other;
COMMIT;
`;

describe("private copies", () => {
  const program = readProgram([{ file: FILE, text: VISIT }], {});
  const [visit] = program.transactions;
  const statements = visit ? [...statementsOf(visit.body)] : [];
  const readAt = (kind: string): readonly StaleRead[] =>
    statements
      .filter((each) => each.kind === kind)
      .map(({ source: { file, range } }) => ({
        transaction: "visit",
        statement: "",
        table: "",
        partners: [],
        read: { instance: "T1", file, range, text: "" },
      }));

  async function raced(part: Program): Promise<readonly string[]> {
    const flat = flattenProgram(part, { unroll: 1 });
    const level = PRODUCT_LEVELS.find(({ name }) => name === "postgres:read-committed");
    assert.ok(level);
    const found: string[] = [];
    for (const unit of planProduct(flat, level, 2)) {
      const limits = { resourceLimit: 5_000_000, maxFindings: 10, stopped: () => false };
      const result = solveProduct(await openZ3(), part, flat, level, unit, limits);
      assert.deepEqual(result.undecided, []);
      found.push(...result.findings.map(({ confirmation }) => confirmation.status));
    }
    return found;
  }

  it("put one read aside, so that the race behind it is found, and then that one", async () => {
    const [balance, points] = readAt("select");
    assert.ok(balance && points);
    const both = ["confirmed", "confirmed"];
    for (const [aside, races] of [
      [[], both],
      [[balance], ["confirmed"]],
      [[points], ["confirmed"]],
    ] as const) {
      const part = withPrivateCopies(program, aside);
      assert.ok(part);
      assert.deepEqual(await raced(part), races);
    }
    const rest = withPrivateCopies(program, [balance, points]);
    assert.ok(rest);
    assert.deepEqual(await raced(rest), []);
  });

  it("are made of no statement that writes", () => {
    assert.equal(withPrivateCopies(program, readAt("update")), undefined);
  });
});

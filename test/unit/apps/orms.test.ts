// The shapes that break most often, written with mappers: each is found, and each corrected twin is clean.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Program } from "../../../server/src/program/program";
import { losses } from "../frontend/code/prismaPrograms";
import { analyseProgram, verdicts } from "../truth/analyse";
import { codeApp } from "./codeApp";

/** Each shape, and its twins. */
type Shapes = readonly (readonly [string, readonly string[]])[];

const FOUR: Shapes = [
  ["issueInvoice", ["issueInvoiceLocked", "issueInvoiceSerializable", "issueReceipt"]],
  ["invite", ["inviteLocked"]],
  ["leave", ["leaveLocked"]],
  ["restock", ["restockLocked", "restockAtomically", "restockVersioned"]],
];

const FIVE: Shapes = [
  ["issueInvoice", ["issueReceipt"]],
  ["restock", ["restockAtomically"]],
  ["take", ["takeLocked"]],
  // The lock comes too late.
  ["takeLockedLate", []],
  ["Till.put", ["Till.putSerializable"]],
  ["sell", ["sellVersioned"]],
  ["leave", ["leaveSerializable"]],
];

/** The first read changes nothing: a second one replaces it. */
const READ_AGAIN = [{ app: "mikroorm-shapes", name: "takeLockedAgain" }];

const APPS: readonly (readonly [string, Shapes, number])[] = [
  ["typeorm-shapes", FOUR, 12],
  ["sequelize-shapes", FOUR, 12],
  ["mikroorm-shapes", FIVE, 14],
];

for (const [app, shapes, count] of APPS) {
  describe(app, () => {
    let program: Program;
    before(async () => {
      program = await codeApp(app);
    });

    /** The anomalies of two of a function together at PostgreSQL's default level. */
    async function check(name: string, ...expected: readonly string[]): Promise<void> {
      const transactions = program.transactions.filter((each) => each.name === name);
      assert.equal(transactions.length, 1, name);
      const own = { ...program, transactions };
      const report = await analyseProgram(own, "postgres:read-committed", 2);
      assert.deepEqual(verdicts(report), expected, name);
      assert.deepEqual(report.unknown, [], name);
      for (const anomaly of report.anomalies) assert.equal(anomaly.status, "confirmed", anomaly.id);
    }

    test("every statement is read exactly", () => {
      assert.equal(program.transactions.length, count);
      for (const each of program.transactions) assert.deepEqual(losses(each), [], each.name);
    });

    for (const { name } of READ_AGAIN.filter((each) => each.app === app)) {
      test(`${name} uses what it reads last`, () => check(name, `${name}+${name} unused`));
    }

    for (const [shape, twins] of shapes) {
      test(`${shape} and its twins`, async () => {
        await check(shape, `${shape}+${shape} state`);
        for (const twin of twins) await check(twin);
      });
    }
  });
}

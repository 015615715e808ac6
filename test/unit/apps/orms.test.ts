// The four shapes that break most often, written with TypeORM and with Sequelize: each is found, and each corrected
// twin is clean.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Program } from "../../../server/src/program/program";
import { losses } from "../frontend/code/prismaPrograms";
import { analyseProgram, verdicts } from "../truth/analyse";
import { codeApp } from "./codeApp";

/** Each shape, and its twins. */
const SHAPES: readonly (readonly [string, readonly string[]])[] = [
  ["issueInvoice", ["issueInvoiceLocked", "issueInvoiceSerializable", "issueReceipt"]],
  ["invite", ["inviteLocked"]],
  ["leave", ["leaveLocked"]],
  ["restock", ["restockLocked", "restockAtomically", "restockVersioned"]],
];

for (const app of ["typeorm-shapes", "sequelize-shapes"]) {
  describe(app, () => {
    let program: Program;
    before(async () => {
      program = await codeApp(app);
    });

    /** What is found when two of a function run together at PostgreSQL's default level. */
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
      assert.equal(program.transactions.length, 12);
      for (const each of program.transactions) assert.deepEqual(losses(each), [], each.name);
    });

    for (const [shape, twins] of SHAPES) {
      test(`${shape} and its twins`, async () => {
        await check(shape, `${shape}+${shape} state`);
        for (const twin of twins) await check(twin);
      });
    }
  });
}

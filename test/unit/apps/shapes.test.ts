// The four shapes that break most often, with Drizzle, knex and Kysely: each is found when one function runs twice at
// PostgreSQL's default level, and each corrected twin (a lock, a unique key, SERIALIZABLE, a change in place) is clean.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Program } from "../../../server/src/program/program";
import { losses } from "../frontend/code/prismaPrograms";
import { analyseProgram, verdicts } from "../truth/analyse";
import { codeApp } from "./codeApp";

const BREAK = ["issueInvoice", "invite", "leave", "restock"];
const CLEAN = [
  "issueInvoiceLocked",
  "issueInvoiceSerializable",
  "issueReceipt",
  "inviteLocked",
  "leaveLocked",
  "restockLocked",
  "restockAtomically",
  "restockVersioned",
];

function check(name: string): void {
  describe(name, () => {
    let program: Program;
    before(async () => {
      program = await codeApp(name);
    });

    test("every function is a transaction that is read exactly", () => {
      const names = program.transactions.map((each) => each.name);
      assert.deepEqual([...names].sort(), [...BREAK, ...CLEAN].sort());
      for (const each of program.transactions) assert.deepEqual(losses(each), [], each.name);
      assert.deepEqual(program.notes, []);
    });

    for (const [isFound, names] of [
      [true, BREAK],
      [false, CLEAN],
    ] as const) {
      test(`${names.join(", ")} ${isFound ? "break" : "are clean"}`, async () => {
        for (const each of names) {
          const transactions = program.transactions.filter((other) => other.name === each);
          const alone = { ...program, transactions };
          const report = await analyseProgram(alone, "postgres:read-committed", 2);
          assert.deepEqual(verdicts(report), isFound ? [`${each}+${each} state`] : [], each);
          assert.deepEqual(report.unknown, [], each);
          for (const { status } of report.anomalies) assert.equal(status, "confirmed", each);
        }
      });
    }
  });
}

check("drizzle-shapes");
check("knex-shapes");
check("kysely-shapes");

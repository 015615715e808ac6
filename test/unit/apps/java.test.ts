// SmallBank in BenchBase's style gives what it gives in SQL; the four shapes that break most often are found in Spring,
// and each corrected twin is clean.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { precisionOf } from "../../../server/src/program/precision";
import type { Program } from "../../../server/src/program/program";
import { losses } from "../frontend/code/prismaPrograms";
import { analyseProgram, appReport, verdicts } from "../truth/analyse";
import { codeApp } from "./codeApp";

describe("SmallBank in Java", () => {
  let program: Program;
  before(async () => {
    program = await codeApp("smallbank-java");
  });

  test("every statement is read exactly", () => {
    assert.deepEqual(
      program.transactions.map(({ name }) => name),
      [
        "Amalgamate",
        "Balance",
        "DepositChecking",
        "SendPayment",
        "TransactSavings",
        "WriteCheck",
      ].map((name) => `${name}.run`),
    );
    for (const each of program.transactions) {
      assert.deepEqual(losses(each), [], each.name);
      assert.equal(precisionOf(each.taint), "exact");
    }
  });

  for (const level of ["postgres:read-committed", "postgres:repeatable-read", "eventual"]) {
    test(`the same is found as in SQL at ${level}`, async () => {
      const inSql = await appReport("smallbank", level, 2);
      const inJava = await analyseProgram(program, level, 2);
      assert.deepEqual(
        verdicts(inJava).map((each) => each.replaceAll(".run", "")),
        verdicts(inSql),
      );
      assert.deepEqual(inJava.unknown, []);
    });
  }
});

describe("TPC-C in Java", () => {
  let program: Program;
  before(async () => {
    program = await codeApp("tpcc-java");
  });

  test("every statement is read exactly, with arrays, loops and locks", () => {
    const names = ["Delivery", "NewOrder", "OrderStatus", "Payment", "StockLevel"];
    assert.deepEqual(
      program.transactions.map(({ name }) => name),
      names.map((name) => `${name}.run`),
    );
    for (const each of program.transactions) assert.deepEqual(losses(each), [], each.name);
  });

  test("the same is found as in SQL", async () => {
    const level = "postgres:read-committed";
    const inSql = await appReport("tpcc", level, 2);
    const inJava = await analyseProgram(program, level, 2);
    assert.deepEqual(verdicts(inJava).map(plainName).sort(), verdicts(inSql).map(plainName).sort());
    const open = ({ unknown }: typeof inSql): readonly string[] =>
      unknown.map(({ transactions }) => plainName(transactions.join("+")));
    assert.deepEqual(open(inJava), open(inSql));
  });
});

/** `new_order+payment` and `NewOrder.run+Payment.run` are the same. */
function plainName(verdict: string): string {
  return verdict.replaceAll(".run", "").replaceAll("_", "").toLowerCase();
}

/** The anomalies of one function that runs twice, or of two together, at PostgreSQL's default level. */
function shapes(app: string, breaks: readonly string[], clean: readonly string[]): void {
  describe(`shapes of ${app}`, () => {
    let all: Program;
    before(async () => {
      all = await codeApp(app);
    });

    async function check(names: string, expected: readonly string[]): Promise<void> {
      const wanted = names.split("+");
      const transactions = all.transactions.filter(({ name }) => wanted.includes(name));
      assert.equal(transactions.length, wanted.length, names);
      const report = await analyseProgram({ ...all, transactions }, "postgres:read-committed", 2);
      const found = verdicts(report).filter(
        (each) => wanted.length === 1 || each.startsWith(names),
      );
      assert.deepEqual(found, expected);
      assert.deepEqual(report.unknown, []);
      for (const anomaly of report.anomalies) assert.equal(anomaly.status, "confirmed");
      assert.deepEqual(transactions.flatMap(losses), []);
    }

    for (const name of breaks) {
      const both = name.includes("+") ? name : `${name}+${name}`;
      test(`${name} breaks`, () => check(name, [`${both} state`]));
    }
    for (const name of clean) test(`${name} is clean`, () => check(name, []));
  });
}

shapes(
  "spring-shapes",
  ["InvoiceService.issue", "TokenService.create", "ItemService.receive", "MemberService.leave"],
  [
    "InvoiceService.issueLocked",
    "InvoiceService.issueSerializable",
    "InvoiceService.issueReceipt",
    "TokenService.createLocked",
    "TokenService.createSerializable",
    "ItemService.receiveLocked",
    "ItemService.receiveAtomically",
    "ItemService.receiveVersioned",
    "MemberService.leaveLocked",
  ],
);

shapes(
  "jpa-shapes",
  [
    "AccountService.withdraw",
    // The lock comes too late: what is kept stays as it was read.
    "AccountService.withdrawLockedLate",
    // All columns are written.
    "AccountService.rename+AccountService.withdrawLocked",
    "ItemService.restock",
    "MailService.subscribe",
    "MemberService.leave",
    "TravelService.book",
  ],
  [
    "AccountService.withdrawLocked",
    "AccountService.renameAlone+AccountService.withdrawLocked",
    "ItemService.restockAtomically",
    "MailService.subscribeUniquely",
    "MemberService.leaveSerializable",
    "TravelService.bookVersioned",
  ],
);

// SmallBank and TPC-C in TypeScript with node-postgres give what they give in SQL: the same transactions, kinds and
// severities, in pairs at PostgreSQL's and the papers' levels.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Program } from "../../../server/src/program/program";
import type { LevelReport } from "../../../server/src/protocol/report";
import { losses } from "../frontend/code/prismaPrograms";
import { analyseProgram, appReport, members, verdicts } from "../truth/analyse";
import { codeApp } from "./codeApp";

/** The anomalies and the undecided questions: names as in SQL, where they are written `new_order` or `NewOrder`. */
function told(report: LevelReport, level: string): readonly string[] {
  const { anomalies, unknown } = report;
  // Of the many cycles of a pair that weak levels let through, any one may come first.
  const found =
    level === "eventual"
      ? verdicts(report)
      : anomalies.map((each) => `${members(each)} ${each.kind} ${each.severity}`);
  const open = unknown
    .filter(({ transactions }) => transactions.length > 0)
    .map(({ transactions }) => `${[...transactions].sort().join("+")} undecided`);
  return [...found, ...open].map((each) => each.replaceAll("_", "").toLowerCase()).sort();
}

function check(name: string, sqlName: string, levels: readonly string[]): void {
  describe(name, () => {
    let program: Program;
    before(async () => {
      program = await codeApp(name);
    });

    test("every statement is read exactly, in one transaction for each function", () => {
      for (const each of program.transactions) {
        assert.deepEqual(losses(each), [], each.name);
        assert.equal(each.boundary, "explicit", each.name);
      }
      assert.deepEqual(program.notes, []);
    });

    for (const level of levels) {
      test(`the same is found as in SQL at ${level}`, async () => {
        const inSql = await appReport(sqlName, level, 2);
        const inCode = await analyseProgram(program, level, 2);
        // How many causes of one kind a pair has is told as far as the solver's first proposals go.
        assert.deepEqual(new Set(told(inCode, level)), new Set(told(inSql, level)));
      });
    }
  });
}

const POSTGRES = ["postgres:read-committed", "postgres:repeatable-read", "postgres:serializable"];
check("smallbank-ts", "smallbank", [...POSTGRES, "eventual", "snapshot-isolation"]);
check("tpcc-ts", "tpcc", POSTGRES);

// Stored routines as transactions: what each becomes, with its losses and notes, and that its statements stand where
// they say.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import type { Statement } from "../../../../server/src/program/statement";
import { fixture, update, UPDATING, type FixtureCase } from "../pg/fixtures";
import { describe } from "../pg/programs";
import { routines } from "./programs";

const FOLDER = path.join(__dirname, "fixtures");
const FILES = ["bank.sql", "handlers.sql", "loops.sql", "shapes.sql", "calls.sql"];

for (const file of FILES) {
  test(`stored routines of ${file}`, async () => {
    const cases = fixture(file, FOLDER);
    const actual = await Promise.all(cases.map(({ sql }) => described(sql)));
    if (UPDATING) {
      const updated = cases.map((each, at): FixtureCase => {
        return { ...each, expected: actual[at] ?? [] };
      });
      update(file, updated, FOLDER);
    }
    cases.forEach(({ line, expected }, at) => {
      assert.deepEqual(actual[at], expected, `${file}:${line}`);
    });
  });
}

async function described(sql: string): Promise<readonly string[]> {
  const { transactions, notes } = await read(sql);
  const all = [
    ...transactions.flatMap((transaction) => describe(transaction)),
    ...notes.map(({ message, source }) => `# ${source.range.start.line + 1}: ${message}`),
  ];
  return all.length === 0 ? ["nothing"] : all.map((each) => each.trimEnd());
}

/** A case that says so is in MariaDB's dialect. */
function read(sql: string) {
  return routines(sql, sql.includes("-- mariadb") ? "mariadb" : "mysql");
}

test("every statement is the text of its range", async () => {
  for (const file of FILES) {
    for (const { sql, line } of fixture(file, FOLDER)) {
      const { transactions } = await read(sql);
      for (const { body } of transactions) {
        const statements: Statement[] = [];
        walkCommand(body, { statement: (each) => statements.push(each) });
        for (const { source, text } of statements) {
          assert.equal(textAt(sql, source.range), text, `${file}:${line}`);
          assert.ok(text.trim() === text && text !== "", `${file}:${line} ${text}`);
          assert.ok(!text.endsWith(";"), `${file}:${line} ${text}`);
        }
      }
    }
  }
});

function textAt(sql: string, range: Statement["source"]["range"]): string {
  const lines = sql.split("\n");
  const offset = (at: { readonly line: number; readonly character: number }): number =>
    lines.slice(0, at.line).reduce((sum, line) => sum + line.length + 1, 0) + at.character;
  return sql.slice(offset(range.start), offset(range.end));
}

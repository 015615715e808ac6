// Routines as transactions: what each becomes, with its losses and notes, and that its statements stand where
// they say.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, Statement } from "../../../../server/src/program/statement";
import { fixture, update, UPDATING } from "./fixtures";
import { describe, routines } from "./programs";

const FILES = ["bank.sql", "plpgsql.sql", "shapes.sql", "calls.sql", "dynamic.sql", "broken.sql"];

for (const file of FILES) {
  test(`routines of ${file}`, async () => {
    const cases = fixture(file);
    const actual = await Promise.all(cases.map(({ sql }) => read(sql)));
    if (UPDATING) {
      update(
        file,
        cases.map((each, at) => ({ ...each, expected: actual[at] ?? [] })),
      );
    }
    cases.forEach(({ line, expected }, at) => {
      assert.deepEqual(actual[at], expected, `${file}:${line}`);
    });
  });
}

async function read(sql: string): Promise<readonly string[]> {
  const { transactions, notes } = await routines(sql);
  const all = [
    ...transactions.flatMap((transaction) => describe(transaction)),
    ...notes.map(({ message, source }) => `# ${source.range.start.line + 1}: ${message}`),
  ];
  return all.length === 0 ? ["nothing"] : all.map((each) => each.trimEnd());
}

test("every statement is the text of its range", async () => {
  for (const file of FILES) {
    for (const { sql, line } of fixture(file)) {
      const { transactions } = await routines(sql);
      for (const { body } of transactions) {
        for (const { source, text } of statementsOf(body)) {
          assert.equal(textAt(sql, source.range), text, `${file}:${line}`);
          assert.ok(text.trim() === text && text !== "", `${file}:${line} ${text}`);
          assert.ok(!text.endsWith(";"), `${file}:${line} ${text}`);
        }
      }
    }
  }
});

function statementsOf(command: Command): readonly Statement[] {
  switch (command.kind) {
    case "statement":
      return [command.statement];
    case "sequence":
      return command.commands.flatMap(statementsOf);
    case "if":
      return [command.then, command.otherwise].flatMap((each) =>
        each === undefined ? [] : statementsOf(each),
      );
    case "loop":
      return statementsOf(command.body);
    case "try":
      return [...statementsOf(command.body), ...statementsOf(command.handler)];
    default:
      return [];
  }
}

function textAt(text: string, range: Statement["source"]["range"]): string {
  const starts = [0];
  for (let at = 0; at < text.length; at++) if (text[at] === "\n") starts.push(at + 1);
  const offset = ({ line, character }: { readonly line: number; readonly character: number }) =>
    (starts[line] ?? 0) + character;
  return text.slice(offset(range.start), offset(range.end));
}

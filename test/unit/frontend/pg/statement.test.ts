// Statements by PostgreSQL's grammar: what each becomes, with its losses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, update, UPDATING } from "./fixtures";
import { statement } from "./programs";

const FILES = ["queries.sql", "changes.sql"];

for (const file of FILES) {
  test(`statements of ${file}`, async () => {
    const cases = fixture(file);
    const actual = await Promise.all(cases.map(({ sql }) => read(sql)));
    if (UPDATING) {
      update(
        file,
        cases.map((each, at) => ({ ...each, expected: actual[at] ?? [] })),
      );
    }
    cases.forEach(({ line, sql, expected }, at) => {
      assert.deepEqual(actual[at], expected, `${file}:${line} ${sql}`);
    });
  });
}

async function read(sql: string): Promise<readonly string[]> {
  const { commands, losses, notes } = await statement(sql.replace(/;$/, ""));
  const all = [
    ...commands,
    ...losses.map(({ effect, reason }) => `! ${effect}: ${reason}`),
    ...notes.map(({ message }) => `# ${message}`),
  ];
  return all.length === 0 ? ["nothing"] : all.map((each) => each.trimEnd());
}

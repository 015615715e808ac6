// Choices between functions: by ts-pattern's patterns and by tables of functions.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const START = `import { Pool } from "pg";
import { match, P } from "ts-pattern";
const pool = new Pool();
const add = (n) => pool.query("UPDATE accounts SET balance = balance + $1 WHERE id = 1", [n]);
const note = (n) => pool.query("INSERT INTO log (amount) VALUES ($1)", [n]);
`;

const ADDED = "update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)";
const NOTED = "insert log {id = fresh sequence, amount = :n}";

/** The value of the function `f(x, n)` with that body. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `${START} export async function f(x, n) { ${body} }`;
  const found = await transactionsOf(ACCOUNTS_AND_LOG, { "a.ts": text });
  assert.deepEqual(printed(found.filter(({ name }) => name === "f")).slice(1), expected);
}

describe("one of several functions", () => {
  it("by literals and unions of them, the last without a question where there is no other", () =>
    check(
      `await match(x).with("A", () => add(n)).with("B", P.union("C", "D"), async () => note(n))
        .with("E", () => undefined).exhaustive();`,
      [
        '  if (:x = "A")',
        `    ${ADDED}`,
        "  else",
        '    if ((:x = "B") or (:x = "C") or (:x = "D"))',
        `      ${NOTED}`,
      ],
    ));

  it("by the fields of a record, with what a pattern selects", () =>
    check(
      `const v = match(x).with({ kind: "one", value: P.select() }, (one) => one).otherwise(() => 5);
       await note(v);`,
      ['  insert log {id = fresh sequence, amount = ((:x.kind = "one") ? :x.value : 5)}'],
    ));

  it("by a constant, which leaves one", () =>
    check(
      `await match("B").with("A", () => add(n)).with("B", () => note(n)).run();
       await match({ a: 1 }).with({ a: 2 }, () => add(n)).with({ a: P.any }, { a: 3 }, () => note(n)).otherwise(() => add(n));`,
      [`  ${NOTED}`, `  ${NOTED}`],
    ));

  it("by guards", () =>
    check(
      `await match(x).with(P.nullish, () => add(n)).with(P.any, () => n > 3, () => note(n)).when(() => n < 0, () => add(n)).run();`,
      [
        "  if not ((:x is null) or (:n > 3) or (:n < 0))",
        "    rollback",
        "  if (:x is null)",
        `    ${ADDED}`,
        "  else",
        "    if (:n > 3)",
        `      ${NOTED}`,
        "    else",
        `      ${ADDED}`,
      ],
    ));

  it("by patterns that are not understood: perhaps", () =>
    check(`await match(x).with(P.string.minLength(2), () => add(n)).otherwise(() => note(n));`, [
      "  if unknown()",
      `    ${ADDED}`,
      "  else",
      `    ${NOTED}`,
    ]));

  it("by a key of a table of functions", () =>
    check(`await ({ a: add, b: note })[x](n);`, [
      '  if (:x = "a")',
      `    ${ADDED}`,
      "  else",
      '    if (:x = "b")',
      `      ${NOTED}`,
    ]));
});

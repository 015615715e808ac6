// A promise that a function returns without awaiting it fails behind its handlers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const START = `import { Pool } from "pg";
const pool = new Pool();
const open = (id) => pool.query("INSERT INTO accounts (id, balance) VALUES ($1, 0)", [id]);
const note = (n) => pool.query("INSERT INTO log (amount) VALUES ($1)", [n]);
async function make(n) { if (n < 0) throw new Error("no"); await note(n); }
`;

/** The effect of a call of the function `g(n)` with that body, behind which 5 is noted. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `${START}${body} export async function f(n) { await g(n); await note(5); }`;
  const found = await transactionsOf(ACCOUNTS_AND_LOG, { "a.ts": text });
  const lines = printed(found.filter(({ name }) => name === "f"));
  assert.deepEqual(lines, ["f unit", ...expected, noted("5")]);
}

const noted = (amount: string): string => `  insert log {id = fresh sequence, amount = ${amount}}`;
const MADE = ["    if (:n < 0)", "      rollback", `  ${noted(":n")}`];
const OPENED = "    insert accounts {id = :n, balance = 0}";
const REJECTED = ["  handler", "    @rejected1 := true", "  if @rejected1", "    rollback"];
const HANDLED = ["  handler", `  ${noted("7")}`];

describe("a promise that a try returns", () => {
  it("is caught by its handler where it is awaited there", () =>
    check("async function g(n) { try { return await make(n); } catch (e) { await note(7); } }", [
      "  try",
      ...MADE,
      ...HANDLED,
    ]));

  it("fails behind the function where it is not", () =>
    check("async function g(n) { try { return make(n); } catch (e) { await note(7); } }", [
      "  @rejected1 := false",
      "  try",
      ...MADE,
      ...REJECTED,
    ]));

  it("fails there, too, where the database refuses something", async () => {
    const expected = ["  @rejected1 := false", "  try", OPENED, ...REJECTED];
    await check(
      "async function g(n) { try { return open(n); } catch (e) { await note(7); } }",
      expected,
    );
    await check("function g(n) { try { return open(n); } catch (e) { note(7); } }", expected);
  });

  it("leaves what is thrown before there is a promise to the handler", () =>
    check(
      `function later(n) { if (n < 0) throw new Error("no"); return note(n); }
       async function g(n) { try { return later(n); } catch (e) { await note(7); } }`,
      [
        "  if (:n < 0)",
        `  ${noted("7")}`,
        "  else",
        "    @rejected1 := false",
        "    try",
        `    ${noted(":n")}`,
        "    handler",
        "      @rejected1 := true",
        "    @return1 := 1",
        "  if (@return1 = 1)",
        "    if @rejected1",
        "      rollback",
      ],
    ));

  it("is the promise that a function hands on which is not async", () =>
    check(
      `import { fromPromise } from "neverthrow";
       function put(n) { const twice = n * 2; return make(twice); }
       async function g(n) { const result = await fromPromise(put(n), (e) => e); if (result.isErr()) await note(7); }`,
      [
        "  @rejected1 := false",
        "  try",
        "    if ((:n * 2) < 0)",
        "      rollback",
        "    insert log {id = fresh sequence, amount = (:n * 2)}",
        "  handler",
        "    @rejected1 := true",
        "  @caught1 := false",
        "  if @rejected1",
        "    @caught1 := true",
        "  if (not (@caught1 is null) and @caught1)",
        `  ${noted("7")}`,
      ],
    ));
});

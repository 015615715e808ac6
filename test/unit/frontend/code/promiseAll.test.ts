// Promise.all: one that fails ends the wait, and the others run all the same.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const START = `import { Pool } from "pg";
import { cache } from "elsewhere";
const pool = new Pool();
const add = (n) => pool.query("UPDATE accounts SET balance = balance + $1 WHERE id = 1", [n]);
const note = (n) => pool.query("INSERT INTO log (amount) VALUES ($1)", [n]);
async function make(n) { if (n < 0) throw new Error("no"); await note(n); }
async function open(id) { await pool.query("INSERT INTO accounts (id, balance) VALUES ($1, 0)", [id]); }
`;

/** What the function `f` with that body is. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `${START}export async function f(n, ids) { ${body} }`;
  const found = await transactionsOf(ACCOUNTS_AND_LOG, { "a.ts": text });
  assert.deepEqual(printed(found.filter(({ name }) => name === "f")), ["f unit", ...expected]);
}

const noted = (amount: string): string => `  insert log {id = fresh sequence, amount = ${amount}}`;
const ADDED = "  update accounts set balance = (accounts.balance + :n) where (accounts.id = 1)";
const MADE = [
  "  @rejected1 := false",
  "  try",
  "    if (:n < 0)",
  "      rollback",
  `  ${noted(":n")}`,
  "  handler",
  "    @rejected1 := true",
];
const UNHEARD = [
  "  @rejected1 := false",
  "  if (:cache.del() fails = true)",
  "    @rejected1 := true",
];
const THROWN = ["  if @rejected1", "    rollback"];
const inward = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

describe("Promise.all", () => {
  it("throws behind all that was called", () =>
    check("await Promise.all([make(n), add(n)]); await note(5);", [
      ...MADE,
      ADDED,
      ...THROWN,
      noted("5"),
    ]));

  it("throws at once where the last one does, and all others went well", () =>
    check("await Promise.all([add(n), make(n)]); await note(5);", [
      ADDED,
      ...MADE.slice(2, 4).map((line) => line.slice(2)),
      noted(":n"),
      noted("5"),
    ]));

  it("gives its handler the errors of each of them", () =>
    check("try { await Promise.all([make(n), add(n)]); } catch (e) { await note(5); }", [
      "  try",
      ...inward([...MADE, ADDED, ...THROWN]),
      "  handler",
      `  ${noted("5")}`,
    ]));

  it("runs the others where the database refuses one, which a handler takes", () =>
    check("try { await Promise.all([open(n), add(n)]); } catch (e) { await note(5); }", [
      "  try",
      ...inward([
        "  @rejected1 := false",
        "  try",
        "    insert accounts {id = :n, balance = 0}",
        "  handler",
        "    @rejected1 := true",
        ADDED,
        ...THROWN,
      ]),
      "  handler",
      `  ${noted("5")}`,
    ]));

  it("runs the others where something unknown fails, which a handler takes", () =>
    check("try { await Promise.all([cache.del(n), add(n)]); } catch (e) { await note(5); }", [
      "  try",
      ...inward([...UNHEARD, ADDED, ...THROWN]),
      "  handler",
      `  ${noted("5")}`,
    ]));

  it("runs all rounds of a loop", () =>
    check(
      `await Promise.all(ids.map(async (id) => { if (id < 0) throw new Error("no"); await note(id); }));
       await add(n);`,
      [...ROUNDS, ADDED],
    ));

  it("awaits a list that a loop made before", () =>
    check("const all = ids.map((id) => make(id)); await Promise.all(all); await add(n);", [
      ...ROUNDS,
      ADDED,
    ]));

  it("throws at once in a transaction, which undoes them all", async () => {
    const text = `${START}export async function f(n) {
  const client = await pool.connect();
  const done = async () => { if (n < 0) throw new Error("no"); await client.query("DELETE FROM log"); };
  await client.query("BEGIN");
  await Promise.all([done(), client.query("UPDATE accounts SET balance = 1")]);
  await client.query("COMMIT");
}`;
    const found = await transactionsOf(ACCOUNTS_AND_LOG, { "a.ts": text });
    assert.deepEqual(printed(found.filter(({ name }) => name === "f")), [
      "f explicit",
      "  if (:n < 0)",
      "    rollback",
      "  delete log",
      "  update accounts set balance = 1",
    ]);
  });
});

const ROUNDS = [
  "  @rejections1 := false",
  "  loop count",
  "    @rejected1 := false",
  "    try",
  "      if (:ids[@i1] < 0)",
  "        rollback",
  `    ${noted(":ids[@i1]")}`,
  "    handler",
  "      @rejected1 := true",
  "    if @rejected1",
  "      @rejections1 := true",
  "  if @rejections1",
  "    rollback",
];

describe("Promise.allSettled", () => {
  it("takes the errors of a list that a loop made before", () =>
    check(
      "const all = ids.map(async (id) => { await make(id); }); await add(n); await Promise.allSettled(all);",
      [
        "  loop count",
        "    try",
        "      if (:ids[@i1] < 0)",
        "        rollback",
        `    ${noted(":ids[@i1]")}`,
        "    handler",
        ADDED,
      ],
    ));

  it("takes the error of something unknown", () =>
    check(
      "try { await Promise.allSettled([cache.del(n), add(n)]); await add(n); } catch (e) { await note(5); }",
      ["  try", ...inward([ADDED, ADDED]), "  handler", `  ${noted("5")}`],
    ));
});

describe("Promise.race", () => {
  it("leaves all others running, which is said", () =>
    check("await Promise.race([make(n), add(n)]); await note(5);", [
      "  if (:n < 0)",
      "    rollback",
      `${noted(":n")}`,
      ADDED,
      noted("5"),
      "  ! which of several promises comes first is not known, and the others go on",
    ]));
});

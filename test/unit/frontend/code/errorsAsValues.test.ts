// Libraries that make a value of what a promise fails with: await-to-js and neverthrow.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE log (id serial PRIMARY KEY, amount int NOT NULL);";

const START = `import { Pool } from "pg";
import to from "await-to-js";
import { Cause, Effect, Exit, Schedule } from "effect";
import { errAsync, ok, okAsync, ResultAsync } from "neverthrow";
const pool = new Pool();
const note = (n) => pool.query("INSERT INTO log (amount) VALUES ($1)", [n]);
async function make(n) { if (n < 0) throw new Error("no"); await note(n); }
`;

/** The value of the function `f(n)` with that body. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `${START}export async function f(n) { ${body} }`;
  const found = await transactionsOf(DDL, { "a.ts": text });
  assert.deepEqual(printed(found.filter(({ name }) => name === "f")), expected);
}

const noted = (amount: string): string => `  insert log {id = fresh sequence, amount = ${amount}}`;
const MADE = [
  "f unit",
  "  @rejected1 := false",
  "  try",
  "    if (:n < 0)",
  "      rollback",
  `  ${noted(":n")}`,
  "  handler",
  "    @rejected1 := true",
  "  @caught1 := false",
  "  if @rejected1",
  "    @caught1 := true",
];

describe("errors as values", () => {
  it("are the first of two that await-to-js gives", () =>
    check("const [error] = await to(make(n)); if (error) return; await note(2);", [
      ...MADE,
      "  if @caught1",
      "    return",
      noted("2"),
    ]));

  it("are asked of a result of neverthrow", () =>
    check(
      `const r = await ResultAsync.fromPromise(make(n), (e) => e);
       if (r.isErr()) { await note(8); return; }
       await note(2);`,
      [
        ...MADE,
        "  if (not (@caught1 is null) and @caught1)",
        `  ${noted("8")}`,
        "    return",
        noted("2"),
      ],
    ));

  it("end a chain, and choose what is matched", () =>
    check(
      `await ok(n).asyncAndThen((x) => ResultAsync.fromPromise(make(x), String))
         .match(() => note(1), () => note(2));`,
      [...MADE, "  if @caught1", `  ${noted("2")}`, "  else", `  ${noted("1")}`],
    ));

  it("are there without an error that is thrown", () =>
    check(
      `const g = (n) => { if (n < 1) return errAsync("no"); return okAsync(n); };
       await g(n).andTee((x) => note(x)).orElse(() => okAsync(0));`,
      [
        "f autocommit",
        "  if (:n < 1)",
        "    @return1 := 1",
        "  else",
        "    @return1 := 2",
        "  if (@return1 = 1)",
        "  else",
        `  ${noted(":n")}`,
      ],
    ));

  it("are how an effect ended, which runs where it is told to", () =>
    check(
      `const exit = await Effect.runPromiseExit(Effect.tryPromise({ try: () => make(n), catch: (e) => e })
         .pipe(Effect.tap(() => Effect.promise(() => note(7))), Effect.retry({ schedule: Schedule.exponential("9 millis"), times: 3 })));
       if (Exit.isFailure(exit)) throw Cause.squash(exit.cause);
       await Effect.runPromise(Effect.tryPromise(() => note(2)));
       return exit.value;`,
      [
        "f unit",
        "  @caught1 := false",
        "  try",
        "    if (:n < 0)",
        "      rollback",
        `  ${noted(":n")}`,
        `  ${noted("7")}`,
        "  handler",
        "    @caught1 := true",
        "  if (not (@caught1 is null) and @caught1)",
        "    rollback",
        noted("2"),
        "  return",
        "  ! what is retried may have run in part before",
      ],
    ));

  it("let an effect run again, which is told where an attempt that failed has done something", async () => {
    const retried = (work: string): string =>
      `await Effect.runPromise(Effect.tryPromise(async () => { ${work} }).pipe(Effect.retry({ times: 3 })));`;
    const told = "  ! what is retried may have run in part before";
    const atomic =
      'const c = await pool.connect(); await c.query("BEGIN"); await c.query("DELETE FROM log"); await c.query("UPDATE log SET amount = $1", [n]); await c.query("COMMIT");';
    const works = [
      "await note(n);",
      'await pool.query("SELECT 1 FROM log"); await note(n);',
      atomic,
    ];
    const partial = [
      "await note(n); await note(2);",
      "await note(n); await mail(n);",
      'await note(n); if (n > 3) throw new Error("much");',
      "for (const each of n.all) await note(each);",
      `${atomic} await note(n);`,
    ];
    const isTold = async (work: string): Promise<boolean> => {
      const text = `${START}export async function f(n) { ${retried(work)} }`;
      const found = await transactionsOf(DDL, { "a.ts": text });
      return printed(found.filter(({ name }) => name === "f")).includes(told);
    };
    assert.deepEqual(await Promise.all(works.map(isTold)), [false, false, false]);
    assert.deepEqual(await Promise.all(partial.map(isTold)), [true, true, true, true, true]);
  });

  it("are of an effect that runs when it is told to, whoever waits for it", () =>
    check(
      `const first = Effect.runPromise(Effect.tryPromise(() => note(1)));
       const second = Effect.runPromiseExit(Effect.tryPromise(() => note(2)));
       await note(3);
       await first;
       const exit = await second;
       if (Exit.isFailure(exit)) return;
       await note(4);`,
      [
        "f unit",
        noted("1"),
        "  @caught1 := false",
        "  try",
        `  ${noted("2")}`,
        "  handler",
        "    @caught1 := true",
        noted("3"),
        "  if (not (@caught1 is null) and @caught1)",
        "    return",
        noted("4"),
      ],
    ));
});

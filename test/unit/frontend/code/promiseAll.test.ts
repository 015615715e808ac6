// Promise.all: one that fails ends the wait, and the others run all the same.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const START = `import { Pool } from "pg";
import { cache, forEachAsync, pMapSeries } from "elsewhere";
import async from "async";
import Bluebird from "bluebird";
import pLimit from "p-limit";
import pMap from "p-map";
const limit = pLimit(2);
const pool = new Pool();
const add = (n) => pool.query("UPDATE accounts SET balance = balance + $1 WHERE id = 1", [n]);
const note = (n) => pool.query("INSERT INTO log (amount) VALUES ($1)", [n]);
async function make(n) { if (n < 0) throw new Error("no"); await note(n); }
async function open(id) { await pool.query("INSERT INTO accounts (id, balance) VALUES ($1, 0)", [id]); }
`;

/** The value of the function `f` with that body. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `${START}export async function f(n, ids: number[]) { ${body} }`;
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

describe("waiting for all", () => {
  const ROUNDS = [
    "  @rejections1 := false",
    "  loop count",
    "    @rejected1 := false",
    "    try",
    "      if (:ids[@i1] < 0)",
    "        rollback",
    "      insert log {id = fresh sequence, amount = :ids[@i1]}",
    "    handler",
    "      @rejected1 := true",
    "    if @rejected1",
    "      @rejections1 := true",
    "  if @rejections1",
    "    rollback",
    noted("5"),
  ];
  it("is what helpers do that run all items at once", async () => {
    const helpers = [
      "pMap(ids, make)",
      "pMap(ids, make, { concurrency: Infinity })",
      "pMap(ids, make, { concurrency: 3, stopOnError: false })",
      "Bluebird.map(ids, make)",
      "async.each(ids, make)",
      "Promise.all(ids.map((id) => limit(make, id)))",
    ];
    for (const helper of helpers) await check(`await ${helper}; await note(5);`, ROUNDS);
  });

  it("is what helpers do that run a few items at a time, but for those that have not begun", async () => {
    const told = (name: string): string =>
      `  ! which further items ${name}() begins once one of them fails is not known`;
    const at = "await note(5);";
    await check(`await pMap(ids, make, { concurrency: 3 }); ${at}`, [...ROUNDS, told("pMap")]);
    await check(`await async.eachLimit(ids, n, make); ${at}`, [...ROUNDS, told("async.eachLimit")]);
    await check(`await forEachAsync(ids, make); ${at}`, [...ROUNDS, told("forEachAsync")]);
    await check(`await pMap([n, 7], make, { concurrency: 2 }); ${at}`, [
      ...MADE,
      noted("7"),
      ...THROWN,
      noted("5"),
    ]);
    await check(`await pMap(ids, note, { concurrency: 3 }); ${at}`, [
      "  loop count",
      "    insert log {id = fresh sequence, amount = :ids[@i1]}",
      noted("5"),
    ]);
  });

  it("is none of what helpers do that run one item after the other", async () => {
    const helpers = [
      "pMap(ids, make, { concurrency: 1 })",
      "async.eachSeries(ids, make)",
      "Bluebird.each(ids, make)",
      "pMapSeries(ids, make)",
    ];
    for (const helper of helpers) {
      await check(`await ${helper}; await note(5);`, [
        "  loop count",
        "    if (:ids[@i1] < 0)",
        "      rollback",
        "    insert log {id = fresh sequence, amount = :ids[@i1]}",
        noted("5"),
      ]);
    }
  });

  it("waits for calls that a limiter puts off", () =>
    check("await Promise.all([limit(() => make(n)), limit(() => add(n))]); await note(5);", [
      ...MADE,
      ADDED,
      ...THROWN,
      noted("5"),
    ]));
});

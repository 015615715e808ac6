// Allocations: those of published results, and greedy lowering against every allocation of small programs.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import type { Program } from "../../../server/src/program/program";
import type { Allocation } from "../../../server/src/protocol/allocation";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { LevelReport } from "../../../server/src/protocol/report";
import type { FileId } from "../../../server/src/protocol/source";
import { allocate } from "../../../server/src/service/allocate";
import type { Session } from "../../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { analyseProgram, sql } from "../truth/analyse";
import { programOf } from "./allocationParts";
import { openTestSession } from "./testSession";

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

const [RC, RR, SER] = PRODUCT_LEVELS.filter(({ product }) => product === "postgres").map(
  ({ name }) => name,
);

function allocation(text: string, maxTransactions: number): Promise<Allocation> {
  // Test data: the only place where this name is made.
  const files = [{ file: "a.sql" as FileId, text }];
  const project = {
    files,
    context: [],
    configuration: { ...DEFAULT_CONFIGURATION, budget: 300_000 },
  };
  return session.allocation({ project, maxTransactions }, AbortSignal.timeout(600_000));
}

const TABLES = `
CREATE TABLE accounts (name integer PRIMARY KEY, custid integer NOT NULL);
CREATE TABLE savings (custid integer PRIMARY KEY, bal integer NOT NULL);
CREATE TABLE checking (custid integer PRIMARY KEY, bal integer NOT NULL);
`;

/** SmallBank as its templates are: what a row is changed by is read from it by the same statement, or under its lock. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  Amalgamate: [
    "SELECT bal AS s FROM savings WHERE custid = :a FOR UPDATE \\gset",
    "UPDATE savings SET bal = 0 WHERE custid = :a;",
    "SELECT bal AS c FROM checking WHERE custid = :a FOR UPDATE \\gset",
    "UPDATE checking SET bal = 0 WHERE custid = :a;",
    "UPDATE checking SET bal = bal + :s + :c WHERE custid = :b;",
  ],
  Balance: [
    "SELECT bal FROM savings WHERE custid = :a;",
    "SELECT bal FROM checking WHERE custid = :a;",
  ],
  DepositChecking: ["UPDATE checking SET bal = bal + :v WHERE custid = :a;"],
  TransactSavings: ["UPDATE savings SET bal = bal + :v WHERE custid = :a;"],
  WriteCheck: [
    "SELECT bal AS s FROM savings WHERE custid = :a \\gset",
    "SELECT bal AS c FROM checking WHERE custid = :a \\gset",
    "\\if :s + :c < :v",
    "UPDATE checking SET bal = bal - :v - 1 WHERE custid = :a;",
    "\\else",
    "UPDATE checking SET bal = bal - :v WHERE custid = :a;",
    "\\endif",
  ],
};

function smallBank(names: readonly string[]): string {
  const scripts = names.map((name) => {
    const distinct = name === "Amalgamate" ? "-- @isolens distinct a, b\n" : "";
    return `${distinct}-- @transaction ${name}\nBEGIN;\n${(ownEntry(PROGRAMS, name) ?? []).join("\n")}\nCOMMIT;\n`;
  });
  return TABLES + scripts.join("\n");
}

async function needsNoMoreThan(
  names: readonly string[],
  level: string | undefined,
): Promise<boolean> {
  const { levels } = await allocation(smallBank(names), 3);
  assert.ok(levels);
  const order: readonly (string | undefined)[] = [RC, RR, SER];
  return Object.values(levels).every((each) => order.indexOf(each) <= order.indexOf(level));
}

describe("allocations of SmallBank", () => {
  // Vandevoort, Ketsman, Koch, Neven: Robustness against Read Committed for transaction templates, VLDB 2021.
  for (const names of [
    ["Amalgamate", "DepositChecking", "TransactSavings"],
    ["Balance", "DepositChecking"],
    ["Balance", "TransactSavings"],
  ])
    it(`{${names.join(", ")}} is robust against READ COMMITTED`, async () => {
      assert.equal(await needsNoMoreThan(names, RC), true);
    });

  for (const names of [["Balance", "Amalgamate"], ["WriteCheck"]])
    it(`{${names.join(", ")}} is not`, async () => {
      assert.equal(await needsNoMoreThan(names, RC), false);
    });

  // Alomari, Cahill, Fekete, Roehm: The cost of serializability on platforms that use snapshot isolation, ICDE 2008.
  it("needs SERIALIZABLE for the cycle through WriteCheck and for nothing else", async () => {
    const names = ["Balance", "TransactSavings", "WriteCheck"];
    assert.equal(await needsNoMoreThan(names, RR), false);
    for (const without of names)
      assert.equal(
        await needsNoMoreThan(
          names.filter((each) => each !== without),
          RR,
        ),
        true,
        without,
      );
  });
});

describe("allocations of small programs", () => {
  for (const names of [
    ["add", "look"],
    ["skew", "bump"],
    ["both", "look"],
    ["grow", "look"],
  ])
    it(`lowered one by one are among all that were tried: ${names.join(", ")}`, async () => {
      const program = await programOf(names);
      const among = PRODUCT_LEVELS.filter(({ product }) => product === "postgres");
      const check = (part: Program) => analyseProgram(part, "postgres:read-committed", 3);
      const signal = AbortSignal.timeout(300_000);
      const question = { program, among, bound: 3 };
      const all = await allocate(question, check, signal);
      const greedy = await allocate({ ...question, mostTried: 0 }, check, signal);
      assert.equal(all.isExhaustive, true);
      assert.equal(greedy.isExhaustive, false);
      const known = [all.levels, ...all.alternatives].map((each) => JSON.stringify(each));
      assert.ok(known.includes(JSON.stringify(greedy.levels)), JSON.stringify([all, greedy]));
    });

  it("raise nothing but what is in a cycle", async () => {
    const { levels, isExhaustive } = await allocation(
      `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction add
BEGIN;
SELECT v FROM t WHERE id = :id \\gset
UPDATE t SET v = :v + 1 WHERE id = :id;
COMMIT;
-- @transaction look
BEGIN;
SELECT v FROM t WHERE id = :id;
COMMIT;
`,
      3,
    );
    assert.equal(isExhaustive, true);
    assert.deepEqual(levels, { add: RR, look: RC });
  });

  it("tell others that cannot be weakened either", async () => {
    const found = await allocation(
      `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction look
BEGIN;
SELECT v FROM t WHERE id = 1;
SELECT v FROM t WHERE id = 2;
COMMIT;
-- @transaction both
BEGIN;
UPDATE t SET v = v + 1 WHERE id = 1;
UPDATE t SET v = v + 1 WHERE id = 2;
COMMIT;
`,
      2,
    );
    assert.deepEqual(found.levels, { look: RR, both: RC });
    assert.equal(found.bound, 2);
  });

  it("take nothing for decided that a search left open at the strongest level", async () => {
    const text = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction add
BEGIN;
SELECT v FROM t WHERE id = :id \\gset
UPDATE t SET v = :v + 1 WHERE id = :id;
COMMIT;
`;
    const program = readProgram([sql(text)], { pg: await loadPgParser() });
    const among = PRODUCT_LEVELS.filter(({ product }) => product === "postgres");
    const report = await analyseProgram(program, SER ?? "", 1);
    const opened = { reason: "out of time", transactions: ["add"] };
    const check = () => Promise.resolve({ ...report, anomalies: [], unknown: [opened] });
    const question = { program, among, bound: 2 };
    const found = await allocate(question, check, AbortSignal.timeout(60_000));
    assert.equal(found.levels, undefined);
    assert.deepEqual(found.open, ["out of time"]);
  });

  it("end with what is known by then, and say of whom a weaker level is not decided", async () => {
    const script = (name: string): string =>
      `-- @transaction ${name}\nBEGIN;\nUPDATE t SET v = v + 1 WHERE id = :id;\nCOMMIT;\n`;
    const text = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n${["one", "two"].map(script).join("")}`;
    const program = readProgram([sql(text)], { pg: await loadPgParser() });
    const among = PRODUCT_LEVELS.filter(({ product }) => product === "postgres");
    const stop = new AbortController();
    const asked: string[] = [];
    // Of the first transaction everything is decided, of the second nothing before the time is over.
    const check = async (part: Program): Promise<LevelReport> => {
      const names = part.transactions.map(({ level }) => level?.name ?? "");
      asked.push(names.join());
      const report = await analyseProgram(part, "postgres:read-committed", 2);
      if (names[1] === SER) return report;
      if (asked.filter((each) => each === names.join()).length === 3) stop.abort();
      return { ...report, unknown: [{ reason: "the time was over", transactions: [] }] };
    };
    const found = await allocate({ program, among, bound: 2, mostTried: 0 }, check, stop.signal);
    assert.deepEqual(found.levels, { one: RC, two: SER });
    assert.equal(asked.filter((each) => each === `${RC ?? ""},${RC ?? ""}`).length, 3);
    assert.deepEqual(found.open, [
      "the time was over before all was decided: ask again, or with a larger --budget",
      "it is not decided whether two may run at postgres:read-committed",
      "it is not decided whether two may run at postgres:repeatable-read",
    ]);
  });
});

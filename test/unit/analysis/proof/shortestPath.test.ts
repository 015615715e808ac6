// The scheme of shortest paths on its own: what it proves, and where it stops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { counterCandidates } from "../../../../server/src/analysis/assumptions/counters";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import { createAsker } from "../../../../server/src/analysis/proof/asker";
import { proveLemmas } from "../../../../server/src/analysis/proof/lemmas";
import { settingOf } from "../../../../server/src/analysis/proof/setting";
import {
  proveBySequences,
  proveByShortestPaths,
  proveBySymbols,
} from "../../../../server/src/analysis/proof/shortestPath";
import type { ShortestPath } from "../../../../server/src/analysis/proof/shortestPath";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { openZ3 } from "../../../../server/src/engine/z3";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { SourceFile } from "../../../../server/src/frontend/sql/readProgram";
import { readRandom } from "../productsHarness";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Program } from "../../../../server/src/program/program";
import { app, sql } from "../../truth/analyse";
import { randomProofProgram } from "./randomPrograms";
import { generator } from "./random";
import { LIMITS } from "./proveSql";

const parsers = loadPgParser().then((pg) => ({ pg }));
const solvers = openZ3();

async function pathsIn(read: Program, levelName: string) {
  const level = findLevel(levelName);
  assert.ok(level);
  const candidates = counterCandidates(flattenProgram(read, { unroll: 1 }));
  const invariants = candidates.flatMap((each) => each.slice(0, 1));
  const flat = flattenProgram({ ...read, invariants }, { unroll: 1, anyRounds: true });
  const found = settingOf(flat, level);
  assert.ok("setting" in found);
  const asker = createAsker(await solvers, LIMITS);
  const setting = { ...found.setting, lemmas: proveLemmas(asker, found.setting) };
  return { asker, setting, all: flat.transactions.map((_, at) => at) };
}

async function paths(files: readonly SourceFile[], levelName: string, sequences = 80) {
  const { asker, setting, all } = await pathsIn(readProgram(files, await parsers), levelName);
  const limits = { longest: 3, sequences, operations: 16 };
  const result = proveByShortestPaths(asker, setting, all, limits);
  const names =
    result.kind === "failed"
      ? result.chain.members.map((at) => setting.flat.transactions[at]?.id).join(" -> ")
      : "";
  return { result, names };
}

/** The answers of sequences one by one and of symbolic transactions, each on its own. */
async function bothWays(read: Program, levelName: string) {
  const { asker, setting, all } = await pathsIn(read, levelName);
  const told = (result: ShortestPath): string =>
    result.kind === "proved" ? `proved ${String(result.length)}` : result.kind;
  return {
    sequences: told(proveBySequences(asker, setting, all, { longest: 3, sequences: 20 })),
    symbols: told(proveBySymbols(asker, setting, all, { longest: 3 })),
  };
}

/** Programs of which some are proved and some are not. */
const SEEDS = [1, 2, 3];

const WITHDRAW = `CREATE TABLE account (id integer PRIMARY KEY, bal integer NOT NULL);
-- @transaction withdraw
BEGIN;
SELECT bal AS b FROM account WHERE id = :id \\gset
UPDATE account SET bal = :b - :amount WHERE id = :id AND bal >= :amount;
COMMIT;
`;

for (const level of ["parallel-snapshot-isolation", "snapshot-isolation"])
  test(`withdrawals at ${level}: no path of three without a chord`, async () => {
    const { result } = await paths([sql(WITHDRAW)], level);
    assert.equal(result.kind, "proved");
    assert.ok(result.kind === "proved" && result.length <= 3);
  });

test("withdrawals where writers do not see each other: a cycle", async () => {
  const { result, names } = await paths([sql(WITHDRAW)], "causal");
  assert.equal(result.kind, "failed");
  assert.equal(names.split(" -> ")[0], "withdraw");
});

test("TPC-C at SI: paths do not stop getting longer, and the last one is told", async () => {
  const { result, names } = await paths(app("tpcc"), "snapshot-isolation", 150);
  assert.equal(result.kind, "failed");
  assert.ok(names.includes(" -> "), names);
});

/** The withdrawal as so many transactions that do the same. */
function withdrawals(count: number): string {
  const [table = "", one = ""] = WITHDRAW.split(/(?=-- @transaction)/);
  const all = Array.from({ length: count }, (_, at) =>
    one.replace("@transaction withdraw", `@transaction withdraw${String(at)}`),
  );
  return [table, ...all].join("");
}

test("of three withdrawals there are 153 sequences to ask about, of symbolic ones five questions", async () => {
  const read = readProgram([sql(withdrawals(3))], await parsers);
  const level = "parallel-snapshot-isolation";
  const { sequences, symbols } = await bothWays(read, level);
  assert.deepEqual({ sequences, symbols }, { sequences: "gaveUp", symbols: "proved 3" });
});

test("symbolic transactions: a cycle is told with the transactions of its places", async () => {
  const { asker, setting, all } = await pathsIn(
    readProgram([sql(withdrawals(2))], await parsers),
    "causal",
  );
  const result = proveBySymbols(asker, setting, all, { longest: 3 });
  assert.ok(result.kind === "failed" && result.chain.closed);
  assert.equal(result.chain.members.length, 2);
});

test("random programs: symbolic transactions answer as sequences do", async () => {
  for (const seed of SEEDS) {
    const read = await readRandom(randomProofProgram(generator(seed)));
    const { sequences, symbols } = await bothWays(read, "parallel-snapshot-isolation");
    if (sequences !== "gaveUp") assert.equal(symbols, sequences, String(seed));
  }
});

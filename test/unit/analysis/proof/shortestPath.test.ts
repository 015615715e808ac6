// The scheme of shortest paths on its own: what it proves, and where it stops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { counterCandidates } from "../../../../server/src/analysis/assumptions/counters";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import { createAsker } from "../../../../server/src/analysis/proof/asker";
import { proveLemmas } from "../../../../server/src/analysis/proof/lemmas";
import { settingOf } from "../../../../server/src/analysis/proof/setting";
import { proveByShortestPaths } from "../../../../server/src/analysis/proof/shortestPath";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { openZ3 } from "../../../../server/src/engine/z3";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { SourceFile } from "../../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../../server/src/isolation/levels";
import { app, sql } from "../../truth/analyse";
import { LIMITS } from "./proveSql";

const parsers = loadPgParser().then((pg) => ({ pg }));
const solvers = openZ3();

async function paths(files: readonly SourceFile[], levelName: string, sequences = 80) {
  const read = readProgram(files, await parsers);
  const level = findLevel(levelName);
  assert.ok(level);
  const candidates = counterCandidates(flattenProgram(read, { unroll: 1 }));
  const invariants = candidates.flatMap((each) => each.slice(0, 1));
  const flat = flattenProgram({ ...read, invariants }, { unroll: 1, anyRounds: true });
  const found = settingOf(flat, level);
  assert.ok("setting" in found);
  const asker = createAsker(await solvers, LIMITS);
  const setting = { ...found.setting, lemmas: proveLemmas(asker, found.setting) };
  const all = flat.transactions.map((_, at) => at);
  const result = proveByShortestPaths(asker, setting, all, { longest: 3, sequences });
  const names =
    result.kind === "failed"
      ? result.chain.members.map((at) => flat.transactions[at]?.id).join(" -> ")
      : "";
  return { result, names };
}

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

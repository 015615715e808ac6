// A program that is proved safe has no anomaly that the bounded search finds and the store confirms, or that enumeration shows.
// `npm run fuzz:proofs` does the same at length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openZ3 } from "../../../../server/src/engine/z3";
import { findLevel } from "../../../../server/src/isolation/levels";
import { exploreStart, openStart } from "../../engines/exploredOutcomes";
import { readRandom } from "../productsHarness";
import { PROVED_LEVELS, compare, programOf } from "./contradictions";
import { shownAnomaly } from "./enumerated";
import { proveSql } from "./proveSql";
import { generator } from "./random";

const solvers = openZ3();

const SIZE = { most: 2, starts: 4, instances: 2 };

/** Elsewhere few programs that change anything are safe. */
const OFTEN_PROVED = [
  "snapshot-isolation",
  "parallel-snapshot-isolation",
  "postgres:repeatable-read",
];

for (const level of PROVED_LEVELS)
  test(`random programs at ${level}`, async () => {
    const factory = await solvers;
    let proved = 0;
    for (let seed = 1; seed <= 5; seed += 1) {
      const result = await compare(factory, seed, level, SIZE);
      assert.equal(result.contradiction, undefined, `${String(seed)}\n${programOf(seed)}`);
      if (result.proved) proved += 1;
    }
    if (OFTEN_PROVED.includes(level)) assert.ok(proved > 0, "nothing was compared");
  });

test("what is proved of unique keys is what exploration shows: databases keep them, whoever sees whom", async () => {
  const text = `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL, w integer NOT NULL UNIQUE);
-- @transaction take
BEGIN;
UPDATE a SET w = :p WHERE id = :k;
SELECT coalesce(sum(v), 0) AS x FROM a \\gset
COMMIT;
`;
  const instances = [1, 2].map((k) => ({
    instance: `T${String(k)}`,
    transaction: "take",
    arguments: { p: 1, k },
  }));
  const rows = [
    { id: 1, v: 3, w: 0 },
    { id: 2, v: 2, w: 2 },
  ];
  const start = await openStart(await readRandom(text), { instances, initial: { a: rows } });
  for (const level of ["snapshot-isolation", "parallel-snapshot-isolation"] as const) {
    assert.equal((await proveSql(text, level)).answer.kind, "proved");
    assert.equal((await exploreStart(start, level)).worst, "none", level);
  }
});

test("enumeration shows what there is: write skew from some start", async () => {
  const program = await readRandom(`CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction t0
BEGIN;
SELECT v AS x FROM a WHERE id = 1 \\gset
UPDATE a SET v = :x + 1 WHERE id = 2;
COMMIT;
-- @transaction t1
BEGIN;
SELECT v AS x FROM a WHERE id = 2 \\gset
UPDATE a SET v = :x + 1 WHERE id = 1;
COMMIT;
`);
  for (const name of ["postgres:repeatable-read", "snapshot-isolation"]) {
    const level = findLevel(name);
    assert.ok(level);
    const size = { starts: 20, instances: 2 };
    assert.notEqual(await shownAnomaly(program, level, generator(1), size), undefined, name);
  }
});

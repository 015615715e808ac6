// How far a search went, per pair and per transaction.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import type { FileId } from "../../../server/src/protocol/source";
import type { SearchResult } from "../../../server/src/service/search/search";
import { extentOf } from "../../../server/src/service/verdict/extent";
import { tableUses } from "../../../server/src/service/verdict/tableUse";

const TEXT = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE u (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction put
BEGIN; SELECT v FROM t WHERE id = :id; UPDATE t SET v = :v WHERE id = :id; COMMIT;
-- @transaction look
BEGIN; SELECT v FROM t WHERE id = :id; SELECT v FROM t WHERE id = :id; COMMIT;
-- @transaction apart
BEGIN; UPDATE u SET v = :v WHERE id = :id; COMMIT;`;

const DONE: SearchResult = {
  findings: [],
  undecided: [],
  unreached: [],
  completed: 3,
  cut: false,
  stopped: false,
};

interface Scene {
  readonly searched?: Partial<SearchResult>;
  /** Transactions about which something is open. */
  readonly open?: readonly string[];
  /** Transactions that may touch any table. */
  readonly opaque?: readonly string[];
  readonly may?: (members: readonly number[]) => boolean;
}

/** "put: 1 of 2" for each transaction, and the sums. Planned are put with itself and put with look. */
async function told({ searched = {}, open = [], opaque = [], may = () => true }: Scene) {
  const program = readProgram([{ file: "a.sql" as FileId, text: TEXT }], {
    pg: await loadPgParser(),
  });
  const level = findLevel("pg:rc");
  assert.ok(level);
  const extent = extentOf(
    {
      flat: flattenProgram(program, { unroll: 1 }),
      plan: () => ({ units: [{ transactions: [0, 0] }, { transactions: [1, 0] }], omitted: [] }),
      levels: level,
      may,
      isOpen: (id) => open.includes(id),
      isOpaque: (id) => opaque.includes(id),
    },
    { ...DONE, ...searched },
  );
  assert.ok(extent);
  const { pairs, ruledOut, searched: asked } = extent.whole;
  return [
    `${String(pairs)} ${String(ruledOut)} ${String(asked)}`,
    ...[...extent.pairs].map(
      ([id, each]) =>
        `${id}: ${String(each.settled)} of ${String(each.sharing)}${each.isOpaque === true ? ", opaque" : ""}`,
    ),
  ];
}

test("all is settled where all was searched or cannot race", async () => {
  assert.deepEqual(await told({}), ["3 1 2", "put: 2 of 2", "look: 1 of 1", "apart: 1 of 1"]);
});

test("what was not reached, or could not be decided, is settled for neither", async () => {
  const open = ["put: 1 of 2", "look: 0 of 1", "apart: 1 of 1"];
  assert.deepEqual(await told({ searched: { unreached: [[0, 1]] } }), ["3 1 1", ...open]);
  const undecided = [{ members: [0, 1], reason: "given up" }];
  assert.deepEqual(await told({ searched: { undecided } }), ["3 1 2", ...open]);
});

test("what is open about a transaction leaves its pairs open, but for those that the texts rule out", async () => {
  assert.deepEqual((await told({ open: ["look", "apart"] })).slice(1), [
    "put: 1 of 2",
    "look: 0 of 1",
    "apart: 0 of 1",
  ]);
  const may = (members: readonly number[]): boolean => !members.includes(2);
  assert.deepEqual((await told({ open: ["look", "apart"], may })).at(-1), "apart: 1 of 1");
});

test("no pair of what may touch any table is settled, whatever the texts rule out", async () => {
  const may = (members: readonly number[]): boolean => !members.includes(2);
  assert.deepEqual((await told({ opaque: ["look", "apart"], may })).slice(1), [
    "put: 1 of 2",
    "look: 0 of 1, opaque",
    "apart: 0 of 1, opaque",
  ]);
});

test("tells which tables each transaction reads and writes", async () => {
  const program = readProgram([{ file: "a.sql" as FileId, text: TEXT }], {
    pg: await loadPgParser(),
  });
  const uses = tableUses(flattenProgram(program, { unroll: 1 }).transactions);
  assert.deepEqual(
    [...uses],
    [
      ["put", [{ name: "t", reads: true, writes: true }]],
      ["look", [{ name: "t", reads: true, writes: false }]],
      ["apart", [{ name: "u", reads: false, writes: true }]],
    ],
  );
});

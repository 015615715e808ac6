// Queries that only PostgreSQL's own parser reads, over fixed rows: the store returns what PostgreSQL does, and nothing
// of such a query is lost.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import type { PgParser } from "../../../server/src/frontend/sql/pg/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../server/src/protocol/source";
import type { Value } from "../../../server/src/protocol/witness";
import { statementsOf } from "../../../server/src/service/statements";
import { runSerial } from "../../../server/src/store/run";
import { COMPUTED, OUT, routineText, TOLD, type RoutineCase } from "./routineCases";
import { instances, programOf, table } from "./programs";
import {
  GATHERED,
  QUANTIFIED,
  QUERY_ROWS,
  RANKED,
  rowsText,
  SETS,
  type QueryCase,
} from "./queryCases";

const TABLES = [
  table("t", { id: "int", v: "int", name: "text" }),
  table("u", { id: "int", t: "int", w: "int" }),
];

let pg: PgParser;

before(async () => {
  pg = await loadPgParser();
});

/** The result of the last query; or why it was not executed. */
function answer(sql: string, parameters: Readonly<Record<string, Value>> = {}): string {
  const program = programOf({ P: `${sql};` }, TABLES, { pg });
  const lost = program.transactions.flatMap(({ body }) =>
    statementsOf(body).flatMap(({ taint }) => taint.map(({ reason }) => reason)),
  );
  assert.deepEqual(lost, [], sql);
  const run = { instances: instances(["P", parameters]), initial: QUERY_ROWS };
  const result = runSerial(program, run, ["T1"]);
  if (!result.ok) return result.reason;
  const selected = result.execution.steps.findLast(({ source }) => source?.kind === "select");
  return rowsText(selected?.result ?? []);
}

function cases(title: string, list: readonly QueryCase[]): void {
  describe(title, () => {
    for (const [sql, rows] of list)
      it(sql, () => {
        assert.equal(answer(sql), rows);
      });
  });
}

cases("functions that give rows", SETS);

cases("aggregates", GATHERED);

cases("comparisons with rows", QUANTIFIED);

cases("ranks and windows", RANKED);

/** The numbers that the routine puts into `out`. */
function left(each: RoutineCase): string {
  const text = [OUT, ...each.tables, routineText(each)].map((sql) => `${sql};`).join("\n");
  const program = readProgram([{ file: "a.sql" as FileId, text }], { pg });
  const own = program.transactions.find(({ name }) => name === "f");
  const lost =
    own === undefined ? ["nothing"] : statementsOf(own.body).flatMap(({ taint }) => taint);
  assert.deepEqual(lost, []);
  const started = [{ instance: "T1", transaction: "f", arguments: {} }];
  const rows = [
    { id: 1, a: 10 },
    { id: 2, a: null },
  ];
  const result = runSerial(program, { instances: started, initial: { t: rows, out: [] } }, ["T1"]);
  if (!result.ok) return result.reason;
  const out = result.execution.outcome.final["out"] ?? [];
  return out
    .toSorted((a, b) => Number(a["k"]) - Number(b["k"]))
    .map(({ v }) => String(v))
    .join(", ");
}

for (const [title, list] of [
  ["FOUND and ROW_COUNT", TOLD],
  ["generated columns", COMPUTED],
] as const)
  describe(title, () => {
    for (const each of list)
      it(each.title, () => {
        assert.equal(left(each), each.gives);
      });
  });

it("a value that nobody looks into gives one row of it, NULL none", () => {
  const sql = "SELECT x FROM unnest($1) AS x";
  assert.equal(answer(sql, { $1: null }), "");
  assert.match(answer(sql, { $1: "some" }), /unnest\(some\)/);
});

it("how many rows a text of the statement has is not guessed", () => {
  assert.match(answer("SELECT x FROM jsonb_array_elements('[1, 2]') AS x"), /not understood/);
});

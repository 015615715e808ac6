// Two parsers and two lowerings of the same statements: what both understand they must understand alike.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import type { Lowering } from "../../../../server/src/frontend/sql/lowering";
import { parseWithNsp } from "../../../../server/src/frontend/sql/nsp/parse";
import { lowerWithNsp } from "../../../../server/src/frontend/sql/nsp/statement";
import type { PgParser } from "../../../../server/src/frontend/sql/pg/pgParser";
import { lowerWithPg } from "../../../../server/src/frontend/sql/pg/statement";
import { CORPUS } from "./corpus";
import { renderStatement } from "./render";
import { contextOf } from "./statements";

let pg: PgParser | undefined;

before(async () => {
  pg = await loadPgParser();
});

function describe(lowered: Lowering): string {
  const statements = lowered.statements.map((statement) => {
    const losses = statement.taint.map(({ effect }) => effect).join(" ");
    return `${renderStatement(statement)} !${losses}`;
  });
  const result = lowered.result === undefined ? "" : ` -> ${lowered.result.columns.join(", ")}`;
  return statements.join("\n") + result;
}

test("both lowerings of the corpus are equal", () => {
  assert.ok(pg !== undefined);
  for (const sql of CORPUS) {
    const light = lowerWithNsp(contextOf(sql), parseWithNsp);
    const full = lowerWithPg(contextOf(sql), pg);
    assert.ok(light.ok, sql);
    assert.ok(full.ok, sql);
    assert.equal(describe(light.lowered), describe(full.lowered), sql);
  }
});

test("the corpus is understood without loss", () => {
  assert.ok(CORPUS.length > 300);
  for (const sql of CORPUS) {
    assert.ok(pg !== undefined);
    const full = lowerWithPg(contextOf(sql), pg);
    assert.ok(full.ok, sql);
    for (const statement of full.lowered.statements) assert.deepEqual(statement.taint, [], sql);
  }
});

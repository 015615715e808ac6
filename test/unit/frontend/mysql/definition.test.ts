// The heads of routines as far as their bodies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDefinition } from "../../../../server/src/frontend/sql/mysql/definition";
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import type { FileId } from "../../../../server/src/protocol/source";

const HEADS = [
  "INT",
  "VARCHAR(10)",
  "DECIMAL(10, 2) UNSIGNED DETERMINISTIC",
  "CHAR(3) CHARSET utf8",
];

for (const returns of HEADS)
  test(`the body behind RETURNS ${returns} is read whole`, () => {
    const body = "BEGIN IF x > 1 THEN RETURN 1; END IF; RETURN 2; END";
    const text = `CREATE FUNCTION f(x INT) RETURNS ${returns} ${body}`;
    const whole = { start: 0, end: text.length };
    const read = readDefinition(indexLines("f.sql" as FileId, text), whole, "mysql");
    assert.equal(read.kind === "routine" && read.definition.body.text, body);
  });

// BINARY of MySQL compares texts by their bytes: equal texts may differ so, which no condition on texts says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../../server/src/protocol/source";
import { describeTransactions } from "./program";

for (const compared of ["BINARY name", "CAST(name AS BINARY)"])
  test(`${compared} is no comparison of texts`, () => {
    const text = `CREATE TABLE t (id int PRIMARY KEY, name varchar(9), up int AS (id + 1) STORED);
      START TRANSACTION; UPDATE t SET id = 2 WHERE ${compared} = 'ann'; COMMIT;`;
    const program = readProgram([{ file: "f.sql" as FileId, text }], {}, { dialect: "mysql" });
    const [, update = ""] = describeTransactions(program);
    assert.match(update, /update t/u);
    assert.doesNotMatch(update, /t\.name = /u);
  });

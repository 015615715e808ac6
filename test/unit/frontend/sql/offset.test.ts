// OFFSET 0 skips nothing: what libraries write is read as the same query without it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { describeTransactions, programOf } from "./program";

test("OFFSET 0 is as none, in all dialects; another one stays", async () => {
  const pg = await loadPgParser();
  const told = (query: string, dialect: string): string =>
    describeTransactions(
      programOf(
        {
          "a.sql": `-- @isolens dialect ${dialect}\nCREATE TABLE t (id int PRIMARY KEY);\nBEGIN;\n${query};\nCOMMIT;`,
        },
        { pg },
      ),
    ).join("\n");
  for (const dialect of ["postgres", "mysql"]) {
    const plain = told("SELECT id FROM t ORDER BY id LIMIT 3", dialect);
    assert.equal(told("SELECT id FROM t ORDER BY id LIMIT 3 OFFSET 0", dialect), plain);
    assert.notEqual(told("SELECT id FROM t ORDER BY id LIMIT 3 OFFSET 1", dialect), plain);
  }
});

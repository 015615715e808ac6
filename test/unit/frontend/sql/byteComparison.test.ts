// BINARY of MySQL compares texts by their bytes: the texts are the same ones, and what the server takes for equal elsewhere is told apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../../server/src/protocol/source";
import { describeTransactions } from "./program";

function read(statement: string) {
  const text = `CREATE TABLE t (id int PRIMARY KEY, name varchar(9), data varbinary(9), up int AS (id + 1) STORED);
    START TRANSACTION; ${statement}; COMMIT;`;
  return readProgram([{ file: "f.sql" as FileId, text }], {}, { dialect: "mysql" });
}

for (const compared of ["BINARY name", "CAST(name AS BINARY)", "CONVERT(name, BINARY)"])
  test(`${compared} is the bytes of a text`, () => {
    const program = read(`UPDATE t SET id = 2 WHERE ${compared} = 'ann'`);
    const [, update = ""] = describeTransactions(program);
    assert.match(update, /cast binary\(t\.name\) = cast binary\("ann"\)/u);
    assert.deepEqual(
      program.transactions.flatMap(({ taint }) => taint),
      [],
    );
  });

test("a part of a text is not its bytes, and bytes are themselves", () => {
  const [, part = ""] = describeTransactions(
    read("UPDATE t SET id = 2 WHERE CAST(name AS BINARY(2)) = 'an'"),
  );
  assert.match(part, /unknown|\?/u);
  const [, bytes = ""] = describeTransactions(read("UPDATE t SET id = 2 WHERE BINARY data = 'an'"));
  assert.match(bytes, /t\.data = "an"/u);
});

test("a transaction that compares a text in both ways is weakened", () => {
  const both = read("SELECT id FROM t WHERE name = :n; UPDATE t SET id = 2 WHERE BINARY name = :n");
  const [reason] = both.transactions.flatMap(({ taint }) => taint).map((each) => each.reason);
  assert.match(reason ?? "", /something else here tells apart/u);
});

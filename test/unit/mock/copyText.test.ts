// The text and CSV formats of COPY: what is written is read as it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { copyLine, readCopy } from "../../../server/src/sqlstore/copyText";
import type { CopyOptions } from "../../../server/src/sqlstore/statementTree";

const TEXT: CopyOptions = {
  format: "text",
  delimiter: "\t",
  null: "\\N",
  header: false,
  quote: '"',
  escape: '"',
};
const CSV: CopyOptions = { ...TEXT, format: "csv", delimiter: ",", null: "" };

const cells = fc.array(fc.option(fc.string({ unit: fc.constantFrom(...'a\\\t\n\r,"N é.') })), {
  minLength: 2,
  maxLength: 4,
});

for (const options of [TEXT, CSV])
  test(`${options.format}: rows come back as they were`, () => {
    fc.assert(
      fc.property(fc.array(cells, { minLength: 1, maxLength: 4 }), (rows) => {
        const text = rows.map((row) => copyLine(row, options)).join("");
        assert.deepEqual(readCopy(text, options), rows);
      }),
    );
  });

test("what PostgreSQL reads in its own way", () => {
  assert.deepEqual(readCopy("1\tone\n2\t\\N\n\\.\n3\tnever\n", TEXT), [
    ["1", "one"],
    ["2", null],
  ]);
  assert.deepEqual(readCopy('id,name\n1,"a,""b"""\n2,\n3,""\n', { ...CSV, header: true }), [
    ["1", 'a,"b"'],
    ["2", null],
    ["3", ""],
  ]);
});

// Commands of scripts in the files of any product, and what \quit does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCanonical } from "../../../../server/src/frontend/sql/text/canonical";
import { readMetaCommand } from "../../../../server/src/frontend/sql/script/metaCommand";

const SCRIPT =
  "SELECT `used` FROM coupon \\gset a_\n\\if :a_used > 0\nCOMMIT;\n\\else\n\\quit\n\\endif\n";

test("files of MySQL are cut at the commands of scripts", () => {
  const { text, slices } = readCanonical(SCRIPT, "mysql");
  assert.deepEqual(
    slices.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`),
    [
      'statement SELECT "used" FROM coupon',
      "meta \\gset a_",
      "meta \\if :a_used > 0",
      "statement COMMIT",
      "meta \\else",
      "meta \\quit",
      "meta \\endif",
    ],
  );
});

test("a backslash that begins no command of a script stays a part of its statement", () => {
  const { slices } = readCanonical("SELECT \\N;", "mysql");
  assert.deepEqual(
    slices.map(({ kind }) => kind),
    ["statement"],
  );
});

test("\\q and \\quit end a script", () => {
  for (const text of ["\\q", "\\quit"])
    assert.equal(readMetaCommand(text, 0, text.length).kind, "quit");
});

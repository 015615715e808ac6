// Bytes as texts and back.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOfText, textOfBytes } from "../../../../server/src/frontend/sql/text/bytes";
import { readCanonical } from "../../../../server/src/frontend/sql/text/canonical";
import { plainText } from "../../../../server/src/frontend/sql/text/escapes";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import type { FileId } from "../../../../server/src/protocol/source";

test("every sequence of bytes comes back as it was", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      assert.deepEqual(bytesOfText(textOfBytes(bytes)), bytes);
    }),
  );
});

test("what is UTF-8 is its text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      assert.equal(textOfBytes(new TextEncoder().encode(text)), text);
    }),
  );
});

test("literals of bytes in MySQL are strings of these bytes, as long as they were written", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      const hex = Buffer.from(bytes).toString("hex");
      const written = `select x'${hex}'`;
      const { text } = readCanonical(written, "mysql");
      assert.equal(text.length, written.length);
      const content = /'(.*)'/su.exec(text)?.[1] ?? "";
      assert.deepEqual(bytesOfText(plainText(content)), bytes);
    }),
  );
});

test("an uppercase 0X begins no literal of bytes", () => {
  assert.equal(readCanonical("select 0X10", "mysql").text, "select 0X10");
});

test("literals of bytes in MySQL are numbers beside numbers, and texts elsewhere", () => {
  const schema =
    "CREATE TABLE t (id int PRIMARY KEY, n int, isOn bit(1) DEFAULT b'1', s varchar(9));\n";
  const [one] = readProgram(
    [
      {
        file: "a.sql" as FileId,
        text: `${schema}BEGIN; UPDATE t SET n = n + 0x10, isOn = b'1', s = 0x4142 WHERE id = 0x0100 AND s = x'43'; COMMIT;`,
      },
    ],
    {},
    { dialect: "mysql" },
  ).transactions;
  const literals: unknown[] = [];
  walkCommand(one?.body ?? { kind: "sequence", commands: [] }, {
    expression: (each) => {
      if (each.kind === "literal") literals.push(each.value);
    },
  });
  assert.deepEqual(literals, [16, 1, "AB", 256, "C"]);
});

// Bytes as texts and back.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOfText, textOfBytes } from "../../../../server/src/frontend/sql/bytes";
import { readCanonical } from "../../../../server/src/frontend/sql/canonical";
import { plainText } from "../../../../server/src/frontend/sql/escapes";

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

// Changed inputs of one seed for the faces: none crashes one, shows the text of an exception or hangs. `npm run fuzz` goes on.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { exceptionText } from "../../fuzz/faces/face";
import { fuzzFace } from "../../fuzz/faces/fuzzFace";

const INPUTS = {
  history: 300,
  configuration: 300,
  "wire-postgres": 60,
  "wire-mysql": 60,
  lsp: 40,
  typescript: 60,
  "sql-postgres": 60,
};

for (const [face, inputs] of Object.entries(INPUTS)) {
  test(`${face} takes changed inputs without a fault`, async () => {
    const out = mkdtempSync(path.join(os.tmpdir(), "isolens-fuzz-"));
    try {
      const figures = await fuzzFace(face, { seed: 7, inputs, milliseconds: 120_000, out });
      assert.equal(figures.inputs, inputs);
      assert.deepEqual([figures.crashes, figures.texts, figures.hangs], [0, 0, 0]);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
}

test("the text of an exception is known from other words, and not where the input has it", () => {
  const said = "TypeError: Cannot read properties of undefined (reading 'x')";
  assert.ok(exceptionText(said, Buffer.from("")) !== undefined);
  assert.equal(exceptionText("cannot read this statement", Buffer.from("")), undefined);
  assert.equal(
    exceptionText("a RangeError of yours", Buffer.from("a RangeError of yours")),
    undefined,
  );
});

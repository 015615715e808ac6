// The lint rule on how comments begin: what it reports, and what it leaves alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Linter } from "eslint";
import { commentSubject } from "../../lint/commentSubject.mjs";

const WRONG = [
  "// What a call gives.",
  "/** Whether it is there. */",
  "/**\n * What stands here, over\n * two lines.\n */",
  "const a = 1; // What is counted.",
];

const RIGHT = [
  "// The result of a call.",
  "/** True if it is there. */",
  "// The steps: none of them says\n// What stands behind it.",
  "/** The clause `What if`. */",
  "// Whatever comes.",
];

for (const text of WRONG) {
  test(`reports ${text}`, () => {
    assert.equal(messagesOf(text).length, 1);
  });
}

for (const text of RIGHT) {
  test(`leaves alone ${text}`, () => {
    assert.deepEqual(messagesOf(text), []);
  });
}

function messagesOf(text: string): readonly Linter.LintMessage[] {
  return new Linter().verify(text, {
    plugins: { isolens: { rules: { "comment-subject": commentSubject } } },
    rules: { "isolens/comment-subject": "error" },
  });
}

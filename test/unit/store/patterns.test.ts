// Regular expressions of CHECKs: what they match, and texts that match them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesPattern, matchingText } from "../../../server/src/program/pattern";
import { callFunction } from "../../../server/src/store/callFunction";

test("texts match as the server has it", () => {
  for (const [pattern, text, expected] of [
    ["^sha256:[0-9a-f]{4}$", "sha256:00ff", true],
    ["^sha256:[0-9a-f]{4}$", "v0", false],
    ["^[a-z][a-z0-9._-]{0,99}$", "a.b-c", true],
    ["^(ab|cd)+x?$", "abcd", true],
    ["^\\d{2}\\-\\w$", "12-a", true],
    ["^[^ ]+$", "a b", false],
    // Not understood: at either end alone, counts within counts, classes by name, texts beyond ASCII.
    ["^a|b$", "a", undefined],
    ["abc", "abc", undefined],
    ["^(a+)+$", "a", undefined],
    ["^[[:alpha:]]$", "a", undefined],
    ["^[]a]$", "a", undefined],
    ["^\\mx$", "x", undefined],
    ["^\\w$", "é", undefined],
  ] as const)
    assert.equal(matchesPattern(pattern, text), expected, `${text} of ${pattern}`);
  assert.equal(callFunction("~", ["abc", "^a[b]c$"]), true);
  assert.equal(callFunction("!~", ["abc", "^a[b]c$"]), false);
  assert.equal(callFunction("~", [null, "^a$"]), null);
});

test("each number has a text that matches, until there are no more", () => {
  for (const pattern of ["^sha256:[0-9a-f]{6}$", "^[a-z][a-z0-9._-]{0,99}$", "^(key|id)_\\w+@.$"]) {
    const texts = Array.from({ length: 50 }, (_, at) => matchingText(pattern, at + 1));
    assert.equal(new Set(texts).size, 50, pattern);
    for (const text of texts) assert.equal(matchesPattern(pattern, text ?? ""), true, text);
  }
  assert.equal(matchingText("^[abc]$", 2), "c");
  assert.equal(matchingText("^[abc]$", 3), undefined);
  assert.equal(matchingText("abc", 1), undefined);
});

// Changes that keep what a program does keep the verdict: a few of the example programs; `npm run fuzz:laws` takes all.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lawBroken, verdictWords } from "../../fuzz/laws/compare";
import { examples } from "../../fuzz/laws/examples";
import { LAWS } from "../../fuzz/laws/laws";

for (const example of examples(["oncall", "inventory"])) {
  test(`what is found in ${example.name} stays the same under every law`, async () => {
    const expected = await verdictWords(example.level, example.files);
    assert.ok(expected.length > 0, "nothing is found at all");
    for (const law of LAWS)
      assert.equal(await lawBroken(example, expected, law), undefined, law.name);
  });
}

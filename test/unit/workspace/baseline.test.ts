import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { baselineText, parseBaseline } from "../../../server/src/workspace/baseline";

const ENTRY = {
  fingerprint: "f1",
  kind: "lost-update",
  transactions: ["a", "b"],
  statements: ["select 1"],
};

function text(changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ format: "isolens-baseline", version: 1, findings: [], ...changes });
}

describe("a baseline file", () => {
  it("is read as it was written, in an order of its own", () => {
    const second = { ...ENTRY, fingerprint: "f0", count: 2, reason: "known" };
    const first = { ...ENTRY, count: 1, reason: "" };
    const written = baselineText([first, second]);
    assert.equal(written, baselineText([second, first]));
    const read = parseBaseline("/b.json", written);
    assert.ok("entries" in read);
    assert.deepEqual(
      read.entries.map(({ range, ...entry }) => (assert.ok(range), entry)),
      [second, first],
    );
  });

  const broken: readonly (readonly [string, RegExp])[] = [
    ["", /^the baseline is damaged: /u],
    ["{", /^the baseline is damaged: /u],
    ["[]", /^this is no baseline: /u],
    ['{ "version": "2.1.0", "runs": [] }', /^this is no baseline: /u],
    [
      text({ version: 2 }),
      /^this baseline has version 2, and this release reads version 1; write it again/u,
    ],
    [text({ version: "1" }), /^this baseline has no version, /u],
    [text({ findings: {} }), /^the baseline has no list of "findings"$/u],
    [text({ findings: [ENTRY, ENTRY] }), /^the baseline has f1 twice/u],
    ...["fingerprint", "kind", "transactions", "statements"].map(
      (key) =>
        [
          text({ findings: [{ ...ENTRY, [key]: 3 }] }),
          /^an entry of the baseline is damaged/u,
        ] as const,
    ),
    ...[0, 1.5, "2"].map(
      (count) =>
        [
          text({ findings: [{ ...ENTRY, count }] }),
          /^an entry of the baseline is damaged/u,
        ] as const,
    ),
    [
      text({ findings: [{ ...ENTRY, statements: ["a", 1] }] }),
      /^an entry of the baseline is damaged/u,
    ],
  ];
  for (const [content, expected] of broken) {
    it(`is refused as a whole: ${content.slice(0, 90)}`, () => {
      const read = parseBaseline("/b.json", content);
      assert.ok("message" in read);
      assert.match(read.message, expected);
    });
  }
});

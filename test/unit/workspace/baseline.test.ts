import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { baselineText, parseBaseline } from "../../../server/src/workspace/baseline";

const ENTRY = {
  fingerprint: "f1",
  transactions: ["a"],
  read: "select 1",
  table: "t",
  uses: ["update t"],
  kinds: ["lost-update"],
};

const OLD = {
  fingerprint: "f1",
  kind: "lost-update",
  transactions: ["a", "b"],
  statements: ["select 1"],
};

function text(changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ format: "isolens-baseline", version: 2, findings: [], ...changes });
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

  it("of the old version is read as what it was", () => {
    const read = parseBaseline("/b.json", text({ version: 1, findings: [OLD] }));
    assert.ok("old" in read);
    assert.equal(read.entries.length, 0);
    assert.deepEqual(
      read.old.map(({ range, ...entry }) => (assert.ok(range), entry)),
      [{ ...OLD, count: 1, reason: "" }],
    );
  });

  const broken: readonly (readonly [string, RegExp])[] = [
    ["", /^the baseline is damaged: /u],
    ["{", /^the baseline is damaged: /u],
    ["[]", /^this is no baseline: /u],
    ['{ "version": "2.1.0", "runs": [] }', /^this is no baseline: /u],
    [
      text({ version: 3 }),
      /^this baseline has version 3, and this release reads version 2; write it again/u,
    ],
    [text({ version: "2" }), /^this baseline has no version, /u],
    [text({ findings: {} }), /^the baseline has no list of "findings"$/u],
    [text({ findings: [ENTRY, ENTRY] }), /^the baseline has f1 twice/u],
    [
      text({ version: 1, findings: [ENTRY] }),
      /^an entry of the baseline is damaged: it needs "fingerprint", "kind"/u,
    ],
    ...Object.keys(ENTRY).map(
      (key) =>
        [
          text({ findings: [{ ...ENTRY, [key]: 3 }] }),
          /^an entry of the baseline is damaged: it needs "fingerprint", "transactions", "read"/u,
        ] as const,
    ),
    ...Object.keys(OLD).map(
      (key) =>
        [
          text({ version: 1, findings: [{ ...OLD, [key]: 3 }] }),
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
    [text({ findings: [{ ...ENTRY, uses: ["a", 1] }] }), /^an entry of the baseline is damaged/u],
  ];
  for (const [content, expected] of broken) {
    it(`is refused as a whole: ${content.slice(0, 90)}`, () => {
      const read = parseBaseline("/b.json", content);
      assert.ok("message" in read);
      assert.match(read.message, expected);
    });
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createInterner, sameData, sameElements } from "../../../server/src/query/interner";
import { ofNode, ofNodes } from "../../../server/src/query/nodes";

test("the answer of a node is made once, also where it is undefined", () => {
  let made = 0;
  const answer = ofNode((_: object) => void (made += 1));
  const node = {};
  assert.equal(answer(node), undefined);
  assert.equal(answer(node), undefined);
  assert.equal(made, 1);
});

test("an answer of two nodes is made for each pair", () => {
  const made: string[] = [];
  const answer = ofNodes((a: { name: string }, b: { name: string }) => {
    made.push(a.name + b.name);
    return made.length;
  });
  const [a, b] = [{ name: "a" }, { name: "b" }];
  const answers = [answer(a, b), answer(b, a), answer(a, b), answer(a, a)];
  assert.deepEqual(
    [answers, made],
    [
      [1, 2, 1, 3],
      ["ab", "ba", "aa"],
    ],
  );
});

test("data is the same exactly if its text is, whatever the order of keys", () => {
  const sorted = (data: unknown): unknown => {
    if (Array.isArray(data)) return data.map(sorted);
    if (typeof data !== "object" || data === null) return data;
    return Object.fromEntries(
      Object.entries(data)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => [key, sorted(value)]),
    );
  };
  const small = fc.letrec((tie) => ({
    data: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(0, 1, "", "a", null, true),
      fc.array(tie("data"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "b"), tie("data"), { maxKeys: 2 }),
    ),
  })).data;
  fc.assert(
    fc.property(small, small, (a, b) => {
      assert.equal(sameData(a, b), JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      assert.equal(sameData(a, structuredClone(a)), true);
    }),
  );
  assert.equal(sameData(new Set([1]), new Set([1])), false);
});

test("an interner gives the first of equal values, until others were asked later", () => {
  const first = createInterner<readonly unknown[]>(sameElements, 2);
  const [a, b, c] = [[1], [2], [3]];
  assert.equal(first(a), a);
  assert.equal(first([1]), a);
  assert.equal(first(b), b);
  assert.equal(first([1]), a);
  assert.equal(first(c), c);
  assert.notEqual(first([2]), b);
});

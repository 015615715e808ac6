import assert from "node:assert/strict";
import { test } from "node:test";
import { createIdentities } from "../../../../server/src/analysis/operations/identity";

/** A value of a few objects whose text has 2^depth parts. */
function doubled(leaf: number, depth: number): unknown {
  let value: unknown = { leaf };
  for (let at = 0; at < depth; at += 1) value = { kind: "pair", parts: [value, value] };
  return value;
}

test("structures go by what they are built of, however often they share it", () => {
  const { of } = createIdentities();
  assert.equal(of(doubled(1, 200)), of(doubled(1, 200)));
  assert.notEqual(of(doubled(1, 200)), of(doubled(2, 200)));
  assert.notEqual(of(doubled(1, 200)), of(doubled(1, 201)));
});

test("values of different kinds are told apart", () => {
  const { of } = createIdentities();
  const values = [
    1,
    "1",
    null,
    true,
    undefined,
    [],
    {},
    [1],
    ["1"],
    [[1]],
    { a: 1 },
    { a: "1" },
    { b: 1 },
  ];
  assert.equal(new Set(values.map(of)).size, values.length);
});

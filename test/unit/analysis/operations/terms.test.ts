// Terms share structure: what looks at them or rewrites them takes each distinct subterm once.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Term } from "../../../../server/src/analysis/operations/operation";
import {
  conditional,
  int,
  isNull,
  neverNull,
  substitute,
  subterms,
} from "../../../../server/src/analysis/operations/terms";

/** A term of `depth` levels that stands for 2^depth leaves. */
function doubling(depth: number, leaf: Term): Term {
  let term = leaf;
  for (let n = 0; n < depth; n += 1)
    term = conditional(isNull(leaf), { kind: "negate", operand: term }, term);
  return term;
}

test("a substitution keeps what is shared, so that nested cases do not double", () => {
  const before = doubling(200, { kind: "column", column: "parent" });
  const after = substitute(before, () => ({ kind: "parameter", name: "p" }));
  assert.equal(subterms(after).size, subterms(before).size);
  assert.ok(![...subterms(after)].some(({ kind }) => kind === "column"));
});

test("what a substitution does not reach stays the same object", () => {
  const apart: Term = { kind: "isNull", operand: { kind: "parameter", name: "p" } };
  const term: Term = { kind: "and", operands: [apart, { kind: "column", column: "free" }] };
  const after = substitute(term, () => int(1));
  assert.ok(after.kind === "and");
  assert.equal(after.operands[0], apart);
});

test("whether a term may be NULL is asked once of what is shared", () => {
  assert.equal(neverNull(doubling(200, int(1))), true);
  assert.equal(neverNull(doubling(200, { kind: "parameter", name: "p" })), false);
});

// The laws of the lattice of abstract values, over random ones.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Expression } from "../../../../../server/src/program/expression";
import { join, leq, meet, phi } from "../../../../../server/src/frontend/code/evaluate/lattice";
import { readsOf } from "../../../../../server/src/frontend/code/evaluate/values/convert";
import { assuming } from "../../../../../server/src/frontend/code/evaluate/values/texts";
import { typeTree } from "../../../../../server/src/frontend/code/typeTree";
import { MOST_READS } from "../../../../../server/src/frontend/code/roots/provenance";
import {
  ABSENT,
  constant,
  oneCollection,
  oneOfSeveral,
  scalar,
  unknown,
  unknownItem,
  type Value,
} from "../../../../../server/src/frontend/code/values";

const parameter = (at: number): Expression => ({ kind: "parameter", name: `p${String(at)}` });
const field = (at: number): Expression => {
  return { kind: "field", result: `r${String(at)}`, field: "x", at: "first" };
};

const expressions = fc.oneof(fc.nat(3).map(parameter), fc.nat(3).map(field));
const reads = fc.oneof(
  { weight: 9, arbitrary: fc.array(expressions, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .nat(9)
      .map((more) => Array.from({ length: MOST_READS + more }, (_, at) => parameter(at + more))),
  },
);

const record = (value: Value): Value => {
  return { kind: "object", fields: new Map([["x", { value, birth: 0 }]]) };
};
// Records are told apart by who made them.
const RECORDS = [record(scalar(parameter(0))), record(scalar(field(1)))];

const COLLECTIONS: readonly Value[] = [
  { kind: "list", items: [], grown: { value: undefined, birth: 0 } },
  { kind: "object", fields: new Map(), isMap: true },
];
const itemTypes = fc.constantFrom("string", "Set<string>", "Store").map(typeTree);

const known: fc.Arbitrary<Value> = fc.oneof(
  expressions.map((each) => scalar(each)),
  fc.constantFrom(1, true, null, "text").map(constant),
  fc.nat(3).map((at): Value => ({ kind: "input", path: `p${String(at)}`, origin: "argument" })),
  fc.constantFrom(ABSENT, ...RECORDS, ...COLLECTIONS),
);

const values: fc.Arbitrary<Value> = fc.oneof(
  known,
  reads.map((each) => unknown("why", each)),
  reads.map((each) => unknownItem("why", each)),
  reads.map((each) => oneOfSeveral("why", each)),
  reads.map((each) => oneCollection("why", each)),
  fc.tuple(reads, itemTypes).map(([each, type]) => oneCollection("why", each, type)),
  fc.tuple(expressions, known, known).map((parts) => phi(...parts)),
);

const joined = (left: Value, right: Value): Value => join(left, right, "they meet");
const isSame = (left: Value, right: Value): boolean => leq(left, right) && leq(right, left);

const LAWS: Readonly<Record<string, (a: Value, b: Value, c: Value) => boolean>> = {
  "the order is reflexive": (a) => leq(a, a),
  "the order is transitive": (a, b, c) => {
    const [second, third] = [joined(a, b), joined(joined(a, b), c)];
    return leq(a, second) && leq(second, third) && leq(a, third);
  },
  "join is idempotent": (a) => isSame(joined(a, a), a),
  "join is commutative": (a, b) => isSame(joined(a, b), joined(b, a)),
  "join is associative": (a, b, c) => isSame(joined(joined(a, b), c), joined(a, joined(b, c))),
  "join is an upper bound": (a, b) => leq(a, joined(a, b)) && leq(b, joined(a, b)),
  "join is the least upper bound": (a, b, c) => {
    const above = joined(joined(a, b), c);
    return leq(joined(a, b), above) && (!leq(a, c) || !leq(b, c) || leq(joined(a, b), c));
  },
  "join is monotone": (a, b, c) => leq(joined(a, c), joined(joined(a, b), c)),
  "meet is a lower bound": (a, b) => {
    const below = meet(a, b);
    return below === undefined || (leq(below, a) && leq(below, b));
  },
  "meet is idempotent and commutative": (a, b) => {
    const [one, other] = [meet(a, b), meet(b, a)];
    return meet(a, a) === a && (one && other ? isSame(one, other) : one === other);
  },
  "meet and join absorb each other": (a, b) => {
    const below = meet(a, b);
    return isSame(meet(a, joined(a, b)) ?? b, a) && (!below || isSame(joined(a, below), a));
  },
};

for (const [law, holds] of Object.entries(LAWS)) {
  it(law, () => {
    fc.assert(fc.property(values, values, values, holds), { numRuns: 300 });
  });
}

it("rising chains end", () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 40 }), (others) => {
      let [at = ABSENT] = others;
      let rises = 0;
      for (const each of [...others, ...others]) {
        const next = joined(at, each);
        rises += leq(next, at) ? 0 : 1;
        at = next;
      }
      return rises <= MOST_READS + 2 && others.every((each) => leq(each, at));
    }),
  );
});

it("a choice is what each path left where its condition is known, and below what is known where it is not", () => {
  fc.assert(
    fc.property(expressions, known, known, (condition, then, otherwise) => {
      const choice = phi(condition, then, otherwise);
      const [yes, no] = [true, false].map((holds) => assuming(choice, condition, holds));
      const above = joined(joined(then, otherwise), oneOfSeveral("which", [condition]));
      assert.ok(yes && no && isSame(yes, then) && isSame(no, otherwise));
      return leq(choice, above) && readsOf(above).length <= MOST_READS;
    }),
  );
});

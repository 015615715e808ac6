// The arguments of a witness as people read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentTexts } from "../../../server/src/protocol/witness";

const texts = (values: Parameters<typeof argumentTexts>[0]["arguments"]): string =>
  argumentTexts({ arguments: values }, String).join(", ");

test("a path is named by the end that tells it apart", () => {
  assert.equal(texts({ "req.params.id": 1, "req.body.amount": 2 }), "id 1, amount 2");
  assert.equal(texts({ "a.id": 1, "b.id": 2, id: 3 }), "a.id 1, b.id 2, id 3");
  assert.equal(texts({ "f(a.b).c": 1 }), "f(a.b).c 1");
});

test("a call of unknown code is named only where it fails", () => {
  assert.equal(texts({ "res.json() fails": false, n: 1 }), "n 1");
  assert.equal(texts({ "res.json() fails": true, n: 1 }), "res.json() fails, n 1");
});

test("a step tells whether a lock was granted", () => {
  assert.equal(texts({ id: 1, "lock 1 granted": false, "lock 2 1 granted": true }), "id 1");
});

test("a list has its elements, or else its length", () => {
  const values = { "body.items.length": 1, "body.items.qty.length": 1, "body.items.qty[1]": 3 };
  assert.equal(texts(values), "qty[1] 3");
  assert.equal(texts({ "body.items.length": 0 }), "items.length 0");
});

test("what only led to others is not named", () => {
  const told = argumentTexts(
    { arguments: { "req.body": "b", user: 1 }, indirect: ["req.body"] },
    String,
  );
  assert.deepEqual(told, ["user 1"]);
});

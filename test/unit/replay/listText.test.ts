// A list whose items are arguments of their own, written for the server that gets it as one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { writtenList } from "../../../server/src/program/arrays";

test("the items of a list are written as PostgreSQL reads an array", () => {
  const values = new Map<string, string | number | null>([
    ["ids[1]", 7],
    ["ids[2]", null],
    ["names[1]", 'a "b", c'],
  ]);
  const read = (list: string): string | undefined => writtenList(list, (name) => values.get(name));
  assert.equal(read("ids"), "{7,NULL}");
  assert.equal(read("names"), '{"a \\"b\\", c"}');
  assert.equal(read("others"), undefined);
});

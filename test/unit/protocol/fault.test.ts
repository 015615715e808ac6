// Messages about errors: sentences of people are told, what the language throws is told by a code.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { faultCode, reasonOf } from "../../../server/src/protocol/fault";

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}

const DEFECTS: readonly (() => unknown)[] = [
  () => Reflect.get(JSON.parse("null") as object, "a") as unknown,
  () => (JSON.parse("{}") as { a: { b: number } }).a.b,
  () => new Uint8Array(-1),
  () => JSON.parse("{") as unknown,
  () => decodeURIComponent("%"),
  () => {
    const again = (): number => again() + 1;
    return again();
  },
];

for (const [at, action] of DEFECTS.entries()) {
  test(`the text of an error of the language is not told (${String(at)})`, () => {
    const error = thrownBy(action);
    assert.ok(error instanceof Error);
    assert.match(reasonOf(error), /^internal fault F[0-9a-f]{8}, please report it/u);
    assert.ok(!reasonOf(error).includes(error.message));
  });
}

test("what is thrown and is no error is a fault as well", () => {
  assert.match(reasonOf("text"), /^internal fault F[0-9a-f]{8}/u);
  assert.match(reasonOf(undefined), /^internal fault F[0-9a-f]{8}/u);
});

test("a sentence and an error of the system are told as they are", () => {
  assert.equal(reasonOf(new Error("the file is not there")), "the file is not there");
  const missing = thrownBy(() => readFileSync("/does/not/exist"));
  assert.match(reasonOf(missing), /^ENOENT: no such file/u);
});

test("the same place gives the same code, whatever the values are, and another place another one", () => {
  const codes = [undefined, null, undefined].map((value) =>
    faultCode(thrownBy(() => Reflect.get(value as unknown as object, "a"))),
  );
  assert.equal(new Set(codes).size, 1);
  assert.notEqual(codes[0], faultCode(thrownBy(() => JSON.parse("{"))));
});

test("no module puts the text of any error into a message by itself", () => {
  const own = path.join(__dirname, "../../../server/src");
  const files = readdirSync(own, { recursive: true, encoding: "utf8" });
  // Errors that the user's own code throws are the user's, and so are those of a regular expression.
  const users =
    /^clients\/code\/|^mock\/failures\.ts$|^sqlstore\/compile\/patterns\.ts$|^cli\/arguments\.ts$/u;
  const found = files
    .filter((file) => file.endsWith(".ts") && !users.test(file.replaceAll(path.sep, "/")))
    .filter((file) =>
      /instanceof Error \? \(?error\.(?:message|stack)[^;]*String\(error\)/u.test(
        readFileSync(path.join(own, file), "utf8"),
      ),
    );
  assert.deepEqual(found, []);
});

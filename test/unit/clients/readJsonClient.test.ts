// Client programs in JSON: what is read, and what is said of mistakes, with their places.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readJsonClient } from "../../../server/src/clients/readJsonClient";
import { looksLikeCodeClient, looksLikeJsonClient } from "../../../server/src/protocol/clientText";

/** Problems as `line:character message`, counted from 1. */
function problemsOf(text: string): readonly string[] {
  return readJsonClient(text).problems.map(
    ({ message, range: { start } }) =>
      `${String(start.line + 1)}:${String(start.character + 1)} ${message}`,
  );
}

function check(text: string, ...expected: readonly RegExp[]): void {
  const problems = problemsOf(text);
  assert.equal(problems.length, expected.length, problems.join("\n"));
  expected.forEach((each, at) => {
    assert.match(problems[at] ?? "", each);
  });
}

describe("client programs in JSON", () => {
  it("are rows, sessions of calls, and assertions", () => {
    const { client, problems } = readJsonClient(`// a comment
      { "program": "bank.sql", "level": "si",
        "initial": { "account": [{ "id": 1, "balance": null }] },
        "sessions": [[["withdraw", 1, [2, 3]], ["look", { "acc": 1 }]], [{ "call": "look", "arguments": [1] }]],
        "assert": "select true" }`);
    assert.deepEqual(problems, []);
    assert.deepEqual(client?.sources, ["bank.sql"]);
    assert.equal(client.level?.name, "si");
    assert.deepEqual(client.initial[0]?.rows[0]?.row, { id: 1, balance: null });
    assert.deepEqual(
      client.sessions.map((calls) => calls.map(({ name }) => name)),
      [["withdraw", "look"], ["look"]],
    );
    const [first, second] = client.sessions[0] ?? [];
    assert.deepEqual(
      first?.arguments.by === "place" && first.arguments.list.map(({ value }) => value),
      [1, [2, 3]],
    );
    assert.deepEqual(second?.arguments.by === "name" && [...second.arguments.named.keys()], [
      "acc",
    ]);
    assert.deepEqual(
      client.assertions.map(({ text }) => text),
      ["select true"],
    );
  });

  it("say what is wrong where it stands", () => {
    check("[]", /^1:1 a client program is an object/u);
    check("{", /^1:1 .*missing/u);
    check("{}", /^1:1 the key "sessions" is missing/u);
    check(
      '{ "sesions": [] }',
      /^1:3 there is no key "sesions"; did you mean "sessions"/u,
      /is missing/u,
    );
    check('{ "sessions": [["withdraw", 1]] }', /^1:16 .*this is one call/u);
    check('{ "sessions": [[[1]]] }', /^1:17 a call is a list/u);
    check('{ "sessions": 3 }', /^1:15 "sessions" is a list/u);
    check('{ "sessions": [[["w", [[1]]]]] }', /^1:23 an argument is/u);
    check('{ "sessions": [], "assert": [1] }', /^1:30 an assertion is a text/u);
    check(
      '{ "sessions": [], "initial": { "t": [1], "u": 2 } }',
      /^1:38 a row is/u,
      /^1:47 the rows of "u"/u,
    );
    check('{ "sessions": [], "initial": { "t": [{ "a": [] }] } }', /^1:45 a column holds/u);
    check('{ "sessions": [], "sessions": [] }', /^1:19 the key "sessions" stands here twice/u);
  });

  it("are told from other texts", () => {
    assert.ok(looksLikeJsonClient('{ "sessions": [[["a", 1]]] }'));
    assert.ok(
      looksLikeJsonClient('// x\n{ "initial": {},\n "sessions": [\n  [ { "call": "a" } ] ] }'),
    );
    assert.ok(
      !looksLikeJsonClient('{ "format": "isolens-history", "sessions": [[{ "ops": [] }]] }'),
    );
    assert.ok(!looksLikeJsonClient('{ "name": "package" }'));
    assert.ok(looksLikeCodeClient("export const schema = '';\nexport const sessions = [];"));
    assert.ok(looksLikeCodeClient("module.exports = { sessions: [], assert: [] };"));
    assert.ok(!looksLikeCodeClient("export const sessions = [];"));
  });
});

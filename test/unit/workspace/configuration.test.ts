import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfiguration } from "../../../server/src/workspace/configuration";
import type { Configuration } from "../../../server/src/workspace/configuration";

/** Reads a configuration and compares its problems, written "severity line:column message" from 1 on. */
function check(
  text: string,
  expected: readonly string[],
  read?: (of: Configuration) => void,
): void {
  const { configuration, problems } = parseConfiguration(text);
  const told = problems.map(({ severity, message, range: { start } }) => {
    return `${severity} ${String(start.line + 1)}:${String(start.character + 1)} ${message}`;
  });
  assert.deepEqual(told, expected);
  read?.(configuration);
}

describe("isolens.json", () => {
  it("gives the defaults for an empty object", () => {
    check("{}", [], (configuration) => {
      assert.equal(configuration.level.name, "postgres:read-committed");
      assert.equal(configuration.budget, 10_000);
      assert.equal(configuration.maxTransactions, 3);
      assert.equal(configuration.unroll, 1);
      assert.deepEqual(configuration.include, [
        "**/*.sql",
        "**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,java}",
      ]);
    });
  });

  it("reads every key", () => {
    const text = `{
      "$schema": "./schema.json", "dialect": "postgres", "level": "pg:rr",
      "transactions": { "enroll": { "level": "pg:ser" } }, "distinct": ["transfer.src <> transfer.dst"],
      "include": ["app/**/*.sql"], "exclude": ["old"], "maxTransactions": 2, "unroll": 3, "budget": "500ms"
    }`;
    check(text, [], (configuration) => {
      assert.equal(configuration.level.name, "postgres:repeatable-read");
      assert.equal(configuration.transactionLevels["enroll"]?.name, "postgres:serializable");
      const rule = { transaction: "transfer", left: "src", right: "dst" };
      const [{ transaction, left, right } = { transaction: "", left: "", right: "" }] =
        configuration.distinct;
      assert.deepEqual({ transaction, left, right }, rule);
      assert.deepEqual(configuration.include, ["app/**/*.sql"]);
      assert.deepEqual(configuration.exclude, ["old"]);
      assert.equal(configuration.maxTransactions, 2);
      assert.equal(configuration.unroll, 3);
      assert.equal(configuration.budget, 500);
    });
  });

  it("accepts comments, trailing commas and a byte order mark", () => {
    const text = '\uFEFF{ // the level\n "level": "si", /* more */ "include": ["a.sql",], }';
    check(text, [], (configuration) => {
      assert.equal(configuration.level.name, "snapshot-isolation");
    });
  });

  it("keeps the places of invariants", () => {
    check('{ "invariants": ["a.b < 1"] }', [], ({ invariants }) => {
      const range = { start: { line: 0, character: 17 }, end: { line: 0, character: 26 } };
      assert.deepEqual(invariants, [{ text: "a.b < 1", range }]);
    });
  });

  it("keeps the places of pairs", () => {
    check('{ "serializablePairs": [["a", "b"], ["a", "a"]] }', [], ({ serializablePairs }) => {
      assert.deepEqual(
        serializablePairs.map(({ pair, range }) => [...pair, range.start.character]),
        [
          ["a", "b", 24],
          ["a", "a", 36],
        ],
      );
    });
  });

  it("offers near names for unknown keys and levels", () => {
    check('{ "levle": "si" }', [
      'error 1:3 there is no key "levle"; did you mean "level", "levels"?',
    ]);
    check('{\n  "level": "repeatable"\n}', [
      'error 2:12 there is no level "repeatable"; did you mean "postgres:repeatable-read", "mysql:repeatable-read", "cockroach:repeatable-read"?',
    ]);
    check('{ "transactions": { "a": { "lvl": "si" } } }', [
      'error 1:28 there is no key "lvl"; did you mean "level"?',
    ]);
  });

  const wrong: readonly (readonly [string, string])[] = [
    ['{ "level": 3 }', 'error 1:12 "level" must be text in double quotes, and is 3'],
    ['{ "include": "a" }', 'error 1:14 "include" must be a list of texts, as ["..."], and is "a"'],
    [
      '{ "exclude": [1] }',
      'error 1:14 "exclude" must be a list of texts, as ["..."], and is a list',
    ],
    [
      '{ "maxTransactions": 1.5 }',
      'error 1:22 "maxTransactions" must be a whole number from 2 on, and is 1.5',
    ],
    [
      '{ "maxTransactions": "3" }',
      'error 1:22 "maxTransactions" must be a whole number from 2 on, and is "3"',
    ],
    ['{ "prove": 1 }', 'error 1:12 "prove" must be true or false, and is 1'],
    ['{ "unroll": 9 }', 'error 1:13 "unroll" must be a whole number from 1 to 8, and is 9'],
    [
      '{ "budget": "soon" }',
      'error 1:13 "budget" must be a duration, as "10s", "500ms" or "2m", and is "soon"',
    ],
    [
      '{ "budget": 10 }',
      'error 1:13 "budget" must be a duration, as "10s", "500ms" or "2m", and is 10',
    ],
    [
      '{ "dialect": "oracle" }',
      'error 1:14 there is no dialect "oracle"; there are "postgres", "mysql", "mariadb", "sqlserver", "sqlite"',
    ],
    [
      '{ "transactions": [] }',
      'error 1:19 "transactions" must be an object, as { "name": { "level": "..." } }, and is a list',
    ],
    [
      '{ "serializablePairs": [["a"]] }',
      'error 1:24 "serializablePairs" must be a list of pairs, as [["a", "b"]], and is a list',
    ],
    [
      '{ "distinct": ["a = b"] }',
      'error 1:16 a rule must be two parameters, as "transfer.src <> transfer.dst", and is "a = b"',
    ],
    ['{ "level": "si", "level": "ser" }', 'error 1:18 the key "level" stands here twice'],
    ["[]", 'error 1:1 the configuration must be an object, as { "level": "..." }, and is a list'],
    ["", "error 1:1 the text ends early"],
    ["{", 'error 1:1 "}" is missing'],
    ['{ "level" "si" }', "error 1:11 a colon is missing"],
    ['{ "level": si }', "error 1:12 this is no value; text needs double quotes"],
    ['{ "a": "b\n" }', "error 1:8 the text in quotes does not end"],
    ["{} x", "error 1:4 the text goes on after the end"],
    ['{ "level": "si" "budget": "1s" }', 'error 1:17 "," or "}" is missing'],
    [`${"[".repeat(500)}`, "error 1:102 nested too deeply"],
  ];
  for (const [text, message] of wrong) {
    it(`reports ${text.slice(0, 40)}`, () => {
      check(text, [message]);
    });
  }
});

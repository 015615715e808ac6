import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationText, durationWords, parseDuration } from "../../../server/src/workspace/duration";
import { compileGlobs } from "../../../server/src/workspace/globs";
import { nearestNames } from "../../../server/src/workspace/nearestFile";

describe("durations", () => {
  const cases: readonly (readonly [string, number | undefined])[] = [
    ["10s", 10_000],
    ["500ms", 500],
    ["2m", 120_000],
    ["1.5s", 1500],
    [" 3 S ", 3000],
    ["7", 7000],
    ["0s", undefined],
    ["-1s", undefined],
    ["1h", undefined],
    ["", undefined],
    ["99999999999s", undefined],
  ];
  for (const [text, milliseconds] of cases) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.equal(parseDuration(text), milliseconds);
    });
  }

  it("writes what it reads", () => {
    for (const text of ["10s", "500ms", "2m", "1.5s"]) {
      assert.equal(durationText(parseDuration(text) ?? 0), text);
    }
    assert.equal(durationWords(10_000), "10 s");
    assert.equal(durationWords(250), "250 ms");
  });
});

describe("file patterns", () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["**/*.sql", ["a.sql", "x/y/a.sql"], ["a.sqlx", "a.txt"]],
    ["*.sql", ["a.sql", "x/a.sql"], ["a.txt"]],
    ["app/*.sql", ["app/a.sql"], ["app/x/a.sql", "a.sql"]],
    ["app/**/*.sql", ["app/a.sql", "app/x/y/a.sql"], ["lib/a.sql"]],
    ["node_modules", ["node_modules", "x/node_modules/a.sql"], ["node_modulesx"]],
    ["./old/", ["old/a.sql", "old"], ["older"]],
    ["{a,b}/?.sql", ["a/x.sql", "b/y.sql"], ["c/x.sql", "a/xy.sql"]],
    ["v[0-9].sql", ["v1.sql"], ["va.sql"]],
    ["v[!0-9].sql", ["va.sql"], ["v1.sql"]],
    ["a+(b).sql", ["a+(b).sql"], ["aab.sql"]],
  ];
  for (const [pattern, matching, others] of cases) {
    it(`matches ${pattern}`, () => {
      const test = compileGlobs([pattern]);
      for (const path of matching) assert.ok(test(path), path);
      for (const path of others) assert.ok(!test(path), path);
    });
  }
});

describe("near names", () => {
  const names = ["postgres:read-committed", "serializable", "causal", "prefix"];
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["serialisable", ["serializable"]],
    ["CAUSAL", ["causal"]],
    ["read-committed", ["postgres:read-committed"]],
    ["zzzzzzzz", []],
  ];
  for (const [written, near] of cases) {
    it(`offers for ${written}`, () => {
      assert.deepEqual(nearestNames(written, names), near);
    });
  }
});

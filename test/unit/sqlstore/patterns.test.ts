// Patterns that queries and configurations give, on texts of anybody.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";
import { compileGlobs } from "../../../server/src/workspace/globs";

type Dialect = "postgres" | "mysql";

/** The value of `SELECT expression`, or the code of its error. */
async function value(expression: string, dialect: Dialect = "postgres"): Promise<unknown> {
  const database = createDatabase({ dialect, parser: await loadPgParser() });
  const store = createMemoryStore();
  const session = createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0,
    rule: "snapshot",
  });
  const outcome = runNow(session.execute(`SELECT ${expression} AS v`), (request) =>
    store.answer(request),
  );
  if (!outcome.ok) return outcome.error.code;
  return outcome.results.flatMap((result) =>
    "rows" in result ? result.rows.map(([v]) => v) : [],
  )[0];
}

/** Exponential or worse on any engine that goes back. */
const LONG = `repeat('a', 400) || '!'`;
const MYSQL_LONG = `concat(repeat('a', 400), '!')`;
const HARD = ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a){12}$"];

describe("patterns of queries", () => {
  for (const pattern of HARD) {
    it(`answers ${pattern} on PostgreSQL`, async () => {
      for (const operator of ["~", "~*"])
        assert.equal(await value(`(${LONG}) ${operator} '${pattern}'`), false);
      assert.equal(await value(`substring((${LONG})::text from '${pattern}'::text)`), null);
      assert.equal(await value(`length(regexp_replace(${LONG}, '${pattern}', 'x'))`), 401);
    });

    it(`answers ${pattern} on MySQL`, async () => {
      assert.equal(await value(`${MYSQL_LONG} REGEXP '${pattern}'`, "mysql"), false);
      const replaced = `length(regexp_replace(${MYSQL_LONG}, '${pattern}', 'x'))`;
      assert.equal(await value(replaced, "mysql"), 401);
    });
  }

  it("answers LIKE with many wildcards", async () => {
    const many = "%a".repeat(40);
    assert.equal(await value(`(${LONG}) LIKE '${many}'`), false);
    assert.equal(await value(`(${LONG}) ILIKE '${many.toUpperCase()}!'`), true);
    assert.equal(await value(`${MYSQL_LONG} LIKE '${many}'`, "mysql"), false);
  });

  for (const [expression, expected] of [
    ["'abc' LIKE 'a%c'", true],
    ["'abc' LIKE 'a_'", false],
    ["'aXbXc' LIKE 'a%X_'", true],
    ["'a%' LIKE 'a\\%'", true],
    ["'ab' LIKE 'a\\%'", false],
    ["'' LIKE '%'", true],
    ["'Äb' ILIKE 'ä_'", true],
    ["E'a\\nb' LIKE 'a_b'", true],
    ["'foo-12' ~ '^[[:alpha:]]+-[[:digit:]]{2}$'", true],
    ["'a b' ~ '\\mb\\M'", true],
    ["substring('id=42;'::text from 'id=(\\d+)'::text)", "42"],
    ["regexp_replace('a1b2', '(\\d)', '<\\1>', 'g')", "a<1>b<2>"],
    ["regexp_replace('a1b2', '\\d', '[\\&]')", "a[1]b2"],
    ["regexp_replace('$1', '\\$', '$$')", "$$1"],
  ] as const) {
    it(`gives ${String(expected)} for ${expression}`, async () => {
      assert.equal(await value(expression), expected);
    });
  }

  it("refuses what it cannot match without going back, and what is no pattern", async () => {
    for (const pattern of ["(a)\\1", "a(?=b)", "(?<!a)b", "(a{1,900}){1,900}"])
      assert.equal(await value(`'ab' ~ '${pattern}'`), "0A000", pattern);
    for (const pattern of ["(", "a{2,1}"])
      assert.equal(await value(`'ab' ~ '${pattern}'`), "2201B", pattern);
    assert.equal(await value("repeat('a', 1000000) ~ '(a?){300}a{300}'"), "0A000");
    assert.equal(await value(`repeat('a', 1000000) LIKE '${"%a_".repeat(20)}'`), "0A000");
  });
});

describe("globs of a configuration", () => {
  it("match long paths in no time, whatever they are", () => {
    const path = `${"a".repeat(200)}/b`;
    assert.equal(compileGlobs(["*a*a*a*a*a*a*a*a*a*a*a*a*a*c"])(path), false);
    assert.equal(compileGlobs(["{a,aa}{a,aa}**{a,aa}**/x"])(path), false);
    assert.equal(compileGlobs(["**/**/**/**/**/**/**/**/x"])("d/".repeat(200)), false);
  });

  it("take a class that is none as it is written", () => {
    assert.equal(compileGlobs(["[z-a].sql"])("[z-a].sql"), true);
  });
});

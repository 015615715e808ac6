// PostgreSQL's parser behind its interface: positions in UTF-16, and texts that make the parser itself fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createByteMap, DEEPEST_NESTING } from "../../../../server/src/frontend/sql/pg/pgParser";
import { parser } from "./programs";

test("bytes of UTF-8 become UTF-16 offsets", () => {
  for (const text of ["", "abc", "é", "aéb", "😀x", "日本語 x", "a\u0000b", "ß😀é\n"]) {
    const map = createByteMap(text);
    let byte = 0;
    for (let unit = 0; unit < text.length;) {
      const point = text.codePointAt(unit) ?? 0;
      assert.equal(map(byte), unit, text);
      byte += new TextEncoder().encode(String.fromCodePoint(point)).length;
      unit += point > 0xffff ? 2 : 1;
    }
    assert.equal(map(byte), text.length, text);
    assert.equal(map(byte + 10), text.length, text);
    assert.equal(map(-1), 0, text);
  }
});

test("statements stand where they say", async () => {
  const pg = await parser();
  const sql = "SELECT 'é😀'; -- ü\n UPDATE t SET a = 'ñ';";
  const parsed = pg.parse(sql);
  assert.ok(parsed.ok);
  const texts = parsed.statements.map(({ start, end }) => sql.slice(start, end).trim());
  assert.deepEqual(texts, ["SELECT 'é😀'", "UPDATE t SET a = 'ñ'"]);
});

test("errors say where, in UTF-16", async () => {
  const pg = await parser();
  for (const sql of ["SELECT FROM WHERE", "SELECT 'é😀', FROM WHERE x", "SELECT '日本', a b c"]) {
    const parsed = pg.parse(sql);
    assert.ok(!parsed.ok);
    const near = /at or near "(.*)"/.exec(parsed.message)?.[1] ?? "";
    assert.ok(near !== "" && sql.startsWith(near, parsed.offset), `${sql} ${parsed.offset}`);
  }
});

test("empty texts and comments are no statements", async () => {
  const pg = await parser();
  for (const sql of ["", "  \n", "-- x", "/* y */", ";;"]) {
    const parsed = pg.parse(sql);
    assert.ok(parsed.ok, sql);
    assert.equal(parsed.statements.length, 0, sql);
  }
});

test("a text that makes the parser fail spoils nothing", async () => {
  const pg = await parser();
  const chain = (length: number): string => `SELECT ${"1+".repeat(length)}1`;
  for (let round = 0; round < 2; round++) {
    assert.ok(!pg.parse(chain(60_000)).ok);
    assert.ok(pg.parse("SELECT 1").ok);
  }
  // Known by then, it costs no further instance.
  for (let round = 0; round < 20; round++) assert.ok(!pg.parse(chain(60_000)).ok);
  assert.ok(pg.parse("SELECT 2").ok);
});

test("deep nesting is refused before the parser sees it", async () => {
  const pg = await parser();
  const nested = (depth: number): string => `SELECT ${"(".repeat(depth)}1${")".repeat(depth)}`;
  assert.ok(pg.parse(nested(500)).ok);
  const deep = pg.parse(nested(DEEPEST_NESTING + 1));
  assert.ok(!deep.ok);
  assert.equal(deep.message, "it is nested too deeply");
});

test("a tree that is nested too deeply is refused, whatever nests in it", async () => {
  const pg = await parser();
  const nests: readonly ((depth: number) => string)[] = [
    (depth) => `${"CASE WHEN true THEN ".repeat(depth)}1${" END".repeat(depth)}`,
    (depth) => `${"CASE WHEN ".repeat(depth)}true${" THEN true END".repeat(depth)}`,
    (depth) => `1${" + 1".repeat(3 * depth)}`,
  ];
  for (const nest of nests) {
    assert.ok(pg.parse(`SELECT ${nest(300)}`).ok, nest(3));
    const deep = pg.parse(`SELECT ${nest(1000)}`);
    assert.ok(!deep.ok, nest(3));
    assert.equal(deep.message, "it is nested too deeply");
  }
});

test("brackets in texts of a statement are no nesting", async () => {
  const pg = await parser();
  const opening = `'${'{"'.repeat(5000)}\\'`;
  assert.ok(pg.parse(`SELECT ${opening}, ${opening}`).ok);
});

test("PL/pgSQL as PostgreSQL itself reads it", async () => {
  const pg = await parser();
  const body = (text: string): string =>
    `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ ${text} $$`;
  assert.equal(pg.parsePlPgSql(body("BEGIN RETURN 1; END")), undefined);
  assert.match(pg.parsePlPgSql(body("BEGIN IF END")) ?? "", /syntax error|missing/);
});

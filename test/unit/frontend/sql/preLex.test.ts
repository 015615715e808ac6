import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import { preLex, withPlaceholders } from "../../../../server/src/frontend/sql/text/preLex";
import type { FileId } from "../../../../server/src/protocol/source";

function lex(text: string, anonymous = 0) {
  // Any text will do for an opaque file name.
  return preLex(indexLines("f.sql" as FileId, text), 0, text.length, anonymous);
}

/** The rewritten text, and the names in the order of their numbers. */
function check(text: string, sql: string, names: readonly string[]): void {
  const { piece, placeholders, edits } = lex(text);
  assert.equal(piece.sql, sql);
  const sorted = placeholders.toSorted((a, b) => a.number - b.number);
  assert.deepEqual(
    sorted.map((each) => each.name),
    names,
  );
  for (const { start, end } of edits) assert.ok(start <= end && end <= text.length);
}

test("named placeholders", () => {
  check("SELECT :a, :b, :a", "SELECT $1, $2, $1", ["a", "b"]);
  check("x=:id", "x=$1", ["id"]);
  check("WHERE n = :'name'", "WHERE n = $1", ["name"]);
  check("SELECT -:x", "SELECT -$1", ["x"]);
  check("(:a::int)", "($1::int)", ["a"]);
  check("SELECT %(n)s, %(m)s, %(n)s", "SELECT $1, $2, $1", ["n", "m"]);
  check("WHERE id = @id AND v > @v", "WHERE id = $1 AND v > $2", ["id", "v"]);
  check("VALUES (:1, :2)", "VALUES ($1, $2)", ["1", "2"]);
});

test("macros of sqlc", () => {
  check("WHERE id = sqlc.arg(id) AND v > sqlc.arg('v')", "WHERE id = $1 AND v > $2", ["id", "v"]);
  check("SET v = SQLC.narg('v'), w = @v", "SET v = $1, w = $1", ["v"]);
  check("WHERE id IN (sqlc.slice('ids')) OR a = ?", "WHERE id IN ($1, $2) OR a = $3", [
    "ids[1]",
    "ids[2]",
    "?1",
  ]);
  check('SELECT sqlc.embed(a), sqlc.embed( "B" ) FROM a', 'SELECT a.*, "B".* FROM a', []);
  check("SELECT sqlc.other(a), sqlc.arg(1)", "SELECT sqlc.other(a), sqlc.arg(1)", []);
  const { piece, edits } = lex("SELECT sqlc.embed(t), x FROM t WHERE id IN (sqlc.slice(ids))");
  const { lines, start, end } = piece;
  assert.equal(
    withPlaceholders(lines.text, { start, end }, edits, ({ name }) => `<${name}>`),
    "SELECT t.*, x FROM t WHERE id IN (<ids[1]>, <ids[2]>)",
  );
});

test("numbered and anonymous placeholders", () => {
  check("SELECT $2, $1", "SELECT $2, $1", ["$1", "$2"]);
  check("SELECT $1, :a", "SELECT $1, $2", ["$1", "a"]);
  check("VALUES (?, ?)", "VALUES ($1, $2)", ["?1", "?2"]);
  check("WHERE id = ? AND v IN (?, ?)", "WHERE id = $1 AND v IN ($2, $3)", ["?1", "?2", "?3"]);
  check("LIMIT ? OFFSET ?", "LIMIT $1 OFFSET $2", ["?1", "?2"]);
  check("VALUES (%s, %s)", "VALUES ($1, $2)", ["?1", "?2"]);
  check("SET v = v + ? WHERE a BETWEEN ? AND ?", "SET v = v + $1 WHERE a BETWEEN $2 AND $3", [
    "?1",
    "?2",
    "?3",
  ]);
  assert.equal(lex("SELECT ?", 3).placeholders[0]?.name, "?4");
});

test("what only looks like a placeholder stays", () => {
  for (const text of [
    "SELECT a::int",
    "SELECT 'a:b ? %s $1 @x', \":c\"",
    "SELECT a[1:n]",
    "SELECT 1 -- :a ?",
    "SELECT /* :a */ 1",
    "SELECT data ? 'key'",
    "SELECT data ?| array['a'] , data ?& b",
    "SELECT a % s",
    "SELECT a %s",
    "SELECT a @> b, a <@ b, a @@ c",
    "x := 1",
    "SELECT $$ :a $$, $t$ ? $t$",
    "SELECT '12:30:00'::time",
    "SELECT f(a => 1)",
  ]) {
    check(text, text, []);
  }
});

test("a name that only the run knows is a hole", () => {
  const { piece, holes } = lex('SELECT * FROM :"tab" WHERE id = :id');
  assert.equal(piece.sql, 'SELECT * FROM "tab" WHERE id = $1');
  assert.deepEqual(
    holes.map((each) => each.name),
    ["tab"],
  );
});

test("offsets map back to the user's text", () => {
  const text = "é := ''; SELECT :longName, v FROM t WHERE ü = :x AND w = ?";
  const { piece } = lex(text);
  for (const word of ["v FROM", "WHERE", "AND w"]) {
    assert.equal(piece.toFile(piece.sql.indexOf(word)), text.indexOf(word), word);
  }
  assert.equal(piece.toFile(piece.sql.indexOf("$1")), text.indexOf(":longName"));
  assert.equal(piece.toFile(piece.sql.length), text.length);
});

test("the map of offsets is monotone and within the text, whatever the text", () => {
  const part = fc.constantFrom(":a", ":bb", "?", "$1", " ", "x", "'", "é", "::", "%s", "(", "\n");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      const { piece } = lex(text);
      let last = 0;
      for (let at = 0; at <= piece.sql.length; at++) {
        const to = piece.toFile(at);
        assert.ok(to >= last && to <= text.length);
        last = to;
      }
    }),
  );
});

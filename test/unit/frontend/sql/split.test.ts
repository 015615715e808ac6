import assert from "node:assert/strict";
import { test } from "node:test";
import { splitStatements } from "../../../../server/src/frontend/sql/text/split";

/** Slices as text, `\…` for meta-commands, `data:` before COPY data; problems as codes. */
function check(text: string, slices: readonly string[], problems: readonly string[] = []): void {
  const result = splitStatements(text);
  const found = result.slices.map(({ kind, start, end }) => {
    return (kind === "data" ? "data:" : "") + text.slice(start, end);
  });
  assert.deepEqual(found, slices);
  assert.deepEqual(
    result.problems.map((problem) => problem.code),
    problems,
  );
}

test("statements end at semicolons", () => {
  check("", []);
  check("  \n\t ", []);
  check(";;;", []);
  check("SELECT 1", ["SELECT 1"]);
  check("SELECT 1;", ["SELECT 1"]);
  check("\ufeffSELECT 1; ", ["SELECT 1"]);
  check("SELECT 1;SELECT 2 ;\r\n SELECT 3", ["SELECT 1", "SELECT 2", "SELECT 3"]);
});

test("quotes keep their semicolons", () => {
  check("SELECT ';' ; SELECT 2", ["SELECT ';'", "SELECT 2"]);
  check("SELECT 'it''s; ok'; x", ["SELECT 'it''s; ok'", "x"]);
  check(`SELECT "a;b" FROM "c""d;"; x`, [`SELECT "a;b" FROM "c""d;"`, "x"]);
  check("SELECT E'a\\';b'; x", ["SELECT E'a\\';b'", "x"]);
  check("SELECT 'a\\'; x", ["SELECT 'a\\'", "x"]);
  check("SELECT $$a;b$$; x", ["SELECT $$a;b$$", "x"]);
  check("SELECT $a$ $$;$$ $b$ ; $a$; x", ["SELECT $a$ $$;$$ $b$ ; $a$", "x"]);
  check("SELECT a$b$c; x", ["SELECT a$b$c", "x"]);
  check("SELECT $1; x", ["SELECT $1", "x"]);
  check("SELECT U&'\\0061;'; x", ["SELECT U&'\\0061;'", "x"]);
});

test("comments belong to no statement, unless they stand inside one", () => {
  check("-- a;b\nSELECT 1; -- c\nSELECT 2", ["SELECT 1", "SELECT 2"]);
  check("SELECT 1 -- a;b\n, 2;", ["SELECT 1 -- a;b\n, 2"]);
  check("/* a; /* b; */ c; */ SELECT 1;", ["SELECT 1"]);
  check("SELECT /* ; */ 1;", ["SELECT /* ; */ 1"]);
  check("SELECT 1 - -1;", ["SELECT 1 - -1"]);
});

test("meta-commands are slices of their own", () => {
  check("\\set x 1\nSELECT :x;", ["\\set x 1", "SELECT :x"]);
  check("\\set s 'a;b'\nSELECT 1;", ["\\set s 'a;b'", "SELECT 1"]);
  check("SELECT 1 AS a \\gset\nSELECT 2;", ["SELECT 1 AS a", "\\gset", "SELECT 2"]);
  check("SELECT 1 AS a \\gset p_\r\nx", ["SELECT 1 AS a", "\\gset p_", "x"]);
  check("\\if :a\nSELECT 1;\n\\endif", ["\\if :a", "SELECT 1", "\\endif"]);
  check("\\set x 1 \\\n + 2\nSELECT 1", ["\\set x 1 \\\n + 2", "SELECT 1"]);
  check("\\echo a \\echo b\nx", ["\\echo a", "\\echo b", "x"]);
  check("\\echo a \\\\ SELECT 1;", ["\\echo a", "SELECT 1"]);
  check("SELECT 1 \\; SELECT 2;", ["SELECT 1", "SELECT 2"]);
  check("\\timing", ["\\timing"]);
});

test("COPY data is no SQL", () => {
  const text = "COPY t (a) FROM stdin;\n1\tit's\n2\t;\n\\.\nSELECT 1;";
  check(text, ["COPY t (a) FROM stdin", "data:1\tit's\n2\t;\n\\.", "SELECT 1"]);
  check("COPY t FROM stdin;\n1", ["COPY t FROM stdin", "data:1"]);
  check("COPY t TO stdout; SELECT 1", ["COPY t TO stdout", "SELECT 1"]);
});

test("routines with BEGIN ATOMIC keep their semicolons", () => {
  const body =
    "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a THEN 1 END; END";
  check(`${body}; SELECT 2`, [body, "SELECT 2"]);
  check("BEGIN; SELECT 1; END;", ["BEGIN", "SELECT 1", "END"]);
  const rule = "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)";
  check(`${rule}; x`, [rule, "x"]);
});

test("an open quote is reported at its place and costs only its line", () => {
  check("SELECT 'abc;\nSELECT 2;", ["SELECT 'abc;\nSELECT 2"], ["open-quote"]);
  check("UPDATE t SET a = 'x;\n\nBEGIN;", ["UPDATE t SET a = 'x;\n\nBEGIN"], ["open-quote"]);
  check("SELECT 1; SELECT 'a", ["SELECT 1", "SELECT 'a"], ["open-quote"]);
  check("SELECT 'a;\n;SELECT 'b', 'c';\n", ["SELECT 'a;", "SELECT 'b', 'c'"], ["open-quote"]);
  check('SELECT "a;\n;x', ['SELECT "a;', "x"], ["open-quote"]);
  check("SELECT 1 /* a", ["SELECT 1"], ["open-comment"]);
});

test("a routine that is cut in the middle leaves the next one whole", () => {
  const next = "CREATE FUNCTION g() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql";
  check(
    `CREATE FUNCTION f() RETURNS int AS $$ BEGIN\n${next};`,
    ["CREATE FUNCTION f() RETURNS int AS $$ BEGIN", next],
    ["open-routine"],
  );
  check(
    `CREATE FUNCTION f() AS $x$ BEGIN\n${next};`,
    ["CREATE FUNCTION f() AS $x$ BEGIN", next],
    ["open-quote"],
  );
});

test("binary and huge texts", () => {
  assert.deepEqual(
    splitStatements("\0\u0001\u0002").problems.map((each) => each.code),
    ["binary"],
  );
  assert.equal(splitStatements("\ufffd".repeat(100)).slices.length, 0);
  assert.equal(
    splitStatements("INSERT INTO t VALUES (1, 'a''b');\n".repeat(150_000)).slices.length,
    150_000,
  );
  assert.equal(splitStatements("(".repeat(1_000_000)).slices.length, 1);
  assert.equal(splitStatements("/*".repeat(500_000)).slices.length, 0);
  assert.equal(splitStatements("'".repeat(500_001)).problems.length, 1);
  const dollars = Array.from({ length: 20_000 }, (_, at) => `$a${at}$`).join(" ");
  assert.ok(splitStatements(dollars).problems.length > 0);
  const cut = "CREATE FUNCTION f() AS $$ BEGIN\n".repeat(5_001);
  assert.ok(splitStatements(cut).slices.length >= 2_500);
});

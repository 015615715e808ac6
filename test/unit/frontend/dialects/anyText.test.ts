// Whatever text stands in a file of another dialect: reading gives a program, with places inside of the file.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { readCanonical } from "../../../../server/src/frontend/sql/text/canonical";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { DIALECTS, type Dialect } from "../../../../server/src/program/dialect";
import type { FileId } from "../../../../server/src/protocol/source";
import { fixture } from "../pg/fixtures";

const FOLDER = path.join(__dirname, "fixtures");
const OTHERS = DIALECTS.filter((each) => each !== "postgres");

const SCRIPTS = ["mysqlScripts.sql", "mysqlChanges.sql", "sqlServer.sql", "sqlite.sql"].flatMap(
  (file) => fixture(file, FOLDER).map(({ sql }) => sql),
);

const PIECES = [
  ...[
    "SELECT",
    "FROM",
    "t",
    "WHERE",
    "(",
    ")",
    ",",
    ";",
    "'",
    '"',
    "`",
    "[",
    "]",
    "--",
    "#",
    "/*",
    "*/",
    "/*!50001",
  ],
  ...[
    "\\",
    "\\'",
    "$$",
    "DELIMITER //",
    "//",
    "\n",
    "GO",
    "BEGIN",
    "END",
    "CASE",
    "START TRANSACTION",
    "COMMIT",
  ],
  ...[
    "INSERT INTO",
    "VALUES",
    "SET",
    "@x",
    "@@y",
    ":=",
    ":p",
    "?",
    "UPDATE",
    "DELETE",
    "JOIN",
    "ON",
    "UNION",
    "IN",
  ],
  ...[
    "CREATE TABLE",
    "PRIMARY KEY",
    "CREATE PROCEDURE",
    "IF",
    "LIMIT",
    "1",
    "1e9",
    "é",
    "\u{1F600}",
    "\0",
    "NOT",
  ],
];

function check(text: string, dialect: Dialect): void {
  const file = "any.sql" as FileId;
  const program = readProgram([{ file, text }], {}, { dialect });
  const lines = text.split(/\r\n|\r|\n/);
  const isInside = ({ line, character }: { line: number; character: number }): boolean =>
    line < lines.length && character <= (lines[line]?.length ?? 0);
  for (const { source } of [...program.notes, ...program.transactions]) {
    assert.ok(
      isInside(source.range.start) && isInside(source.range.end),
      JSON.stringify(source.range),
    );
  }
}

test("canonical text is as long as the text, line for line", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }),
      fc.constantFrom(...OTHERS),
      (pieces, dialect) => {
        const text = pieces.join(" ");
        const { text: canonical } = readCanonical(text, dialect);
        assert.equal(canonical.length, text.length);
        assert.deepEqual(breaks(canonical), breaks(text));
      },
    ),
    { numRuns: 400, seed: 7 },
  );
});

function breaks(text: string): readonly number[] {
  return [...text.matchAll(/[\r\n]/g)].map(({ index }) => index);
}

test("random pieces of SQL give a program", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }),
      fc.constantFrom(...OTHERS),
      (pieces, dialect) => check(pieces.join(" "), dialect),
    ),
    { numRuns: 400, seed: 8 },
  );
});

test("scripts that break off anywhere, or lose a piece, give a program", () => {
  for (const script of SCRIPTS.slice(0, 60)) {
    for (let at = 0; at < script.length; at += 7) {
      check(script.slice(0, at), "mysql");
      check(script.slice(0, at) + script.slice(at + 5), "sqlserver");
    }
  }
});

test("deep and long texts take bounded time", () => {
  for (const dialect of OTHERS) {
    check(`SELECT ${"(".repeat(20_000)}`, dialect);
    check(`SELECT ${"(SELECT ".repeat(5000)}`, dialect);
    check(`SELECT 1 ${"OR (a = 1 ".repeat(5000)}`, dialect);
    check(`SELECT ${"a + ".repeat(20_000)}1 FROM t`, dialect);
    check(`SELECT ${"NOT ".repeat(5000)}1`, dialect);
    check(`INSERT INTO t VALUES ${"(1, 'a'),".repeat(50_000)}(1, 'b');`, dialect);
    check("START TRANSACTION; UPDATE t SET a = 1;".repeat(3000), dialect);
    check("/* ".repeat(20_000), dialect);
    check("CREATE PROCEDURE p() BEGIN ".repeat(2000), dialect);
    check(`CREATE TABLE t (${"a INT, ".repeat(5000)}b INT)`, dialect);
    check(`SELECT ${"CASE WHEN 1 THEN ".repeat(3000)}`, dialect);
    check("'".repeat(50_001), dialect);
  }
});

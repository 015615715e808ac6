// Whatever the text: reading ends with a program, and every range lies in the text.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { indexLines, positionAt } from "../../../../server/src/frontend/sql/text/lines";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import type { FileId, Position, SourceRange } from "../../../../server/src/protocol/source";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import type { SqlParsers } from "../../../../server/src/frontend/sql/parsers";
import { programOf } from "./program";

const WORDS = [
  "BEGIN;",
  "COMMIT;",
  "ROLLBACK;",
  "SELECT v FROM t WHERE id = :id",
  "UPDATE t SET v = v + 1 WHERE id = ?;",
  "INSERT INTO t VALUES (1, 'a');",
  "CREATE TABLE t (id int PRIMARY KEY, v int);",
  "CREATE FUNCTION f() RETURNS int AS $$ BEGIN",
  "CREATE PROCEDURE p(a int) LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN",
  "IF x > 1 THEN",
  "SELECT v INTO x FROM t WHERE id = a;",
  "END IF;",
  "END $$ LANGUAGE plpgsql;",
  "\\gset\n",
  "\\gset p_\n",
  "\n\\set x :v + 1\n",
  "\n\\if :x > 1\n",
  "\n\\elif :x\n",
  "\n\\else\n",
  "\n\\endif\n",
  "-- @transaction a\n",
  "-- @isolens distinct id, x\n",
  "-- @isolens level si\n",
  "-- @isolens foo\n",
  "FOR UPDATE",
  ";",
  "'",
  '"',
  "$$",
  "/*",
  "*/",
  "(",
  ")",
  "\\",
  "é\ud83d\ude00",
  "\r\n",
  "SAVEPOINT a;",
  "COPY t FROM stdin;\n1\n\\.\n",
];

function offsetOf(starts: readonly number[], position: Position): number {
  const start = starts[position.line];
  assert.ok(start !== undefined, "the line exists");
  return start + position.character;
}

let full: SqlParsers = {};

before(async () => {
  full = { pg: await loadPgParser() };
});

test("any sequence of pieces of SQL gives a program with ranges inside the text", () => {
  checkPieces({});
});

test("so it does with PostgreSQL's parser", () => {
  checkPieces(full);
});

function checkPieces(parsers: SqlParsers): void {
  const texts = fc.array(fc.constantFrom(...WORDS), { maxLength: 40 });
  fc.assert(
    fc.property(texts, (words) => {
      const text = words.join(" ");
      // Any text will do for an opaque file name.
      const lines = indexLines("x.sql" as FileId, text);
      const program = programOf({ "x.sql": text }, parsers);
      const slice = ({ range }: SourceRange): string => {
        const start = offsetOf(lines.starts, range.start);
        const end = offsetOf(lines.starts, range.end);
        assert.ok(start <= end && end <= text.length);
        assert.deepEqual(positionAt(lines, start), range.start);
        return text.slice(start, end);
      };
      for (const note of program.notes) slice(note.source);
      for (const transaction of program.transactions) {
        const whole = slice(transaction.source);
        assert.ok(whole.includes(slice(transaction.header)));
        const names = new Set<string>();
        walkCommand(transaction.body, {
          statement: (statement) => {
            // A routine in a language that is not read stands for its whole body, at its header.
            if (statement.kind === "opaque" && transaction.boundary === "routine") return;
            assert.equal(slice(statement.source), statement.text);
            assert.ok(whole.includes(statement.text));
            assert.ok(!names.has(statement.id));
            names.add(statement.id);
          },
        });
      }
      const ids = program.transactions.map((transaction) => transaction.id);
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual(programOf({ "x.sql": text }, parsers), program);
    }),
    { numRuns: 400 },
  );
}

test("any text at all gives a program", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: "binary" }), (text) => {
      programOf({ "x.sql": text }, full);
    }),
    { numRuns: 500 },
  );
});

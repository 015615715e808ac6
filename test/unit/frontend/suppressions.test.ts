import assert from "node:assert/strict";
import { test } from "node:test";
import { indexLines } from "../../../server/src/frontend/sql/text/lines";
import { readSuppressions } from "../../../server/src/frontend/suppressions";
import type { FileId } from "../../../server/src/protocol/source";

/** The comments of a text of any language: from a mark to the end of its line, or of the block. */
const COMMENTS = /(?:--|\/\/|#).*|\/\*[^]*?\*\//gu;

/** "kinds -- reason @ line (or file)" of every suppression, and then `!code` of every note. */
function check(text: string, ...expected: readonly string[]): void {
  // Any text will do for an opaque file name.
  const lines = indexLines("f.ts" as FileId, text);
  const comments = [...text.matchAll(COMMENTS)].map(({ 0: comment, index }) => ({
    start: index,
    end: index + comment.length,
  }));
  const { suppressions, notes } = readSuppressions(lines, comments);
  const found = suppressions.map(({ kinds, reason, about }) => {
    const where = about === "file" ? "file" : String(about.line);
    return `${kinds.map(({ name }) => name).join(" ")} -- ${reason} @ ${where}`;
  });
  assert.deepEqual([...found, ...notes.map(({ code }) => `!${code}`)], expected);
}

test("a comment is about the next line with code", () => {
  check("-- @isolens ignore lost-update -- a counter\nUPDATE t", "lost-update -- a counter @ 1");
  check("// @isolens ignore lost-update -- why\n\n// more\n  run()", "lost-update -- why @ 3");
  check("# @isolens ignore write-skew -- why\r\nrun()", "write-skew -- why @ 1");
  check("/* @isolens ignore phantom -- why */\nrun()", "phantom -- why @ 1");
  check("/*\n * @isolens ignore phantom -- why\n */\nrun()", "phantom -- why @ 3");
  check("/* @isolens ignore phantom -- why */ run()", "phantom -- why @ 0");
  check("// @isolens ignore phantom -- a\n/* one\n two\n*/ /* three */\nrun()", "phantom -- a @ 4");
  check(
    "// @isolens ignore phantom -- a\n// @isolens ignore read-skew -- b\nrun()",
    "phantom -- a @ 2",
    "read-skew -- b @ 2",
  );
});

test("behind code it is about its own line", () => {
  check("run() // @isolens ignore phantom -- why\nagain()", "phantom -- why @ 0");
  check("UPDATE t; -- @isolens ignore phantom -- why", "phantom -- why @ 0");
});

test("at the end of a file it is about nothing", () => {
  check("run()\n-- @isolens ignore phantom -- why\n", "phantom -- why @ 3");
});

test("kinds and reasons", () => {
  check("-- @isolens ignore a, b;c d -- x", "a b c d -- x @ 1");
  check("-- @isolens ignore Lost-Update --why", "lost-update -- why @ 1");
  check("-- @isolens ignore lost-update \u2014 why -- so", "lost-update -- why -- so @ 1");
  check("-- @isolens ignore: lost-update", "lost-update --  @ 1");
  check("-- @isolens ignore all -- generated code", "all -- generated code @ 1");
  check(
    "-- @isolens ignore-file phantom, read-skew -- a report",
    "phantom read-skew -- a report @ file",
  );
});

test("what is incomplete has no effect", () => {
  check("-- @isolens ignore", "!annotation-incomplete");
  check("-- @isolens ignore -- why", "!annotation-incomplete");
  check("-- @isolens ignore all", "!annotation-incomplete");
  check("-- @isolens ignore-file phantom, all", "!annotation-incomplete");
});

test("long lines of blanks, dashes and stars take no time that grows with their square", () => {
  const long = 200_000;
  for (const filler of [" ", "-", "*", "\t@"]) {
    check(
      `/* ${filler.repeat(long)}\n@isolens ignore phantom -- why\n*/ run()`,
      "phantom -- why @ 2",
    );
  }
});

test("other words are not meant", () => {
  check("-- @isolens ignored phantom -- why");
  check("-- @isolens ignore-line phantom -- why");
  check("-- see @isolens ignore phantom");
  check("-- @isolenses ignore phantom");
});

test("places are those of the words", () => {
  const text = "  -- @isolens ignore phantom,  read-skew -- why  \nrun()";
  const lines = indexLines("f.sql" as FileId, text);
  const [found] = readSuppressions(lines, [{ start: 2, end: text.indexOf("\n") }]).suppressions;
  const cut = (range: { start: { character: number }; end: { character: number } }): string =>
    text.slice(range.start.character, range.end.character);
  assert.equal(found && cut(found.source.range), "@isolens ignore phantom,  read-skew -- why");
  assert.deepEqual(
    found?.kinds.map(({ source }) => cut(source.range)),
    ["phantom", "read-skew"],
  );
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ignoreHere,
  ignoreInFile,
  REASON,
  removal,
  type CommentEdit,
} from "../../../server/src/lsp/suppressionEdits";

function applied(text: string, { range, newText }: CommentEdit): string {
  const starts = [0];
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/gu)) starts.push(index + end.length);
  const offset = ({ line, character }: { line: number; character: number }): number =>
    (starts[line] ?? text.length) + character;
  return text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
}

/** The text between `[` and `]` taken away as a suppression; the brackets themselves are no part of the text. */
function removed(marked: string): string {
  const text = marked.replaceAll(/[[\]]/gu, "");
  const place = (mark: string): { line: number; character: number } => {
    const before = marked.slice(0, marked.indexOf(mark)).replaceAll(/[[\]]/gu, "").split("\n");
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  };
  return applied(text, removal(text, { start: place("["), end: place("]") }));
}

describe("a comment that suppresses", () => {
  it("stands above the line, with its indentation", () => {
    const text = "BEGIN;\n  UPDATE t SET a = 1;\nCOMMIT;";
    assert.equal(
      applied(text, ignoreHere(text, "a.sql", 1, "lost-update")),
      `BEGIN;\n  -- @isolens ignore lost-update -- ${REASON}\n  UPDATE t SET a = 1;\nCOMMIT;`,
    );
  });

  it("keeps the line ends of the file", () => {
    const text = "BEGIN;\r\nCOMMIT;\r\n";
    assert.equal(
      applied(text, ignoreHere(text, "a.sql", 1, "phantom")),
      `BEGIN;\r\n-- @isolens ignore phantom -- ${REASON}\r\nCOMMIT;\r\n`,
    );
  });

  it("stands above the statement of the host language, never inside a text", () => {
    const text = [
      "async function f() {",
      "  const a = 1;",
      "  await db.query(`",
      "    UPDATE t",
      "    SET a = 1`,",
      "  );",
      "}",
    ].join("\n");
    for (const line of [2, 3, 4]) {
      const lines = applied(text, ignoreHere(text, "a.ts", line, "phantom")).split("\n");
      assert.equal(lines[2], `  // @isolens ignore phantom -- ${REASON}`, String(line));
      assert.equal(lines[3], "  await db.query(`");
    }
  });

  it("is not taken in by blank lines and ends of statements in a text", () => {
    const typescript = "f();\nawait db.query(`\n\n  SELECT 1;\n  UPDATE t`);";
    assert.equal(ignoreHere(typescript, "a.ts", 4, "phantom").range.start.line, 1);
    const java = 'f();\nString q = """\n\n  UPDATE t;\n  """;\nrun(q);';
    assert.equal(ignoreHere(java, "A.java", 3, "phantom").range.start.line, 1);
    assert.equal(ignoreHere(java, "A.java", 5, "phantom").range.start.line, 5);
  });

  it("for a whole file stands at its top, behind a line for the shell", () => {
    assert.equal(
      applied("x();", ignoreInFile("x();", "a.mjs", "phantom")),
      `// @isolens ignore-file phantom -- ${REASON}\nx();`,
    );
    const script = "#!/usr/bin/env node\nx();";
    assert.match(
      applied(script, ignoreInFile(script, "a.mjs", "phantom")),
      /^#!.*\n\/\/ @isolens/u,
    );
    assert.match(applied("", ignoreInFile("", "untitled:Untitled-1", "phantom")), /^-- @isolens/u);
  });
});

describe("a suppression that goes", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["a\n-- [@isolens ignore phantom -- why]\nb", "a\nb"],
    ["a\n  // [@isolens ignore phantom -- why]\nb", "a\nb"],
    ["a\n/* [@isolens ignore phantom -- why] */\nb", "a\nb"],
    ["a\n/*\n * [@isolens ignore phantom -- why]\n */\nb", "a\n/*\n */\nb"],
    ["a\n/*\n * [@isolens ignore phantom -- why] */\nb", "a\n/*\n *  */\nb"],
    ["a(); // [@isolens ignore phantom -- why]\nb", "a();\nb"],
    ["/* [@isolens ignore phantom -- why] */ b", " b"],
    ["b -- [@isolens ignore phantom -- why]", "b"],
    ["-- [@isolens ignore phantom -- why]", ""],
    ["-- @isolens ignore [a], b -- why", "-- @isolens ignore b -- why"],
    ["-- @isolens ignore a, [b] -- why", "-- @isolens ignore a -- why"],
    ["-- @isolens ignore a, [b], c -- why", "-- @isolens ignore a, c -- why"],
  ];
  for (const [marked, expected] of cases) {
    it(marked.replaceAll("\n", " / "), () => {
      assert.equal(removed(marked), expected);
    });
  }
});

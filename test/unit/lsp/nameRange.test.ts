import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nameRange } from "../../../server/src/lsp/nameRange";

/** The underlined text, where all of it is meant. */
function underlined(text: string): string {
  const lines = text.split("\n");
  const end = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  const range = nameRange(lines, { start: { line: 0, character: 0 }, end });
  assert.equal(range.start.line, range.end.line);
  return (lines[range.start.line] ?? "").slice(range.start.character, range.end.character);
}

describe("a remark", () => {
  it("is underlined at the name that its place declares", () => {
    assert.equal(underlined("CREATE FUNCTION pay(a int) AS $$\n  BEGIN\n  END $$;"), "pay");
    assert.equal(underlined("CREATE TABLE IF NOT EXISTS shop.item (\n id int);"), "shop.item");
    assert.equal(underlined("export async function book(id: number) {\n}"), "book");
    assert.equal(underlined("public void run(Connection conn) {\n}"), "run");
    assert.equal(underlined("const change = async () => {\n};"), "change");
  });

  it("is underlined at its first word elsewhere, and where it is a word at all of it", () => {
    assert.equal(underlined("UPDATE account SET balance = 1"), "UPDATE");
    assert.equal(underlined("  SELECT a\n  FROM b"), "SELECT");
    assert.equal(underlined("account.balance"), "account.balance");
    assert.equal(underlined("$$"), "$$");
    assert.equal(underlined("(\n)"), "(");
    assert.equal(underlined("\n"), "");
  });
});

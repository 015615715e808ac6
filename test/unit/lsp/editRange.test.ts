import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Range } from "../../../server/src/protocol/source";
import { editRange } from "../../../server/src/lsp/editRange";

/** "1:2-3:4": a range by line and character. */
function range(text: string): Range {
  const [from = "", to = from] = text.split("-");
  const point = (each: string) => {
    const [line = "0", character = "0"] = each.split(":");
    return { line: Number(line), character: Number(character) };
  };
  return { start: point(from), end: point(to) };
}

function check(before: string, edited: string, text: string, expected: string): void {
  const { range: after, touched } = editRange(range(before), { range: range(edited), text });
  const point = (each: Range["start"]) => `${String(each.line)}:${String(each.character)}`;
  const told = `${point(after.start)}-${point(after.end)}${touched ? " touched" : ""}`;
  assert.equal(told, expected, `${before} after ${edited} became ${JSON.stringify(text)}`);
}

describe("a range after an edit", () => {
  it("stays when the edit is behind it", () => {
    check("2:4-2:9", "2:9-2:9", "x", "2:4-2:9");
    check("2:4-2:9", "3:0-5:0", "", "2:4-2:9");
  });

  it("moves when the edit is before it", () => {
    check("2:4-2:9", "2:0-2:0", "ab", "2:6-2:11");
    check("2:4-2:9", "2:0-2:4", "", "2:0-2:5");
    check("2:4-3:9", "1:0-1:0", "a\nb\n", "4:4-5:9");
    check("2:4-2:9", "1:5-2:2", "", "1:7-1:12");
    check("2:4-2:9", "2:2-2:4", "x\nyz", "3:2-3:7");
    check("5:0-6:1", "1:0-3:0", "\r\n", "4:0-5:1");
  });

  it("is touched when the edit is inside it, and grows with it", () => {
    check("2:4-2:9", "2:5-2:6", "abc", "2:4-2:11 touched");
    check("2:4-2:9", "2:5-2:5", "\n", "2:4-3:4 touched");
    check("2:4-4:1", "3:0-3:5", "", "2:4-4:1 touched");
  });

  it("is touched when the edit crosses its bounds", () => {
    check("2:4-2:9", "2:8-3:2", "x", "2:4-2:9 touched");
    check("2:4-2:9", "2:2-2:6", "", "2:2-2:5 touched");
    check("2:4-2:9", "1:0-5:0", "gone", "1:0-1:4 touched");
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TextDocument } from "vscode-languageserver-textdocument";
import { textDifference } from "../../../server/src/lsp/textDifference";

function applied(before: string, after: string): string {
  const edit = textDifference(before, after);
  const document = TextDocument.create("a", "a", 0, before);
  return TextDocument.applyEdits(document, edit ? [{ range: edit.range, newText: edit.text }] : []);
}

describe("the difference of two texts", () => {
  it("makes the one of the other, whatever the texts and their line ends", () => {
    const parts = [
      "",
      "a",
      "ab",
      "\n",
      "a\nb",
      "\r\n",
      "  a\n  a\n",
      "\n\n\n",
      "b\r\na",
      "é\u{1F600}",
    ];
    for (const one of parts) {
      for (const other of parts) {
        for (const third of parts) {
          assert.equal(applied(one + other + third, one + third), one + third);
          assert.equal(applied(one + third, one + other + third), one + other + third);
          assert.equal(applied(one + other, other + third), other + third);
        }
      }
    }
  });

  it("of a line that came or went is that line", () => {
    const [short, long] = ["one\n  two\n  three", "one\n  new\n  two\n  three"];
    const at = (line: number) => ({ line, character: 0 });
    assert.deepEqual(textDifference(short, long), {
      range: { start: at(1), end: at(1) },
      text: "  new\n",
    });
    assert.deepEqual(textDifference(long, short), {
      range: { start: at(1), end: at(2) },
      text: "",
    });
    assert.equal(textDifference(long, long), undefined);
  });
});

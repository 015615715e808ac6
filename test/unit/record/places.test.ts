// Places of a report in the application's own files.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { FileId } from "../../../server/src/protocol/source";
import { placeInApplication } from "../../../server/src/service/findings/applicationPlaces";

test("a statement stands where the comment before it says, and a missing file changes nothing", () => {
  const root = mkdtempSync(path.join(os.tmpdir(), "isolens-places-"));
  const folder = path.join(root, "isolens", "recorded");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(root, "shop.py"), "def book():\n    save()\n");
  const text =
    "-- @isolens at shop.py:1\nBEGIN;\n-- @isolens at shop.py:2\nSELECT 1;\n-- @isolens at gone.py:9\nSELECT 2;\n" +
    "/* @isolens at shop.py:2 */\nSELECT '\n-- @isolens at shop.py:1\n', 3;\n";
  const files = [{ file: "book.sql" as FileId, text, kind: "sql" as const }];
  const project = { folder, files, configuration: {} };
  const place = (line: number): string | undefined => {
    const found = placeInApplication(project, "book.sql", line);
    return (
      found &&
      `${path.relative(root, found.absolute)}:${String(found.range.start.line)}:${String(found.range.start.character)}`
    );
  };
  assert.deepEqual(
    [place(1), place(3), place(5), place(0), place(9)],
    ["shop.py:0:0", "shop.py:1:4", undefined, undefined, "shop.py:1:4"],
  );
  rmSync(root, { recursive: true });
});

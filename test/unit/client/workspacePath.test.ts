// An assistant's paths: inside of the workspace alone, also behind links.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { workspacePath } from "../../../client/src/features/workspacePath";

test("a path leads nowhere outside of the workspace's folders", () => {
  const root = mkdtempSync(path.join(os.tmpdir(), "isolens-paths-"));
  const [own, other] = [path.join(root, "own"), path.join(root, "other")];
  try {
    for (const each of [own, other]) mkdirSync(each);
    writeFileSync(path.join(other, "a.sql"), "");
    symlinkSync(other, path.join(own, "folder"));
    symlinkSync(path.join(other, "a.sql"), path.join(own, "file.sql"));
    const inside = (asked: string): boolean => workspacePath(asked, [own]) !== undefined;
    for (const asked of ["", ".", "db/missing.sql", "..names/a.sql", own])
      assert.ok(inside(asked), asked);
    for (const asked of [
      "..",
      "../other/a.sql",
      other,
      "folder",
      "folder/a.sql",
      "folder/missing.sql",
      "file.sql",
    ])
      assert.ok(!inside(asked), asked);
    assert.equal(workspacePath("a.sql", [own, other]), path.join(own, "a.sql"));
    assert.equal(workspacePath("folder/a.sql", [own, other]), path.join(own, "folder", "a.sql"));
    assert.equal(workspacePath("a.sql", []), undefined);
  } finally {
    rmSync(root, { recursive: true });
  }
});

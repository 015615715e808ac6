// The lint rule on cycles of imports: types count, and what goes one way is left alone.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Linter } from "eslint";
import { importCycles } from "../../lint/importCycles.mjs";

test("modules that import each other are reported with the way around", () => {
  const messages = messagesOf("a", {
    a: 'import { b } from "./b";\nexport const a = b;',
    b: 'import { c } from "./c";\nexport const b = c;',
    c: 'export { a as c } from "./a";',
  });
  assert.deepEqual(messages, ["Imports go around: a.mjs -> b.mjs -> c.mjs -> a.mjs."]);
});

test("imports of types count, over several lines too", () => {
  const messages = messagesOf("a", {
    a: 'import { b } from "./b";\nexport const a = b;',
    b: 'import type {\n  A,\n} from "./a";\nexport const b = 1;',
  });
  assert.equal(messages.length, 1);
});

test("what goes one way is no cycle, nor is a cycle further on", () => {
  const messages = messagesOf("a", {
    a: 'import { b } from "./b";\nimport path from "node:path";\nexport const a = [b, path];',
    b: 'import { c } from "./c";\nexport const b = c;',
    c: 'import { b } from "./b";\nexport const c = b;',
  });
  assert.deepEqual(messages, []);
});

function messagesOf(name: string, files: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "isolens-cycles-"));
  const texts = new Map(
    Object.entries(files).map(([each, text]) => [each, text.replace(/(["']\.\/\w+)/gu, "$1.mjs")]),
  );
  for (const [each, text] of texts) writeFileSync(path.join(folder, `${each}.mjs`), text);
  return new Linter({ cwd: folder })
    .verify(
      texts.get(name) ?? "",
      {
        plugins: { cycles: { rules: { imports: importCycles } } },
        rules: { "cycles/imports": "error" },
      },
      { filename: path.join(folder, `${name}.mjs`) },
    )
    .map(({ message }) => message);
}

// Packs what is built in dist/: the npm package (.tgz) and the extension (.vsix), or one of them.
//
//   node packaging/main.mjs [--out FOLDER] [--only tgz|vsix]
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { extensionContents, npmContents } from "./contents.mjs";
import { vsixOf } from "./vsix.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const { values } = parseArgs({
  options: { out: { type: "string", default: root }, only: { type: "string" } },
});
const out = path.resolve(values.out);
mkdirSync(out, { recursive: true });
/** @type {readonly (readonly [string, (folder: string) => string])[]} */
const packers = [
  ["tgz", packForNpm],
  ["vsix", packForEditors],
];
for (const file of packers
  .filter(([ending]) => (values.only ?? ending) === ending)
  .map(([, pack]) => pack(out)))
  console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(2)} MB`);

/** @param {string} folder */
function packForEditors(folder) {
  const { manifest, files } = extensionContents();
  const file = path.join(folder, `isolens-${manifest.version}.vsix`);
  writeFileSync(file, vsixOf(manifest, files));
  return file;
}

/** @param {string} folder */
function packForNpm(folder) {
  const { manifest, files } = npmContents();
  const staged = mkdtempSync(path.join(os.tmpdir(), "isolens-npm-"));
  try {
    for (const [file, bytes] of files) {
      mkdirSync(path.dirname(path.join(staged, file)), { recursive: true });
      writeFileSync(path.join(staged, file), bytes);
    }
    const isWindows = process.platform === "win32";
    execFileSync(
      isWindows ? "npm.cmd" : "npm",
      ["pack", "--offline", "--ignore-scripts", "--pack-destination", folder],
      { cwd: staged, stdio: "ignore", shell: isWindows },
    );
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  return path.join(folder, `isolens-${manifest.version}.tgz`);
}

// Folders that a client program may read: its own package, or its folder where it has none, and the packages installed
// for it.
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { isRepository } from "../../workspace/regularFile";

/** True if a client program brings code that runs, told by its name. */
export function isCodeClient(file: string): boolean {
  return !/\.jsonc?$/iu.test(file);
}

/** Absolute folders, as they are written and as they are; none is left out because it is within another one. */
export function readableFolders(file: string): readonly string[] {
  const own = path.dirname(file);
  const above = foldersUp(own);
  const root = above.find((folder) => existsSync(path.join(folder, "package.json"))) ?? own;
  const packages = above
    .map((folder) => path.join(folder, "node_modules"))
    .filter((folder) => existsSync(folder));
  const all = [root, ...packages];
  return [...new Set([...all, ...all.map((folder) => realpathSync.native(folder))])];
}

/** The folder and those around it, up to its repository's root. */
function foldersUp(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return isRepository(folder) || parent === folder ? [folder] : [folder, ...foldersUp(parent)];
}

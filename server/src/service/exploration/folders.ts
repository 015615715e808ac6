// The folders that a client program may read: its package (its folder, if it has none) and the packages installed for it.
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { isRepository } from "../../workspace/regularFile";

/** True if a client program contains code, judged by its file name. */
export function isCodeClient(file: string): boolean {
  return !/\.jsonc?$/iu.test(file);
}

/** Absolute folders, both as written and with links resolved; nested ones are listed too. */
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

/** The folder and its ancestors, up to the repository's root. */
function foldersUp(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return isRepository(folder) || parent === folder ? [folder] : [folder, ...foldersUp(parent)];
}

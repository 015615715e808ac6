// Paths given by assistants, restricted to the workspace.
import { realpathSync } from "node:fs";
import path from "node:path";

/** The absolute path; relative ones start at the first folder. Undefined if it, or its link target, is outside of all folders. */
export function workspacePath(asked: string, folders: readonly string[]): string | undefined {
  const absolute = path.resolve(folders[0] ?? "", asked);
  const isWithin =
    folders.some((folder) => isBelow(absolute, folder)) &&
    folders.some((folder) => isBelow(targetOf(absolute), targetOf(folder)));
  return isWithin ? absolute : undefined;
}

function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return !/^\.\.(?:[\\/]|$)/u.test(relative) && !path.isAbsolute(relative);
}

/** The real path; for a missing file, that of its folder. */
function targetOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(targetOf(folder), path.basename(file));
  }
}

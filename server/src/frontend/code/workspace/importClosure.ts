// Files that were not asked for and declare what those that were use.
import type { FileId } from "../../../protocol/source";
import type { CodeModules } from "../modules/modules";

/** Up to so many files may leave out those that they import; more are a folder, which has them. */
const FEW = 20;
/** Imported files that are looked at. */
const MOST = 400;

/** The files, and where they are few those that their imports lead to within the workspace. Linear in what they lead to. */
export function importClosure(
  files: readonly FileId[],
  modules: Pick<CodeModules, "moduleOf" | "resolve">,
): readonly FileId[] {
  const found = new Set(files);
  if (found.size > FEW) return files;
  for (const file of found) {
    const module = modules.moduleOf(file);
    if (!module) continue;
    for (const { from } of [...module.imports, ...module.exports]) {
      const target = from === undefined ? undefined : modules.resolve(file, from);
      if (target !== undefined && found.size < MOST) found.add(target);
    }
  }
  return [...found];
}

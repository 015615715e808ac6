// The modules of a workspace as the evaluator asks for them: read when they are needed, names followed across files.
import type { FileId } from "../../protocol/source";
import type { HirModule } from "./hir";

export interface CodeModules {
  /** Undefined for files that are not there or hold no code that is read. */
  moduleOf(file: FileId): HirModule | undefined;
  /** The file that an import names; undefined for packages that are not the workspace's own. */
  resolve(from: FileId, specifier: string): FileId | undefined;
}

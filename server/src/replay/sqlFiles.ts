import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { FileId } from "../protocol/source";

/** True if a server could be given what stands in the file: neither application code nor a schema of Prisma's. */
export function isSqlFile({ file }: { readonly file: FileId }): boolean {
  return codeLanguageOf(file) === undefined && !file.endsWith(".prisma");
}

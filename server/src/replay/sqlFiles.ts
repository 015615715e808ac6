import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { FileId } from "../protocol/source";

/** True if a server could execute the file: neither application code nor a Prisma schema. */
export function isSqlFile({ file }: { readonly file: FileId }): boolean {
  return codeLanguageOf(file) === undefined && !file.endsWith(".prisma");
}

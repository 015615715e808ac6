import { createDialectReader } from "../frontend/sql/dialectsOf";
import { scanFile, type ScannedFile } from "../frontend/sql/scanFile";
import type { TestInput } from "./plan";

/** The files of a test's input as text cut into its parts, each in its own dialect. */
export function scannedFiles({
  files,
  dialect,
}: Pick<TestInput, "files" | "dialect">): readonly ScannedFile[] {
  const dialects = createDialectReader().dialects(files, { dialect });
  return files.map(({ file, text }) => scanFile(file, text, dialects.get(file) ?? "postgres"));
}

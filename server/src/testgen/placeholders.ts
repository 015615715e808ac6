import { createDialectReader } from "../frontend/sql/dialectDetection/dialectsOf";
import { scanFile, type ScannedFile } from "../frontend/sql/scanFile";
import { isSqlFile } from "../replay/sqlFiles";
import type { TestInput } from "./input";

/** The SQL files of a test's input, scanned in their own dialects. */
export function scannedFiles({
  files,
  dialect,
}: Pick<TestInput, "files" | "dialect">): readonly ScannedFile[] {
  const own = files.filter(isSqlFile);
  const dialects = createDialectReader().dialects(own, { dialect });
  return own.map(({ file, text }) => scanFile(file, text, dialects.get(file) ?? "postgres"));
}

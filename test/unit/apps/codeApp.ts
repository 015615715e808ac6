// Example programs whose transactions are application code, read as a workspace is.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { createWorkspaceCode } from "../../../server/src/frontend/code/workspace/workspaceCode";
import { createReader, type SourceFile } from "../../../server/src/frontend/sql/readProgram";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";

const APPS = path.join(__dirname, "../../apps");

/** The program of an app whose transactions are TypeScript or Java; it speaks to PostgreSQL. */
export async function codeApp(name: string): Promise<Program> {
  return codeProgram(codeFiles(name));
}

/** The files of an app whose transactions are TypeScript or Java. */
export function codeFiles(name: string): readonly SourceFile[] {
  const folder = path.join(APPS, name);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|java|sql)$/u.test(file))
    .sort()
    .map((file): SourceFile => {
      // A file id is any name that is unique in its workspace.
      const id = file as FileId;
      return { file: id, text: readFileSync(path.join(folder, file), "utf8") };
    });
}

/** The program of such files. */
export async function codeProgram(files: readonly SourceFile[]): Promise<Program> {
  const isCode = ({ file }: SourceFile): boolean => !file.endsWith(".sql");
  const code = createWorkspaceCode(await loadCodeParsers()).read(files.filter(isCode));
  const told = { dialect: "postgres" } as const;
  return createReader({ pg: await loadPgParser() }).read(
    files.filter((file) => !isCode(file)),
    told,
    { ...code, ...told },
  );
}

// Problems of files as lines with their places.
import path from "node:path";
import type { WorkspaceProblem } from "../workspace/projects";

/** "isolens.json:3:1: what is wrong". */
export function problemText({ path: file, range, message }: WorkspaceProblem): string {
  if (!range) return `${file}: ${message}`;
  return `${file}:${String(range.start.line + 1)}:${String(range.start.character + 1)}: ${message}`;
}

/** Relative to the working directory, for files below it. */
export function shortPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith("..") ? file : relative.split(path.sep).join("/");
}

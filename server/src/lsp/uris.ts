// Conversion between document URIs, paths and file ids.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Project } from "../workspace/projects";

/** The absolute path of a document on disk; undefined for any other document (untitled, virtual). */
export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    // A file URI that names no file of this machine is treated as a virtual document.
    return undefined;
  }
}

/** The URI of a file of a project. A project for one virtual document has that document as its file. */
export function uriOfFile(project: Pick<Project, "folder">, file: string): string {
  if (isVirtual(project)) return file;
  return pathToFileURL(path.resolve(project.folder, file)).href;
}

/** True if the project is a single virtual document. */
export function isVirtual(project: Pick<Project, "folder">): boolean {
  return project.folder === VIRTUAL_FOLDER;
}

/** The folder of projects that consist of one virtual document. */
export const VIRTUAL_FOLDER = "";

// The open files of a project.
import type { FileId } from "../protocol/source";
import { fileIdOf } from "../workspace/codeFiles";
import type { Project } from "../workspace/projects";
import type { ServerState } from "./serverState";
import { isVirtual, pathOfUri } from "./uris";

/** The limit: more would not help the first of them. */
const MOST = 4;

/** The most recently opened files, latest first. Linear in the project's files. */
export function openFiles(
  { documents }: Pick<ServerState, "documents">,
  project: Project,
): readonly FileId[] {
  if (isVirtual(project)) return project.files.map(({ file }) => file);
  const open = documents.all().flatMap(({ uri }) => {
    const path = pathOfUri(uri);
    return path === undefined ? [] : fileIdOf(project.folder, path);
  });
  const own = new Set(project.files.map(({ file }) => file));
  return open
    .toReversed()
    .filter((file) => own.has(file))
    .slice(0, MOST);
}

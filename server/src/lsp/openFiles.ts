// The files of a project that somebody has before them.
import type { FileId } from "../protocol/source";
import { fileIdOf } from "../workspace/codeFiles";
import type { Project } from "../workspace/projects";
import type { ServerState } from "./serverState";
import { isVirtual, pathOfUri } from "./uris";

/** More than these would be no help to the first of them. */
const MOST = 4;

/** Those that were opened last, the last one first. Linear in the project's files. */
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

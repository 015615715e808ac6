// The only place that opens untrusted files: regular files inside of their workspace, read up to a limit. Links, pipes and devices are
// refused, and no message quotes a file's content.
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { realpathSync, statSync, type Stats } from "node:fs";
import path from "node:path";
import { reasonOf } from "../protocol/fault";

/** An open file; `size` is its size when it was opened. */
export interface RegularFile {
  readonly size: number;
  /** Fills a buffer with the next bytes; fewer at the end. Never returns more than `size` in total. */
  read(into: Uint8Array): number;
  close(): void;
}

export type OpenedFile =
  | { readonly ok: true; readonly file: RegularFile }
  /** "not read: " with the reason, for people. */
  | { readonly ok: false; readonly reason: string; readonly isMissing: boolean };

/**
 * Opens a regular file without blocking. `workspace` is the real path of the folder that must contain it after all links are resolved; by
 * default `workspaceOf`. Never throws for what it finds.
 */
export function openRegularFile(absolute: string, workspace?: string): OpenedFile {
  try {
    const refusal = refusalOf(absolute, workspace ?? workspaceOf(absolute));
    if (refusal !== undefined) return refused(refusal);
    // Non-blocking: a pipe that has replaced the file since has no writer.
    const handle = openSync(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(handle);
    if (found.isFile()) return { ok: true, file: reading(handle, found.size) };
    closeSync(handle);
    return refused(kindText(found));
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { ok: false, reason: `not read: ${fileErrorText(error)}`, isMissing };
  }
}

/** The reason for not opening a path: opening some devices has an effect. Throws as `stat` does. */
function refusalOf(absolute: string, workspace: string): string | undefined {
  const found = statSync(absolute);
  if (!found.isFile()) return kindText(found);
  return isBelow(realpathSync.native(absolute), workspace) ? undefined : OUTSIDE;
}

/**
 * The real path of the folder in which a path's files may be read: the nearest repository around the path as written; without one, or if it
 * is a link to elsewhere, the first of `roots` that contains it, else its own folder. Throws if there is none.
 */
export function workspaceOf(absolute: string, roots: readonly string[] = []): string {
  const own = path.dirname(absolute);
  const root = realpathSync.native(roots.find((each) => isBelow(own, each)) ?? own);
  const repository = repositoryOf(own);
  return repository !== undefined && isBelow(root, repository) ? repository : root;
}

/** The real path of the nearest repository around a folder as written. */
function repositoryOf(folder: string): string | undefined {
  if (isRepository(folder)) return realpathSync.native(folder);
  const parent = path.dirname(folder);
  return parent === folder ? undefined : repositoryOf(parent);
}

/** The same for many files of few folders. */
export function workspaceFinder(roots: readonly string[]): (absolute: string) => string {
  const known = new Map<string, string>();
  return (absolute) => {
    const folder = path.dirname(absolute);
    const found = known.get(folder) ?? workspaceOf(absolute, roots);
    known.set(folder, found);
    return found;
  };
}

/** True if a folder is the root of a repository. */
export function isRepository(folder: string): boolean {
  return existsSync(path.join(folder, ".git"));
}

/** True if a path is in a folder, or equals it. */
function isBelow(absolute: string, folder: string): boolean {
  const relative = path.relative(folder, absolute);
  return !path.isAbsolute(relative) && !/^\.\.(?:$|[\\/])/u.test(relative);
}

/** A file error in a few words for people. */
export function fileErrorText(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return FILE_ERRORS.get(code) ?? reasonOf(error);
}

const OUTSIDE = "it is a link that leads out of the workspace; name the file that it leads to";

const FILE_ERRORS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or folder"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EISDIR", "it is a folder"],
  ["EMFILE", "too many open files"],
  ["ELOOP", "it is a link that leads back to itself"],
  ["ENOTDIR", "a part of its path is no folder"],
  ["ENAMETOOLONG", "its path is too long"],
  ["ENXIO", "it is a device or a socket, not a regular file"],
]);

function refused(why: string): OpenedFile {
  return { ok: false, reason: `not read: ${why}`, isMissing: false };
}

function kindText(found: Stats): string {
  const kind = found.isDirectory()
    ? "a folder"
    : found.isFIFO()
      ? "a pipe"
      : found.isSocket()
        ? "a socket"
        : "a device";
  return `it is ${kind}, not a regular file`;
}

function reading(handle: number, size: number): RegularFile {
  let left = size;
  return {
    size,
    read(into) {
      // A growing file ends where it did when it was opened.
      const count = readSync(handle, into, 0, Math.min(into.length, left), null);
      left -= count;
      return count;
    },
    close() {
      closeSync(handle);
    },
  };
}

// The one place that opens files which come from outside: regular files inside of their workspace, read up to a bound.
// The content of a link, a pipe or a device is refused, and no message repeats what stands in a file.
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { realpathSync, statSync, type Stats } from "node:fs";
import path from "node:path";
import { reasonOf } from "../protocol/fault";

/** A file that is open for reading; `size` is what it had when it was opened. */
export interface RegularFile {
  readonly size: number;
  /** Fills the part from its start with the bytes that follow; fewer at the end. Never gives more than `size` in all. */
  read(into: Uint8Array): number;
  close(): void;
}

export type OpenedFile =
  | { readonly ok: true; readonly file: RegularFile }
  /** "not read: " and why, for people. */
  | { readonly ok: false; readonly reason: string; readonly isMissing: boolean };

/**
 * Opens a regular file without waiting for anybody. `workspace` is the real path of the folder that it must be in after
 * all links are followed; by default what `workspaceOf` says. Never throws for what it finds.
 */
export function openRegularFile(absolute: string, workspace?: string): OpenedFile {
  try {
    const refusal = refusalOf(absolute, workspace ?? workspaceOf(absolute));
    if (refusal !== undefined) return refused(refusal);
    // Without waiting: a pipe that took the place of the file since then has no writer.
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

/** The reason why what stands there is not opened: opening some devices has an effect. Throws as `stat` does. */
function refusalOf(absolute: string, workspace: string): string | undefined {
  const found = statSync(absolute);
  if (!found.isFile()) return kindText(found);
  return isBelow(realpathSync.native(absolute), workspace) ? undefined : OUTSIDE;
}

/**
 * The real path of the folder that what belongs to a path may be read in: the nearest repository that the path stands in
 * as it is written; without one, or where it is a link to elsewhere, the first of `roots` that holds it, else its own
 * folder. Throws where there is none.
 */
export function workspaceOf(absolute: string, roots: readonly string[] = []): string {
  const own = path.dirname(absolute);
  const root = realpathSync.native(roots.find((each) => isBelow(own, each)) ?? own);
  const repository = repositoryOf(own);
  return repository !== undefined && isBelow(root, repository) ? repository : root;
}

/** The real path of the nearest repository around a folder as it is written. */
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

/** True if a path stands in a folder, or is it. */
function isBelow(absolute: string, folder: string): boolean {
  const relative = path.relative(folder, absolute);
  return !path.isAbsolute(relative) && !/^\.\.(?:$|[\\/])/u.test(relative);
}

/** Fault of a file, in a few words for people. */
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
      // A file that grows while it is read ends where it did when it was opened.
      const count = readSync(handle, into, 0, Math.min(into.length, left), null);
      left -= count;
      return count;
    },
    close() {
      closeSync(handle);
    },
  };
}

// Walks a folder once: which files the configuration includes, which hold code that may be imported, and which say how
// names of packages and paths are resolved.
import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import { isSettingsFile } from "../frontend/settings/settingSigns";
import type { Configuration } from "./configuration";
import { compileGlobs } from "./globs";
import { isModelFile } from "./modelFile";
import { fileErrorText } from "./textFile";

/** Absolute paths, in order of their code units. */
export interface FolderListing {
  /** Included and not code: SQL. */
  readonly files: readonly string[];
  /** Code that is included: no tests, nothing that tools wrote. */
  readonly code: readonly string[];
  /** All code that may be imported, included or not. */
  readonly modules: readonly string[];
  /** package.json, tsconfig.json and the like. */
  readonly manifests: readonly string[];
  /** Schemas of ORMs in files of their own, and models of libraries. */
  readonly schemas: readonly string[];
  /** Settings that may say which database is used, and how. */
  readonly settings: readonly string[];
  /** Folders that were not looked into, and why. */
  readonly unread: readonly UnreadFolder[];
}

export interface UnreadFolder {
  readonly path: string;
  readonly reason: string;
}

/** Never searched: what tools put there is not the user's. */
const IGNORED_FOLDERS = new Set(["node_modules", "dist"]);

/** Folders whose code tools wrote or took from elsewhere. */
const FOREIGN_CODE = new Set([
  "build",
  "out",
  "target",
  "coverage",
  "vendor",
  "generated",
  "__generated__",
  "bower_components",
]);

/** Folders and names of code that tests something; nobody runs it beside others. */
const TEST_FOLDERS = new Set(["test", "tests", "__tests__", "__mocks__", "e2e", "cypress", "spec"]);
const TEST_FILE =
  /[.-](?:test|tests|spec|e2e-spec|stories|bench)\.[cm]?[jt]sx?$|(?:Test|Tests|IT)\.java$/u;

/** A folder so deep or so full is no source tree; the walk stops rather than hang, and says so. */
const MOST_FOLDERS = 20_000;

/**
 * The files below `folder`; patterns are relative to `base`. Where the folder itself is one of tests, they are what was
 * asked for.
 */
export async function listFolder(
  folder: string,
  base: string,
  { include, exclude }: Configuration,
  mostFolders = MOST_FOLDERS,
): Promise<FolderListing> {
  const included = compileGlobs(include);
  const excluded = compileGlobs(exclude);
  const files: string[] = [];
  const code: string[] = [];
  const modules: string[] = [];
  const manifests: string[] = [];
  const schemas: string[] = [];
  const settings: string[] = [];
  const unread: UnreadFolder[] = [];
  const open: Folder[] = [{ path: folder, isForeign: false, isTest: false }];
  for (let visited = 0; visited < mostFolders; visited += 1) {
    const current = open.pop();
    if (current === undefined) break;
    const entries = await entriesOf(current.path);
    if (typeof entries === "string") {
      unread.push({ path: current.path, reason: entries });
      continue;
    }
    for (const entry of entries) {
      const { name } = entry;
      const absolute = path.join(current.path, name);
      const relative = relativePath(base, absolute);
      if (excluded(relative)) continue;
      if (entry.isDirectory()) {
        if (name.startsWith(".") || IGNORED_FOLDERS.has(name)) continue;
        open.push({
          path: absolute,
          isForeign: current.isForeign || FOREIGN_CODE.has(name),
          isTest: current.isTest || TEST_FOLDERS.has(name),
        });
        continue;
      }
      if (MANIFESTS.has(name)) manifests.push(absolute);
      if (name.endsWith(".prisma") || isModelFile(relative)) schemas.push(absolute);
      if (isSettingsFile(name) && !current.isForeign && !current.isTest) settings.push(absolute);
      const linked = await linkedFolder(entry, absolute, folder);
      if (linked !== undefined) unread.push({ path: absolute, reason: linked });
      const isCode = codeLanguageOf(name) !== undefined;
      const isIncluded = included(relative);
      if ((!isCode && !isIncluded) || DECLARATIONS.test(name)) continue;
      if (!entry.isFile() && !(await isFileLike(absolute))) continue;
      if (!isCode) files.push(absolute);
      else if (!current.isForeign && !/\.min\.js$/u.test(name)) {
        modules.push(absolute);
        if (isIncluded && !current.isTest && !TEST_FILE.test(name)) code.push(absolute);
      }
    }
  }
  if (open.length > 0) {
    const more = `it has more than ${mostFolders.toLocaleString("en")} folders, and those beyond were not looked into; check parts of it by themselves, or set "exclude" in isolens.json`;
    unread.push({ path: folder, reason: more });
  }
  const inOrder = (list: string[]): readonly string[] => list.sort(comparePaths);
  return {
    files: inOrder(files),
    code: inOrder(code),
    modules: inOrder(modules),
    manifests: inOrder(manifests),
    schemas: inOrder(schemas),
    settings: inOrder(settings),
    unread,
  };
}

/** Entries below several folders. */
export function mergedListing(listings: readonly FolderListing[]): FolderListing {
  const [only] = listings;
  if (only && listings.length === 1) return only;
  const all = (of: Exclude<keyof FolderListing, "unread">): readonly string[] =>
    [...new Set(listings.flatMap((each) => each[of]))].sort(comparePaths);
  return {
    files: all("files"),
    code: all("code"),
    modules: all("modules"),
    manifests: all("manifests"),
    schemas: all("schemas"),
    settings: all("settings"),
    unread: listings.flatMap((each) => each.unread),
  };
}

/** Compares paths by code unit, the same on every machine. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A path below a folder with `/`, as in file ids. */
export function relativePath(folder: string, absolute: string): string {
  return path.relative(folder, absolute).split(path.sep).join("/");
}

interface Folder {
  readonly path: string;
  readonly isForeign: boolean;
  readonly isTest: boolean;
}

/** Files that say where modules are. */
export const MANIFESTS: ReadonlySet<string> = new Set([
  "package.json",
  "tsconfig.json",
  "tsconfig.base.json",
  "jsconfig.json",
]);

const DECLARATIONS = /\.d\.[mc]?ts$/iu;

/** Entries of a folder, or why nobody can tell. */
async function entriesOf(folder: string): Promise<readonly Dirent[] | string> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return `not read: ${fileErrorText(error)}`;
  }
}

/** The reason why a link to a folder is left alone; undefined for all else, and where the folder is met without it. */
async function linkedFolder(
  entry: Dirent,
  absolute: string,
  folder: string,
): Promise<string | undefined> {
  const { name } = entry;
  if (!entry.isSymbolicLink() || name.startsWith(".") || IGNORED_FOLDERS.has(name))
    return undefined;
  try {
    if (!(await stat(absolute)).isDirectory()) return undefined;
    const [target, root] = [await realpath(absolute), await realpath(folder)];
    return target === root || target.startsWith(root + path.sep)
      ? undefined
      : "not read: it is a link to a folder elsewhere; check that folder by its own path";
  } catch (error) {
    return `not read: ${fileErrorText(error)}`;
  }
}

/** Links to files, pipes and devices are listed: whoever reads them says why they cannot be read. */
async function isFileLike(absolute: string): Promise<boolean> {
  try {
    return !(await stat(absolute)).isDirectory();
  } catch {
    // A link to nowhere.
    return false;
  }
}

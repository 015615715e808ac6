// Walks a folder once: the included files, importable code, and files that configure module resolution.
import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import { isSettingsFile } from "../frontend/settings/settingSigns";
import { isMapperFile } from "../frontend/code/libraries/java/mybatis/mapperFiles";
import type { Configuration } from "./configuration";
import { compileGlobs } from "./globs";
import { isModelFile } from "./modelFile";
import { fileErrorText } from "./textFile";

/** Absolute paths, sorted by code unit. */
export interface FolderListing {
  /** Included files other than code: SQL. */
  readonly files: readonly string[];
  /** Included code: no tests, nothing generated. */
  readonly code: readonly string[];
  /** All importable code, included or not. */
  readonly modules: readonly string[];
  /** package.json, tsconfig.json and the like. */
  readonly manifests: readonly string[];
  /** ORM schema files, and models of libraries. */
  readonly schemas: readonly string[];
  /** Settings that may show which database is used, and how. */
  readonly settings: readonly string[];
  /** Folders that were not searched, with the reason. */
  readonly unread: readonly UnreadFolder[];
}

export interface UnreadFolder {
  readonly path: string;
  readonly reason: string;
}

/** Never searched: these are generated or installed. */
const IGNORED_FOLDERS = new Set(["node_modules", "dist"]);

/** Folders with generated or third-party code. */
const FOREIGN_CODE = new Set(["vendor", "generated", "__generated__", "bower_components"]);

/** Folders of build output; below a folder of sources these are names like others. */
const OUTPUT = new Set(["build", "out", "target", "coverage"]);
const SOURCES = "src";

/** Folders and names of test code, which does not run concurrently in production. */
const TEST_FOLDERS = new Set(["test", "tests", "__tests__", "__mocks__", "e2e", "cypress", "spec"]);
const TEST_FILE =
  /[.-](?:test|tests|spec|e2e-spec|stories|bench)\.[cm]?[jt]sx?$|(?:Test|Tests|IT)\.java$/u;

/** Limits of depth and size: such a folder is no source tree; the walk stops and reports it. */
const MOST_FOLDERS = 20_000;

/** The files below `folder`; patterns are relative to `base`. Test code is included if the folder itself is a test folder. */
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
  const open: Folder[] = [{ path: folder, isSource: false, isForeign: false, isTest: false }];
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
          isSource: current.isSource || name === SOURCES,
          isForeign:
            current.isForeign || FOREIGN_CODE.has(name) || (OUTPUT.has(name) && !current.isSource),
          isTest: current.isTest || TEST_FOLDERS.has(name),
        });
        continue;
      }
      if (MANIFESTS.has(name)) manifests.push(absolute);
      const isOwn = !current.isForeign && !current.isTest;
      if (name.endsWith(".prisma") || isModelFile(relative) || (isOwn && isMapperFile(relative)))
        schemas.push(absolute);
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

/** Compares paths by code unit, independent of the locale. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A path relative to a folder with `/`, as in file ids. */
export function relativePath(folder: string, absolute: string): string {
  return path.relative(folder, absolute).split(path.sep).join("/");
}

interface Folder {
  readonly path: string;
  /** It is below a folder of sources. */
  readonly isSource: boolean;
  readonly isForeign: boolean;
  readonly isTest: boolean;
}

/** Files that configure module resolution. */
export const MANIFESTS: ReadonlySet<string> = new Set([
  "package.json",
  "tsconfig.json",
  "tsconfig.base.json",
  "jsconfig.json",
]);

const DECLARATIONS = /\.d\.[mc]?ts$/iu;

/** The entries of a folder, or the reason why they are unknown. */
async function entriesOf(folder: string): Promise<readonly Dirent[] | string> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return `not read: ${fileErrorText(error)}`;
  }
}

/** The reason why a link to a folder is not followed; undefined for anything else, and if the folder is visited without it. */
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

/** Links to files, pipes and devices are listed: reading them reports why they cannot be read. */
async function isFileLike(absolute: string): Promise<boolean> {
  try {
    return !(await stat(absolute)).isDirectory();
  } catch {
    // A dangling link.
    return false;
  }
}

// Walks a folder once: which files the configuration includes, which hold code that may be imported, and which say how
// names of packages and paths are resolved.
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { codeLanguageOf } from "../frontend/code/codeParsers";
import { isSettingsFile } from "../frontend/settings/settingSigns";
import type { Configuration } from "./configuration";
import { compileGlobs } from "./globs";

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
  /** Schemas of ORMs in files of their own. */
  readonly schemas: readonly string[];
  /** What may say which database is used, and how. */
  readonly settings: readonly string[];
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

/** A folder so deep or so full is no source tree; the walk stops rather than hang. */
const MOST_FOLDERS = 20_000;

/**
 * What stands below `folder`; patterns are relative to `base`. Where the folder itself is one of tests, they are what was
 * asked for.
 */
export async function listFolder(
  folder: string,
  base: string,
  { include, exclude }: Configuration,
): Promise<FolderListing> {
  const included = compileGlobs(include);
  const excluded = compileGlobs(exclude);
  const files: string[] = [];
  const code: string[] = [];
  const modules: string[] = [];
  const manifests: string[] = [];
  const schemas: string[] = [];
  const settings: string[] = [];
  const open: Folder[] = [{ path: folder, isForeign: false, isTest: false }];
  for (let visited = 0; visited < MOST_FOLDERS; visited += 1) {
    const current = open.pop();
    if (current === undefined) break;
    for (const entry of await entriesOf(current.path)) {
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
      if (name.endsWith(".prisma")) schemas.push(absolute);
      if (isSettingsFile(name) && !current.isForeign && !current.isTest) settings.push(absolute);
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
  const inOrder = (list: string[]): readonly string[] => list.sort(comparePaths);
  return {
    files: inOrder(files),
    code: inOrder(code),
    modules: inOrder(modules),
    manifests: inOrder(manifests),
    schemas: inOrder(schemas),
    settings: inOrder(settings),
  };
}

/** What stands below several folders. */
export function mergedListing(listings: readonly FolderListing[]): FolderListing {
  const [only] = listings;
  if (only && listings.length === 1) return only;
  const all = (of: keyof FolderListing): readonly string[] =>
    [...new Set(listings.flatMap((each) => each[of]))].sort(comparePaths);
  return {
    files: all("files"),
    code: all("code"),
    modules: all("modules"),
    manifests: all("manifests"),
    schemas: all("schemas"),
    settings: all("settings"),
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

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // A folder that may not be read holds nothing that could be checked.
    return [];
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

// The code of a project: the files worth reading, and the modules that they may import, which are read on demand. Files are read in
// batches, so that a server stays responsive.
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { mayUseDatabase, notByHand } from "../frontend/code/callGraph/prefilter";
import type { SourceFile } from "../frontend/sql/readProgram";
import type { FileId } from "../protocol/source";
import type { CodeFiles } from "../frontend/code/modules/codeFiles";
import { isMapperFile } from "../frontend/code/libraries/java/mybatis/mapperFiles";
import { importersOf, importsIn } from "./importers";
import { relativePath, type FolderListing } from "./listFolder";
import { describedLibraries, isModelFile } from "./modelFile";
import { readManifests } from "./manifests";
import { openSources, type Sources } from "./sources";

export interface ProjectCode extends CodeFiles {
  /** The data from which another thread opens it again. */
  readonly source: CodeSource;
  /** Changes whenever a file does, except the project's own files. */
  readonly digest: () => string;
}

/** The location of a project's modules: plain data. */
export interface CodeSource {
  readonly listing: FolderListing;
  /** The folder that their ids are relative to. */
  readonly folder: string;
  /** Files that the project itself has read. */
  readonly own: ReadonlySet<FileId>;
  /** Folders that links may lead to if there is no repository. */
  readonly roots: readonly string[];
  /** Unsaved texts by absolute path; they replace the files on disk. */
  readonly openTexts?: ReadonlyMap<string, string>;
}

/** Larger files are data or generated. */
export const LARGEST_CODE_FILE = 2 * 1024 * 1024;

/** Cache of which files are worth reading, by size and time. */
export type CodeCache = Map<string, JudgedFile>;

export interface JudgedFile {
  readonly stamp: string;
  /** The text of a file that is worth reading by itself; otherwise it is not kept. */
  readonly text?: string;
  /** The modules that a file imports which has no word of a database itself. */
  readonly imports?: readonly string[];
  /** The reason why it is excluded although it may use a database. */
  readonly why?: string;
  /** The reason why its content is unknown. */
  readonly unread?: string;
}

export interface ChosenCode {
  readonly files: readonly SourceFile[];
  /** Excluded files that may use a database, with the reason. */
  readonly skipped: readonly { readonly file: FileId; readonly reason: string }[];
}

/** Files of code that may use a database, themselves or by what they import, from the editor or from disk. */
export async function chooseCode(
  paths: readonly string[],
  folder: string,
  {
    cache,
    openTexts,
    sources,
  }: { cache?: CodeCache; openTexts?: ReadonlyMap<string, string>; sources: Sources },
): Promise<ChosenCode> {
  const files: SourceFile[] = [];
  const skipped: { file: FileId; reason: string }[] = [];
  const direct: string[] = [];
  const others = new Map<string, readonly string[]>();
  let since = performance.now();
  for (const absolute of paths) {
    if (performance.now() - since > SLICE) {
      await nextTurn();
      since = performance.now();
    }
    const file = fileIdOf(folder, absolute);
    const open = openTexts?.get(absolute);
    const judged = open === undefined ? judge(absolute, sources, cache) : judgeText(absolute, open);
    const reason = judged.why ?? judged.unread;
    if (judged.text !== undefined) {
      files.push({ file, text: judged.text });
      direct.push(absolute);
    } else if (reason !== undefined) skipped.push({ file, reason });
    else if (judged.imports !== undefined) others.set(absolute, judged.imports);
  }
  for (const absolute of importersOf(direct, others)) {
    const file = fileIdOf(folder, absolute);
    const read = sources.readNow(absolute, LARGEST_CODE_FILE);
    if (!read.ok) skipped.push({ file, reason: read.reason });
    else if (notByHand(read.text) === undefined) files.push({ file, text: read.text });
  }
  return { files, skipped };
}

/** The modules in a folder's listing. */
export function openCode(source: CodeSource): ProjectCode {
  const { listing, folder, own, openTexts } = source;
  const sources = openSources(source);
  const readNow = (absolute: string): string | undefined => {
    const read = sources.readNow(absolute, LARGEST_CODE_FILE);
    return read.ok ? read.text : undefined;
  };
  const paths = new Map<FileId, string>();
  const idsOf = (list: readonly string[]): readonly FileId[] =>
    list.map((absolute) => {
      const id = fileIdOf(folder, absolute);
      paths.set(id, absolute);
      return id;
    });
  const files = idsOf(listing.modules);
  const [described, others] = partition(idsOf(listing.schemas), isModelFile);
  const [mapping, schemas] = partition(others, isMapperFile);
  const texts = new Map<FileId, string | undefined>();
  const text = (file: FileId): string | undefined => {
    if (texts.has(file)) return texts.get(file);
    const absolute = paths.get(file);
    const read = absolute === undefined ? undefined : readNow(absolute);
    texts.set(file, read);
    return read;
  };
  let digest: string | undefined;
  return {
    source,
    files,
    schemas,
    mappers: mapping.flatMap((file) => text(file) ?? []),
    text,
    described: describedLibraries(described.map((file) => ({ file, text: text(file) ?? "" }))),
    ...readManifests(listing.manifests, folder, readNow),
    digest: () => {
      const others = listing.modules.filter((absolute) => !own.has(fileIdOf(folder, absolute)));
      digest ??= digestOf([...others, ...listing.manifests, ...listing.schemas], openTexts);
      return digest;
    },
  };
}

function partition<Item>(
  items: readonly Item[],
  test: (item: Item) => boolean,
): readonly [yes: readonly Item[], no: readonly Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** The id of a file of code. */
export function fileIdOf(folder: string, absolute: string): FileId {
  // A path relative to the project's folder is an id.
  return relativePath(folder, absolute) as FileId;
}

/** Milliseconds after which other tasks get their turn: disks may be slow. */
const SLICE = 15;

function judge(absolute: string, sources: Sources, cache: CodeCache | undefined): JudgedFile {
  const stamp = stampOf(absolute);
  const known = cache?.get(absolute);
  if (known?.stamp === stamp) return known;
  const judged: JudgedFile = { stamp, ...judgeFile(absolute, sources) };
  if (judged.unread === undefined) cache?.set(absolute, judged);
  return judged;
}

function judgeFile(absolute: string, sources: Sources): Judgement {
  const read = sources.readNow(absolute, LARGEST_CODE_FILE);
  if (!read.ok) return read.isData === true ? { why: read.reason } : { unread: read.reason };
  const judged = judgeText(absolute, read.text);
  const why = judged.text === undefined ? undefined : notByHand(read.text);
  return why === undefined ? judged : { why };
}

type Judgement = Omit<JudgedFile, "stamp">;

function judgeText(absolute: string, text: string): Judgement {
  return mayUseDatabase(text) ? { text } : { imports: importsIn(absolute, text) };
}

function stampOf(absolute: string): string {
  const found = statSync(absolute, { throwIfNoEntry: false });
  return found ? `${String(found.size)} ${String(found.mtimeMs)}` : "";
}

function digestOf(
  paths: readonly string[],
  openTexts: ReadonlyMap<string, string> | undefined,
): string {
  const hash = createHash("sha256");
  for (const absolute of paths) {
    hash.update(`${absolute}\0${openTexts?.get(absolute) ?? stampOf(absolute)}\0`);
  }
  return hash.digest("hex");
}

/**
 * The folder for resolving modules without a configuration: the root of the repository or package, or the folder itself if nothing marks
 * one.
 */
export function codeRootOf(from: string, cwd: string, isThere: (path: string) => boolean): string {
  let found = from;
  for (let folder = from; ; folder = path.dirname(folder)) {
    if (ROOTS.some((name) => isThere(path.join(folder, name)))) return folder;
    if (PACKAGES.some((name) => isThere(path.join(folder, name)))) found = folder;
    if (folder === cwd || folder === path.dirname(folder)) return found;
  }
}

const ROOTS = [".git", "pnpm-workspace.yaml", "settings.gradle", "settings.gradle.kts"];
const PACKAGES = ["package.json", "tsconfig.json", "pom.xml", "build.gradle", "build.gradle.kts"];

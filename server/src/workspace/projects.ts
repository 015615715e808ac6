// The input of a check: files below the given paths, grouped into projects by the isolens.json that governs each file. Texts of open
// documents replace files on disk.
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Dialect } from "../program/dialect";
import type { FileId, Range } from "../protocol/source";
import { createDialectReader } from "../frontend/sql/dialectDetection/dialectsOf";
import { codeDialect } from "../frontend/code/workspace/codeDialect";
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import { detectedDialect, detectedLevel, dialectRemarks } from "../frontend/settings/detection";
import type { Detection } from "../frontend/settings/detection";
import { levelSigns, settingSigns } from "../frontend/settings/settingSigns";
import type { SourceFile } from "../frontend/sql/readProgram";
import type { PaperLevel } from "../isolation/levels";
import { readBaseline, type Baseline } from "./baseline";
import {
  CONFIGURATION_FILE,
  DEFAULT_CONFIGURATION,
  levelFilesOf,
  parseConfiguration,
  withDefaultLevel,
} from "./configuration";
import type { Configuration, ConfigurationProblem } from "./configuration";
import {
  chooseCode,
  fileIdOf,
  codeRootOf,
  openCode,
  type CodeCache,
  type ProjectCode,
} from "./codeFiles";
import {
  comparePaths,
  listFolder,
  mergedListing,
  relativePath,
  type FolderListing,
} from "./listFolder";
import { parseLevelFile } from "./levelFile";
import { fileErrorText, isRepository, workspaceOf } from "./regularFile";
import { openSources, type Sources } from "./sources";

/** Files that are checked together: one configuration, one schema, one set of transactions. */
export interface Project {
  /** Absolute; file ids are relative to it, with `/`. */
  readonly folder: string;
  /** Absolute path of its isolens.json. */
  readonly configurationFile?: string;
  readonly configuration: Configuration;
  readonly configurationProblems: readonly ConfigurationProblem[];
  /** The configuration's level files, with remarks on them. */
  readonly levelFiles?: readonly ReadLevelFile[];
  /** The configuration's baseline. */
  readonly baseline?: Baseline;
  /** Files whose transactions are checked. */
  readonly files: readonly SourceFile[];
  /** Other files of a configured project, which only provide tables. */
  readonly context: readonly SourceFile[];
  readonly skipped: readonly SkippedFile[];
  /** The modules that code may import; absent if no file is code. */
  readonly code?: ProjectCode;
}

/** A file or folder of the project that was not read: unreadable or generated. */
export interface SkippedFile {
  readonly file: FileId;
  readonly reason: string;
  readonly isFolder?: boolean;
}

/** A level file. */
export interface ReadLevelFile {
  /** Absolute path. */
  readonly path: string;
  readonly level?: PaperLevel;
  readonly problems: readonly ConfigurationProblem[];
  /** The reason why it could not be read as text. */
  readonly unreadable?: string;
}

/** A path or configuration that cannot be used; `range` is the place of an error in a text. */
export interface WorkspaceProblem {
  readonly path: string;
  readonly range?: Range;
  readonly message: string;
}

export interface LoadOptions {
  /** The absolute working directory: the base of relative paths, and of file ids without a configuration. */
  readonly cwd: string;
  /** A configuration for everything, in place of nearer ones. */
  readonly configurationFile?: string;
  /** Unsaved texts by absolute path; they replace the files on disk. */
  readonly openTexts?: ReadonlyMap<string, string>;
  /** The cache of an earlier load's code files. */
  readonly codeCache?: CodeCache;
  /** Time limit of reading in milliseconds. */
  readonly budget?: number;
  /** True to ignore the configurations' baselines: another one replaces them. */
  readonly withoutBaseline?: boolean;
}

export interface LoadResult {
  readonly projects: readonly Project[];
  /** Problems that make the request impossible as a whole. */
  readonly problems: readonly WorkspaceProblem[];
}

/**
 * The projects of files and folders. A named file always belongs; a folder contributes what the configuration's `include` and `exclude` say
 * (by default all `.sql` files, and code that may use a database). Sorted by path, so that results do not depend on the disk.
 */
export async function loadProjects(
  paths: readonly string[],
  options: LoadOptions,
): Promise<LoadResult> {
  const roots = [options.cwd, ...paths.map((given) => path.resolve(options.cwd, given))];
  const sources = openSources({ ...options, roots });
  const configurations = new ConfigurationFinder(options, sources, roots);
  const problems: WorkspaceProblem[] = [];
  const drafts = new Map<string, Draft>();
  const lists: Lists = new Map();
  for (const given of paths) {
    const absolute = path.resolve(options.cwd, given);
    const kind = await kindOf(absolute, options);
    if (kind === "file") {
      const draft = draftOf(drafts, await configurations.governing(path.dirname(absolute)));
      draft.files.add(absolute);
    } else if (kind === "folder") {
      await addFolder(absolute, configurations, drafts, lists);
    } else problems.push({ path: given, message: kind.problem });
  }
  for (const { file, message, range } of configurations.problems) {
    problems.push({ path: shown(file, options.cwd), message, ...(range && { range }) });
  }
  const projects: Project[] = [];
  const ordered = [...drafts.values()].sort((a, b) =>
    comparePaths(a.governing.folder, b.governing.folder),
  );
  for (const draft of ordered)
    projects.push(await loadProject(draft, { ...options, sources, roots }, lists));
  return { projects, problems };
}

/** Reads a level file; `workspace` is the folder that must contain it, by default its own workspace. */
export async function readLevelFile(
  absolute: string,
  sources: Sources = openSources({ roots: [] }),
  workspace?: string,
): Promise<ReadLevelFile> {
  const text = await sources.read(absolute, workspace);
  if (!text.ok) return { path: absolute, problems: [], unreadable: text.reason };
  return { path: absolute, ...parseLevelFile(text.text) };
}

interface Load extends LoadOptions {
  readonly sources: Sources;
  readonly roots: readonly string[];
}

interface Governing {
  readonly folder: string;
  readonly file?: string;
  readonly configuration: Configuration;
  readonly problems: readonly ConfigurationProblem[];
  readonly levelFiles?: readonly ReadLevelFile[];
  readonly baseline?: Baseline;
}

interface Draft {
  readonly governing: Governing;
  /** Absolute paths. */
  readonly files: Set<string>;
  /** Code in folders, of which only files that may use a database are read. */
  readonly code: Set<string>;
  /** Settings that may show which database is used. */
  readonly settings: Set<string>;
  /** Requested folders with code of the project. */
  readonly folders: Set<string>;
  /** Parts of these folders that could not be searched, by path. */
  readonly unread: Map<string, SkippedFile>;
}

/** Memo of folder listings, by folder and configuration. */
type Lists = Map<string, Promise<FolderListing>>;

function listed(lists: Lists, folder: string, governing: Governing): Promise<FolderListing> {
  const key = `${folder}\0${governing.file ?? ""}`;
  const known = lists.get(key) ?? listFolder(folder, governing.folder, governing.configuration);
  lists.set(key, known);
  return known;
}

function draftOf(drafts: Map<string, Draft>, governing: Governing): Draft {
  const known = drafts.get(governing.folder);
  if (known) return known;
  const draft = {
    governing,
    files: new Set<string>(),
    code: new Set<string>(),
    settings: new Set<string>(),
    folders: new Set<string>(),
    unread: new Map<string, SkippedFile>(),
  };
  drafts.set(governing.folder, draft);
  return draft;
}

async function loadProject(draft: Draft, options: Load, lists: Lists): Promise<Project> {
  const { governing } = draft;
  const chosen = await chooseCode([...draft.code].sort(comparePaths), governing.folder, {
    ...(options.codeCache && { cache: options.codeCache }),
    ...(options.openTexts && { openTexts: options.openTexts }),
    sources: options.sources,
  });
  const files: SourceFile[] = [];
  const skipped: SkippedFile[] = [...draft.unread.values()];
  for (const absolute of [...draft.files].sort(comparePaths)) {
    const file = fileIdOf(governing.folder, absolute);
    const result = await options.sources.read(absolute);
    if (result.ok) files.push({ file, text: result.text });
    else skipped.push({ file, reason: result.reason });
  }
  const context = governing.file === undefined ? [] : await readContext(draft, options, lists);
  const named = files.flatMap(({ file }) =>
    codeLanguageOf(file) === undefined ? [] : [path.resolve(governing.folder, file)],
  );
  files.push(
    ...chosen.files.filter(({ file }) => !named.includes(path.resolve(governing.folder, file))),
  );
  files.sort((a, b) => comparePaths(a.file, b.file));
  const isCode = named.length > 0 || chosen.files.length > 0;
  const code = isCode ? await codeOf(draft, named, files, options, lists) : undefined;
  return {
    folder: governing.folder,
    ...(governing.file !== undefined && { configurationFile: governing.file }),
    configuration: forFiles(
      governing.configuration,
      [...files, ...context],
      code,
      await readSettings(draft, options),
    ),
    configurationProblems: governing.problems,
    ...(governing.levelFiles !== undefined && { levelFiles: governing.levelFiles }),
    ...(governing.baseline !== undefined && { baseline: governing.baseline }),
    files,
    context,
    skipped: [...skipped, ...chosen.skipped].sort((a, b) => comparePaths(a.file, b.file)),
    ...(code && { code }),
  };
}

/**
 * Modules of the configuration's folder, and of requested folders outside of it. Without a configuration, those of the repository or
 * package of the requested paths: neighbours have other databases.
 */
async function codeOf(
  { governing, folders }: Draft,
  named: readonly string[],
  files: readonly SourceFile[],
  { cwd, openTexts, roots: places }: Load,
  lists: Lists,
): Promise<ProjectCode> {
  const { folder, file } = governing;
  const outside = [...folders].filter((each) => !isWithin(each, folder));
  const isInside = folders.size === 0 || outside.length < folders.size;
  const asked = [...folders, ...named.map((each) => path.dirname(each))];
  const roots =
    file === undefined
      ? [...new Set(asked.map((each) => codeRootOf(each, cwd, existsSync)))]
      : [...(isInside ? [folder] : []), ...outside];
  const own = new Set(files.map((each) => each.file));
  const listings = await Promise.all(roots.map((root) => listed(lists, root, governing)));
  const listing = mergedListing(listings);
  return openCode({ listing, folder, own, roots: places, ...(openTexts && { openTexts }) });
}

function isWithin(file: string, folder: string): boolean {
  return !/^\.\.(?:\/|$)/u.test(relativePath(folder, file));
}

/** Settings beside the code. A complete configuration needs none. */
async function readSettings(
  { governing, settings }: Draft,
  { sources }: Load,
): Promise<readonly SourceFile[]> {
  const { dialect, levelIsDefault } = governing.configuration;
  if (dialect !== undefined && !levelIsDefault) return [];
  const files: SourceFile[] = [];
  for (const absolute of [...settings].sort(comparePaths)) {
    const read = await sources.read(absolute);
    if (read.ok && read.text.length <= LARGEST_SETTINGS) {
      files.push({ file: fileIdOf(governing.folder, absolute), text: read.text });
    }
  }
  return files;
}

/** Larger settings are not written by hand. */
const LARGEST_SETTINGS = 200_000;

/**
 * The configuration completed by what the files show: the product, and the default level of transactions; otherwise the level is the
 * product's default.
 */
export function forFiles(
  configuration: Configuration,
  files: readonly SourceFile[],
  code?: ProjectCode,
  settings: readonly SourceFile[] = [],
): Configuration {
  const { dialect: configured, levelIsDefault } = configuration;
  if (configured !== undefined && !levelIsDefault) return configuration;
  const signs = settings.flatMap(settingSigns);
  const named = configured === undefined ? namedDialect(files, code) : undefined;
  const found = configured === undefined ? detectedDialect(signs, named) : undefined;
  const dialect =
    configured ?? found?.value ?? named ?? createDialectReader().usual(files.filter(isSql));
  const { level, remarks } = levelIsDefault
    ? detectedLevel([...signs, ...files.flatMap(levelSigns)], dialect)
    : { remarks: [] };
  const detected: Detection = {
    ...(found && { dialect: found }),
    ...(level && { level }),
    remarks: [...(found && named === undefined ? dialectRemarks(signs, found) : []), ...remarks],
  };
  const isSaid = found !== undefined || level !== undefined || detected.remarks.length > 0;
  const chosen =
    configured === undefined ? withDefaultLevel(configuration, dialect) : configuration;
  return {
    ...chosen,
    ...(level && { level: level.value }),
    ...(isSaid && { detected }),
  };
}

function isSql({ file }: SourceFile): boolean {
  return codeLanguageOf(file) === undefined;
}

/** The dialect that the SQL shows, else the database that the code names. */
function namedDialect(
  files: readonly SourceFile[],
  code: ProjectCode | undefined,
): Dialect | undefined {
  const named = (): Dialect | undefined => {
    const schemas = (code?.schemas ?? []).map((file) => code?.text(file) ?? "");
    return codeDialect(schemas) ?? codeDialect(files.map(({ text }) => text));
  };
  return createDialectReader().told(files.filter(isSql), named) ?? named();
}

/** The project's other files, for their tables. Unreadable ones are skipped silently. */
async function readContext(
  draft: Draft,
  options: Load,
  lists: Lists,
): Promise<readonly SourceFile[]> {
  const { folder } = draft.governing;
  const context: SourceFile[] = [];
  for (const absolute of (await listed(lists, folder, draft.governing)).files) {
    if (draft.files.has(absolute)) continue;
    const result = await options.sources.read(absolute);
    if (result.ok) context.push({ file: fileIdOf(folder, absolute), text: result.text });
  }
  return context;
}

async function addFolder(
  folder: string,
  configurations: ConfigurationFinder,
  drafts: Map<string, Draft>,
  lists: Lists,
): Promise<void> {
  const governing = await configurations.governing(folder);
  const { files, code, settings, unread } = await listed(lists, folder, governing);
  for (const { path: absolute, reason } of unread) {
    const file = fileIdOf(governing.folder, absolute);
    draftOf(drafts, governing).unread.set(absolute, { file, reason, isFolder: true });
  }
  for (const file of settings) {
    const own = await configurations.governing(path.dirname(file));
    draftOf(drafts, own).settings.add(file);
  }
  for (const file of files) {
    const own = await configurations.governing(path.dirname(file));
    draftOf(drafts, own).files.add(file);
  }
  for (const file of code) {
    const own = await configurations.governing(path.dirname(file));
    const draft = draftOf(drafts, own);
    draft.code.add(file);
    if (own.folder === governing.folder) draft.folders.add(folder);
  }
}

async function kindOf(
  absolute: string,
  options: LoadOptions,
): Promise<"file" | "folder" | { readonly problem: string }> {
  if (options.openTexts?.has(absolute)) return "file";
  try {
    return (await stat(absolute)).isDirectory() ? "folder" : "file";
  } catch (error) {
    return { problem: fileErrorText(error) };
  }
}

interface FileProblem {
  readonly file: string;
  readonly message: string;
  readonly range?: Range;
}

/** Searches configurations upwards, with a memo per folder. */
class ConfigurationFinder {
  readonly problems: FileProblem[] = [];
  private readonly known = new Map<string, Promise<Governing | undefined>>();
  private fixed: Promise<Governing> | undefined;

  constructor(
    private readonly options: LoadOptions,
    private readonly sources: Sources,
    private readonly roots: readonly string[],
  ) {}

  async governing(folder: string): Promise<Governing> {
    if (this.options.configurationFile !== undefined) {
      this.fixed ??= this.read(path.resolve(this.options.cwd, this.options.configurationFile));
      return this.fixed;
    }
    return (
      (await this.search(folder)) ?? {
        folder: this.options.cwd,
        configuration: DEFAULT_CONFIGURATION,
        problems: [],
      }
    );
  }

  private search(folder: string): Promise<Governing | undefined> {
    const known = this.known.get(folder);
    if (known) return known;
    const search = this.searchFrom(folder);
    this.known.set(folder, search);
    return search;
  }

  private async searchFrom(folder: string): Promise<Governing | undefined> {
    const file = path.join(folder, CONFIGURATION_FILE);
    if ((await kindOf(file, this.options)) === "file") return this.read(file);
    const parent = path.dirname(folder);
    // Files above a repository do not belong to it.
    if (isRepository(folder)) return undefined;
    return parent === folder ? undefined : this.search(parent);
  }

  private async read(file: string): Promise<Governing> {
    const text = await this.sources.read(file);
    const folder = path.dirname(file);
    if (!text.ok) {
      this.problems.push({ file, message: text.reason });
      return { folder, file, configuration: DEFAULT_CONFIGURATION, problems: [] };
    }
    const levels = await this.readLevels(folder, text.text);
    const { configuration, problems: own } = parseConfiguration(text.text, levels.defined);
    const { baseline, problems: wrong } = await this.readBaseline(folder, configuration);
    const problems = [...levels.problems, ...own, ...wrong];
    this.report(file, problems);
    for (const each of levels.files) this.report(each.path, each.problems);
    const levelFiles = levels.files;
    return { folder, file, configuration, problems, levelFiles, ...(baseline && { baseline }) };
  }

  /** The configuration's baseline; a damaged one is not used in part. */
  private async readBaseline(
    folder: string,
    configuration: Configuration,
  ): Promise<{
    readonly baseline?: Baseline;
    readonly problems: readonly ConfigurationProblem[];
  }> {
    const named = configuration.baseline;
    if (named === undefined || this.options.withoutBaseline) return { problems: [] };
    const workspace = this.workspaceOf(folder);
    const file = path.resolve(folder, named.path);
    const read = await readBaseline(file, this.sources, workspace);
    if (!("message" in read)) return { baseline: read, problems: [] };
    const place = read.range ? `${placeText(named.path, read.range)}: ` : `${named.path}: `;
    const message = place + read.message;
    return { problems: [{ severity: "error", message, range: named.range }] };
  }

  /** The folder that a configuration's files must be in: its whole repository. Undefined if it is only an open document. */
  private workspaceOf(folder: string): string | undefined {
    try {
      return workspaceOf(path.join(folder, CONFIGURATION_FILE), this.roots);
    } catch {
      return undefined;
    }
  }

  private report(file: string, problems: readonly ConfigurationProblem[]): void {
    for (const { severity, message, range } of problems) {
      if (severity === "error") this.problems.push({ file, message, range });
    }
  }

  /** The levels in a configuration's level files, and problems with naming them. */
  private async readLevels(folder: string, text: string) {
    const files: ReadLevelFile[] = [];
    const defined: PaperLevel[] = [];
    const problems: ConfigurationProblem[] = [];
    const workspace = this.workspaceOf(folder);
    for (const named of levelFilesOf(text)) {
      const { range } = named;
      const file = await readLevelFile(path.resolve(folder, named.path), this.sources, workspace);
      const refuse = (message: string): void => {
        problems.push({ severity: "error", message, range });
      };
      if (file.unreadable !== undefined) refuse(`${named.path}: ${file.unreadable}`);
      if (files.some((each) => each.path === file.path)) refuse(`${named.path} is named twice`);
      else if (defined.some((each) => each.name === file.level?.name)) {
        refuse(`another file defines a level "${file.level?.name ?? ""}" already`);
      } else if (file.level) defined.push(file.level);
      files.push(file);
    }
    return { files, defined, problems };
  }
}

/** "baseline.json:3:1", counted from 1. */
function placeText(file: string, { start }: Range): string {
  return `${file}:${String(start.line + 1)}:${String(start.character + 1)}`;
}

function shown(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith("..") ? file : relative.split(path.sep).join("/");
}

// The server's whole state. Handlers read it; only checks.ts and server.ts change it.
import path from "node:path";
import type { Connection, TextDocuments } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import {
  defaultLevel,
  findLevel,
  sameProduct,
  type Level,
  type PaperLevel,
} from "../isolation/levels";
import type {
  CheckSummary,
  Progress,
  InitializationOptions,
  LevelName,
  Settings,
} from "../protocol/requests";
import type { Allocation } from "../protocol/allocation";
import type { FileId } from "../protocol/source";
import { unknownLevelText } from "../workspace/configuration";
import type { Project } from "../workspace/projects";
import type { Checker } from "./checker";
import { featuresOf, type ClientFeatures } from "./clientFeatures";
import { createCheckQueue, type CheckQueue } from "./checkQueue";
import { DEFAULT_SETTINGS } from "./fromLsp";
import type { ProjectResult } from "./results";
import { isVirtual, pathOfUri, uriOfFile } from "./uris";

export interface ServerState {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly queue: CheckQueue;
  checker: Checker | undefined;
  options: InitializationOptions;
  capabilities: ClientFeatures;
  settings: Settings;
  /** Settings of the folders of a multi-root workspace, by absolute path. */
  folderSettings: ReadonlyMap<string, Settings>;
  /** Absolute paths of the workspace's folders. */
  folders: readonly string[];
  /** By folder. */
  projects: ReadonlyMap<string, Project>;
  readonly results: Map<string, ProjectResult>;
  /** Progress of running checks by project. */
  readonly running: Map<string, Progress>;
  /** Summaries of completed checks of the current text, by project and level. */
  readonly known: Map<string, CheckSummary>;
  /** Allocations that were decided for the current text, by the same keys. */
  readonly allocations: Map<string, Allocation>;
  /** The level chosen by a command, which replaces the configured one in projects that know it. */
  chosen: string | undefined;
  /** True if a command requested proofs. */
  proves: boolean;
  /** The reason why the server currently cannot check; empty if it can. */
  trouble: string;
  milliseconds: number | undefined;
  revision: number;
  /** `running` between the client's `initialized` and `shutdown`: checks and reports only happen then. */
  phase: "starting" | "running" | "ended";
}

/** The client's relevant abilities. */
export function createServerState(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
): ServerState {
  return {
    connection,
    documents,
    queue: createCheckQueue(),
    checker: undefined,
    options: {},
    capabilities: featuresOf({}),
    settings: DEFAULT_SETTINGS,
    folderSettings: new Map(),
    folders: [],
    projects: new Map(),
    results: new Map(),
    running: new Map(),
    known: new Map(),
    allocations: new Map(),
    chosen: undefined,
    proves: false,
    trouble: "",
    milliseconds: undefined,
    revision: 0,
    phase: "starting",
  };
}

/** The level of a project: chosen by command, from its isolens.json, or from the settings. */
export function levelOf(state: ServerState, project: Project | undefined): Level {
  const chosen =
    state.chosen === undefined ? undefined : findLevel(state.chosen, definedIn(project));
  return chosen ?? configuredLevel(state, project);
}

/** The level without a command's choice. */
export function configuredLevel(state: ServerState, project: Project | undefined): Level {
  if (project?.configurationFile !== undefined) return project.configuration.level;
  const { level } = settingsOf(state, project);
  // If the setting is at its default, the level detected in the workspace comes first.
  const detected = level === DEFAULT_SETTINGS.level && project?.configuration.detected?.level;
  if (detected) return detected.value;
  const set = findLevel(level, definedIn(project));
  const own = project?.configuration.level ?? defaultLevel("postgres");
  // The setting's default is a PostgreSQL level, which other dialects do not have.
  const isOthers =
    set?.family === "product" && set.product === "postgres" && !sameProduct(set, own);
  return set === undefined || isOthers ? own : set;
}

/** The reason why the configured level cannot be used; empty if it can, or if an isolens.json sets the level. */
export function settingProblem(state: ServerState, project: Project | undefined): string {
  const { level } = settingsOf(state, project);
  if (level.trim() === "" || project?.configurationFile !== undefined) return "";
  const defined = definedIn(project);
  if (findLevel(level, defined) !== undefined) return "";
  const own = configuredLevel(state, project).label;
  return `The setting isolens.level: ${unknownLevelText(level, defined)} Checks run at ${own}.`;
}

/** The project with the settings applied where no isolens.json governs. */
export function withSettings(state: ServerState, project: Project): Project {
  const { configuration } = project;
  const own = project.configurationFile !== undefined;
  const settings = own ? configuration : settingsOf(state, project);
  const { unroll, prove, maxTransactions, budget } = settings;
  return {
    ...project,
    configuration: {
      ...configuration,
      ...{ unroll, maxTransactions, budget, prove: prove || state.proves },
    },
  };
}

/** The settings of a project: those of the innermost workspace folder that contains it. */
export function settingsOf(state: ServerState, project: Project | undefined): Settings {
  if (!project) return state.settings;
  const [inner] = [...state.folderSettings]
    .filter(([folder]) => !path.relative(folder, project.folder).startsWith(".."))
    .sort(([a], [b]) => b.length - a.length);
  return inner?.[1] ?? state.settings;
}

/** The levels defined by a project's files. */
export function definedIn(project: Project | undefined): readonly PaperLevel[] {
  return project?.configuration.defined ?? [];
}

export function levelName(level: Level): LevelName {
  return { name: level.name, label: level.label };
}

/** Forgets what is known of the text as it was. */
export function forgetKnown({ known, allocations }: ServerState): void {
  known.clear();
  allocations.clear();
}

export function knownKey(project: Project, level: Level): string {
  return `${level.name} ${project.folder} ${project.files[0]?.file ?? ""}`;
}

/** The identity of a project: its folder, or the document of a virtual one. */
export function projectKey(project: Project): string {
  return isVirtual(project) ? (project.files[0]?.file ?? "") : project.folder;
}

/** The project of a document, and the document's name in it. */
export function findFile(
  state: ServerState,
  uri: string,
): { readonly project: Project; readonly file: FileId } | undefined {
  const wanted = pathOfUri(uri) ?? uri;
  for (const project of state.projects.values()) {
    for (const { file } of [...project.files, ...project.context]) {
      // Normalising a path is slow, and typing looks one up among all files.
      if (!mayEndWith(wanted, file)) continue;
      const own = isVirtual(project) ? file : pathOfUri(uriOfFile(project, file));
      if (own === wanted) return { project, file };
    }
  }
  return undefined;
}

/** A quick necessary test by file name, if every spelling of it is the same. */
function mayEndWith(path: string, file: string): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return !/^[\w.-]+$/u.test(name) || path.toLowerCase().endsWith(name.toLowerCase());
}

/** The command that shows anomalies by id: editors without our client let the server explain. */
export function showCommand({ options }: ServerState): string {
  return options.showAnomaly ? "isolens.showAnomaly" : "isolens.explain";
}

/** The URI of a project's file, spelled as by the client if the document is open. */
export function clientUri(state: ServerState, project: Project, file: string): string {
  const uri = uriOfFile(project, file);
  if (state.documents.get(uri)) return uri;
  const wanted = pathOfUri(uri);
  const open = state.documents.all().find((document) => pathOfUri(document.uri) === wanted);
  return wanted !== undefined && open ? open.uri : uri;
}

// Everything that the server remembers. Handlers read it; only checks.ts and server.ts change it.
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
  /** Settings of the folders of a workspace with several of them, by their absolute paths. */
  folderSettings: ReadonlyMap<string, Settings>;
  /** Absolute paths of the workspace's folders. */
  folders: readonly string[];
  /** By folder. */
  projects: ReadonlyMap<string, Project>;
  readonly results: Map<string, ProjectResult>;
  /** Progress of running checks by project. */
  readonly running: Map<string, Progress>;
  /** Summaries of ended checks of the present text, by project and level. */
  readonly known: Map<string, CheckSummary>;
  /** The name of the level that a command asked for; it replaces what is configured, where a project knows it. */
  chosen: string | undefined;
  /** A command asked for proofs. */
  proves: boolean;
  /** The reason why the server cannot check at the moment; empty when it can. */
  trouble: string;
  milliseconds: number | undefined;
  revision: number;
  /** `running` between the client's `initialized` and `shutdown`: only then anything is checked or told. */
  phase: "starting" | "running" | "ended";
}

/** Abilities of the client, as far as the server cares. */
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
    chosen: undefined,
    proves: false,
    trouble: "",
    milliseconds: undefined,
    revision: 0,
    phase: "starting",
  };
}

/** The level at which a project is checked: chosen by command, from its isolens.json, from the settings. */
export function levelOf(state: ServerState, project: Project | undefined): Level {
  const chosen =
    state.chosen === undefined ? undefined : findLevel(state.chosen, definedIn(project));
  return chosen ?? configuredLevel(state, project);
}

/** The level without a command's choice. */
export function configuredLevel(state: ServerState, project: Project | undefined): Level {
  if (project?.configurationFile !== undefined) return project.configuration.level;
  const { level } = settingsOf(state, project);
  // Where nobody changed the setting, what the workspace's settings say of their database comes first.
  const detected = level === DEFAULT_SETTINGS.level && project?.configuration.detected?.level;
  if (detected) return detected.value;
  const set = findLevel(level, definedIn(project));
  const own = project?.configuration.level ?? defaultLevel("postgres");
  // The setting's default is a level of PostgreSQL, which files of another dialect do not have.
  const isOthers =
    set?.family === "product" && set.product === "postgres" && !sameProduct(set, own);
  return set === undefined || isOthers ? own : set;
}

/** The reason why the level of the settings cannot be used; empty when it can, or when an isolens.json says the level. */
export function settingProblem(state: ServerState, project: Project | undefined): string {
  const { level } = settingsOf(state, project);
  if (level.trim() === "" || project?.configurationFile !== undefined) return "";
  const defined = definedIn(project);
  if (findLevel(level, defined) !== undefined) return "";
  const own = configuredLevel(state, project).label;
  return `The setting isolens.level: ${unknownLevelText(level, defined)} Checks run at ${own}.`;
}

/** The project with what the settings say where no isolens.json governs. */
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

/** The settings of a project: those of the innermost folder of the workspace that holds it. */
export function settingsOf(state: ServerState, project: Project | undefined): Settings {
  if (!project) return state.settings;
  const [inner] = [...state.folderSettings]
    .filter(([folder]) => !path.relative(folder, project.folder).startsWith(".."))
    .sort(([a], [b]) => b.length - a.length);
  return inner?.[1] ?? state.settings;
}

/** The levels that a project's files define. */
export function definedIn(project: Project | undefined): readonly PaperLevel[] {
  return project?.configuration.defined ?? [];
}

export function levelName(level: Level): LevelName {
  return { name: level.name, label: level.label };
}

export function knownKey(project: Project, level: Level): string {
  return `${level.name} ${project.folder} ${project.files[0]?.file ?? ""}`;
}

/** Identifies a project: its folder, or the document of a virtual one. */
export function projectKey(project: Project): string {
  return isVirtual(project) ? (project.files[0]?.file ?? "") : project.folder;
}

/** The project that a document belongs to, and the document's name there. */
export function findFile(
  state: ServerState,
  uri: string,
): { readonly project: Project; readonly file: FileId } | undefined {
  const wanted = pathOfUri(uri) ?? uri;
  for (const project of state.projects.values()) {
    for (const { file } of [...project.files, ...project.context]) {
      // Spelling a path out takes long, and typing asks for one among all files.
      if (!mayEndWith(wanted, file)) continue;
      const own = isVirtual(project) ? file : pathOfUri(uriOfFile(project, file));
      if (own === wanted) return { project, file };
    }
  }
  return undefined;
}

/** True if a path may be that of a file, told by the file's own name where every spelling of it is the same. */
function mayEndWith(path: string, file: string): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return !/^[\w.-]+$/u.test(name) || path.toLowerCase().endsWith(name.toLowerCase());
}

/** The command that shows anomalies by their ids: editors without a client of their own let the server explain. */
export function showCommand({ options }: ServerState): string {
  return options.showAnomaly ? "isolens.showAnomaly" : "isolens.explain";
}

/** The URI of a project's file, spelled as the client spelled it when it has the document open. */
export function clientUri(state: ServerState, project: Project, file: string): string {
  const uri = uriOfFile(project, file);
  if (state.documents.get(uri)) return uri;
  const wanted = pathOfUri(uri);
  const open = state.documents.all().find((document) => pathOfUri(document.uri) === wanted);
  return wanted !== undefined && open ? open.uri : uri;
}

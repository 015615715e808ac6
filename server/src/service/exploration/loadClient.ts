// Loads a client program: its file, and the workspace's transactions that it calls.
import path from "node:path";
import { loadCodeParsers } from "../../engine/treeSitter";
import { codeLanguageOf } from "../../frontend/code/workspace/codeParsers";
import type { SqlParsers } from "../../frontend/sql/parsers";
import { assertionFiles, bindAssertions, withoutAssertions } from "../../clients/assertions";
import type { Assertion } from "../../clients/assertions";
import { bindClient, explorable } from "../../clients/bindClient";
import type { ClientProblem } from "../../clients/clientProgram";
import type { ExplorableClient } from "../../clients/explorableClient";
import { readCodeClient } from "../../clients/code/codeClient";
import { readJsonClient } from "../../clients/readJsonClient";
import type { AccessRules } from "../../clients/statementView";
import type { Program } from "../../program/program";
import type { Range } from "../../protocol/source";
import { exploredName } from "../../clients/tellViolation";
import type { Level } from "../../isolation/levels";
import { loadProjects } from "../../workspace/projects";
import { readTextFile } from "../../workspace/textFile";
import { createProjectReader } from "../readProject";
import { isCodeClient } from "./folders";

export interface LoadedClient {
  readonly open: (rules: AccessRules) => ExplorableClient;
  readonly assertions: readonly Assertion[];
  /** The level that the file declares. */
  readonly level?: { readonly name: string; readonly range: Range };
  /** The workspace's level, if clients can be explored at it. */
  readonly usualLevel: string;
  /** Primary keys of its tables; rows are named by them. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** The transactions that it calls; empty for a client with its own code. */
  readonly program: Program;
  /** Absolute folder that the program's files are relative to. */
  readonly folder: string;
}

/** A problem in a client program or in what it names; its range is in the client's file. */
export interface LoadProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly range?: Range;
}

export interface LoadClientResult {
  /** Absent if an error prevents running it. */
  readonly client?: LoadedClient;
  readonly problems: readonly LoadProblem[];
}

export interface LoadClientOptions {
  /** Unsaved texts by absolute path; they replace the files on disk. */
  readonly openTexts?: ReadonlyMap<string, string>;
}

/** Loads a client by absolute path. Never rejects for bad input. */
export async function loadClient(
  file: string,
  parsers: SqlParsers,
  { openTexts }: LoadClientOptions = {},
): Promise<LoadClientResult> {
  const open = openTexts?.get(file);
  const loadedText =
    open === undefined ? await readTextFile(file) : { ok: true as const, text: open };
  if (!loadedText.ok) return { problems: [{ severity: "error", message: loadedText.reason }] };
  if (isCodeClient(file))
    return loadCodeClient(file, loadedText.text, parsers, openTexts ?? new Map<string, string>());
  const read = readJsonClient(loadedText.text);
  if (read.client === undefined) return { problems: read.problems };
  const { client } = read;
  const folder = path.dirname(file);
  const sources = client.sources.length === 0 ? ["."] : client.sources;
  const loaded = await loadProjects(sources, { cwd: folder, ...(openTexts && { openTexts }) });
  const problems: LoadProblem[] = [...read.problems];
  for (const problem of loaded.problems)
    problems.push({ severity: "error", message: `${problem.path}: ${problem.message}` });
  const [project, ...others] = loaded.projects;
  if (others.length > 0)
    problems.push({
      severity: "error",
      message: `"program" names files of several projects (${loaded.projects.map((each) => each.folder).join(", ")}): name files of one`,
    });
  if (project === undefined || problems.some(({ severity }) => severity === "error"))
    return { problems };
  const hasCode = project.files.some(({ file }) => codeLanguageOf(file) !== undefined);
  const reader = createProjectReader(parsers, hasCode ? await loadCodeParsers() : undefined);
  const program = reader.read(project);
  const { bound, problems: wrong } = bindClient(client, program);
  problems.push(...wrong);
  const queries = assertionFiles(client.assertions);
  const asking =
    queries.length === 0
      ? program
      : reader.read({ ...project, files: [...project.files, ...queries] });
  const assertions = bindAssertions(
    client.assertions,
    asking,
    program.schema.tables.map(({ name }) => name),
    client.sessions.map(({ length }) => length),
  );
  problems.push(...assertions.problems, ...noAssertions(client.assertions.length));
  if (bound === undefined || problems.some(({ severity }) => severity === "error"))
    return { problems };
  return {
    client: {
      open: (rules) => explorable(bound, rules),
      assertions: assertions.assertions,
      usualLevel: usualLevel(project.configuration.level),
      program: withoutAssertions(program),
      folder: project.folder,
      keys: Object.fromEntries(
        program.schema.tables.map(({ name, primaryKey }) => [name, primaryKey]),
      ),
      ...(client.level && { level: client.level }),
    },
    problems,
  };
}

const CODE_FILE = /\.[mc]?[jt]s$/iu;

/** A client with its own code runs at causal consistency unless it declares a level. */
function loadCodeClient(
  file: string,
  text: string,
  parsers: SqlParsers,
  openTexts: ReadonlyMap<string, string>,
): LoadClientResult {
  if (!CODE_FILE.test(file)) {
    const message = "a client program is a .json, .js, .mjs, .cjs, .ts, .mts or .cts file";
    return { problems: [{ severity: "error", message }] };
  }
  const { client, problems } = readCodeClient(file, text, parsers, openTexts);
  if (client === undefined) return { problems };
  return {
    client: {
      open: client.open,
      assertions: client.assertions,
      usualLevel: "causal",
      program: { schema: { tables: [] }, transactions: [], notes: [], files: [] },
      folder: path.dirname(file),
      keys: client.keys,
      ...(client.level && { level: client.level }),
    },
    problems,
  };
}

/** The workspace's level if clients can be explored at it, else causal: the guarantee of most distributed databases. */
function usualLevel(level: Level): string {
  return exploredName(level) ?? "causal";
}

function noAssertions(count: number): readonly ClientProblem[] {
  if (count > 0) return [];
  const range: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const message = 'nothing is asserted, so nothing can be broken: "assert" says what shall hold';
  return [{ severity: "warning", message, range }];
}

// The common steps of checking commands: find the projects, open a session, check each project at each level.
import path from "node:path";
import { findLevel, type Level } from "../isolation/levels";
import { openSession } from "../service/session";
import type { CacheOptions, CheckRequest, Session, SessionOptions } from "../service/session";
import { openReports } from "../service/cache/reports";
import type { CheckSummary } from "../service/cache/reports";
import { unknownLevelText } from "../workspace/configuration";
import { loadProjects, readLevelFile } from "../workspace/projects";
import type { Project } from "../workspace/projects";
import { EXIT } from "./exit";
import type { FixArguments } from "./fixArguments";
import { openFindings } from "./findings";
import { problemText, shortPath } from "./problemText";
import type { CliIo } from "./io";
import type { ReplayArguments } from "./replayArguments";
import type { TestgenArguments } from "./testgenArguments";
import { TOOL } from "./version";
import type { AskedLevel, CheckArguments, ShowArguments } from "./commonArguments";

export interface ProjectCheck {
  readonly project: Project;
  readonly level: Level;
  /** The file that defines the requested level. */
  readonly levelFile?: string;
  readonly check: CheckSummary;
}

/** The function that opens sessions; tests replace the solver. */
export type OpenSession = typeof openSession;

/** The environment of checking commands. */
export interface CheckSurroundings {
  readonly signal: AbortSignal;
  readonly openSession?: OpenSession;
  /** The cache options; no caching if absent. */
  readonly cache?: CacheOptions;
}

/**
 * Checks everything requested, in order; `each` receives every result as it arrives. Returns an exit code instead if the request is
 * impossible, after printing why.
 */
export async function runChecks(
  args: CheckArguments | ShowArguments | FixArguments | ReplayArguments | TestgenArguments,
  io: CliIo,
  { signal, openSession: open = openSession, cache: everyone }: CheckSurroundings,
  each: (done: ProjectCheck) => void,
): Promise<number | undefined> {
  const findings = await openFindings(args, io);
  if (findings === undefined) return EXIT.usage;
  const { projects, problems } = await loadProjects(args.paths, {
    cwd: io.cwd,
    withoutBaseline: findings.replacesBaselines,
    ...(args.budget !== undefined && { budget: Math.max(args.budget, LEAST_READING) }),
    ...(args.configurationFile !== undefined && { configurationFile: args.configurationFile }),
  });
  for (const problem of problems) io.error(`isolens: ${problemText(problem)}\n`);
  if (problems.length > 0) return EXIT.usage;
  const files = projects.flatMap((project) => [...project.files, ...project.skipped]);
  if (files.length === 0) {
    const asked = args.paths.join(", ");
    io.error(
      `isolens: no SQL files and no code that uses a database in ${asked}; name a file, or set "include" in isolens.json\n`,
    );
    return EXIT.usage;
  }
  const planned: PlannedCheck[] = [];
  for (const project of projects) {
    const asked = await askedOf(project, args.levels, io.cwd);
    for (const problem of asked.problems) io.error(`isolens: ${problem}\n`);
    if (asked.problems.length > 0) return EXIT.usage;
    planned.push(asked);
  }
  const cache = args.cache === false ? undefined : everyone;
  const options: SessionOptions = {
    tool: TOOL,
    ...(cache && { cache }),
    ...(args.nodePath !== undefined && { nodePath: path.resolve(io.cwd, args.nodePath) }),
  };
  const reports = cache && openReports(cache);
  let session: Session | undefined;
  // A run with only cached answers needs neither parser nor solver.
  const checked = async (request: CheckRequest, level: Level): Promise<CheckSummary> => {
    const known = reports?.find(request);
    if (known) return known;
    session ??= await open(options);
    let races = 0;
    const check = await session.checkWorkspace(request, signal, {
      reading: (done, total) => {
        const [read, all] = [done.toLocaleString("en"), total.toLocaleString("en")];
        io.status?.(`Reading ${read} of ${all} files`);
      },
      progress: (done, total, size) => {
        const [asked, all] = [done.toLocaleString("en"), total.toLocaleString("en")];
        const found = races === 0 ? "" : `, ${String(races)} found so far`;
        io.status?.(
          `${level.name}: ${asked} of ${all} groups of ${String(size)}${found}; Ctrl-C prints what is known`,
        );
      },
      found: () => {
        races += 1;
      },
    });
    io.status?.("");
    reports?.keep(request, check);
    return check;
  };
  try {
    for (const { project, levels } of planned) {
      remarkOnConfiguration(project, io);
      let remarked = false;
      for (const { level, file } of levels) {
        const request: CheckRequest = {
          project,
          level,
          ...(args.maxTransactions !== undefined && { maxTransactions: args.maxTransactions }),
          ...(args.unroll !== undefined && { unroll: args.unroll }),
          ...(args.prove === true && { prove: true }),
          ...(args.budget !== undefined && { budget: args.budget }),
          isPatient: true,
        };
        const check = await checked(request, level);
        if (!remarked) for (const remark of check.remarks) io.error(`isolens: ${remark}\n`);
        remarked = true;
        const told = findings.judge(project, level, check);
        each({ project, level, ...(file !== undefined && { levelFile: file }), check: told });
      }
    }
  } finally {
    await session?.dispose();
  }
  for (const note of [...(reports?.takeNotes() ?? []), ...findings.remarks()]) {
    io.error(`isolens: ${note}\n`);
  }
  return undefined;
}

/** The minimal time for reading files in milliseconds, however short the search budget is. */
const LEAST_READING = 1000;

/** A project with the levels to check. */
interface PlannedCheck {
  readonly project: Project;
  readonly levels: readonly { readonly level: Level; readonly file?: string }[];
  /** Sentences; any of them prevents the check. */
  readonly problems: readonly string[];
}

/** The requested levels in a project; files that define levels become part of it. */
async function askedOf(
  project: Project,
  asked: readonly AskedLevel[],
  cwd: string,
): Promise<PlannedCheck> {
  const { configuration } = project;
  if (asked.length === 0)
    return { project, levels: [{ level: configuration.level }], problems: [] };
  const problems: string[] = [];
  const levels: { level: Level; file?: string }[] = [];
  let { defined } = configuration;
  let { levelFiles = [] } = project;
  for (const { name, level: known } of asked) {
    const level = known ?? findLevel(name, defined);
    if (level !== undefined) levels.push({ level });
    else if (/[\\/]|\.json$/u.test(name)) {
      const file = await readLevelFile(path.resolve(cwd, name));
      if (file.unreadable !== undefined) problems.push(`${name}: ${file.unreadable}`);
      for (const { severity, ...problem } of file.problems)
        if (severity === "error") problems.push(problemText({ path: name, ...problem }));
      const own = file.level;
      if (own === undefined) continue;
      defined = [...defined.filter((each) => each.name !== own.name), own];
      levelFiles = [...levelFiles.filter((each) => each.path !== file.path), file];
      levels.push({ level: own, file: name });
    } else problems.push(unknownLevelText(name, defined));
  }
  const extended = { ...project, levelFiles, configuration: { ...configuration, defined } };
  return { project: extended, levels, problems };
}

function remarkOnConfiguration(project: Project, io: CliIo): void {
  const own = { path: project.configurationFile ?? "", problems: project.configurationProblems };
  for (const { path: file, problems } of [own, ...(project.levelFiles ?? [])]) {
    for (const { message, range } of problems) {
      io.error(`isolens: ${problemText({ path: shortPath(file, io.cwd), range, message })}\n`);
    }
  }
}

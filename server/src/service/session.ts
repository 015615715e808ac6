// A session: parser, solver pool and caches, kept over many checks and shared by the LSP server and the CLI.
import os from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SqlParsers } from "../frontend/sql/parsers";
import { loadPgParser } from "../engine/pgParser";
import { loadCodeParsers } from "../engine/treeSitter";
import { codeLanguageOf, type CodeParsers } from "../frontend/code/workspace/codeParsers";
import type { ReadingStep } from "../frontend/code/queries/slices";
import { openPool } from "../engine/pool";
import type { SolvePool } from "../engine/pool";
import { comparableLevels, type Level } from "../isolation/levels";
import type { Levels } from "../isolation/mixedLevels";
import type { Program, Transaction } from "../program/program";
import type { Allocation } from "../protocol/allocation";
import type { Fix, FixKind, FixReport } from "../protocol/fixes";
import type { Anomaly, LevelReport } from "../protocol/report";
import { reasonOf } from "../protocol/fault";
import type { FileId } from "../protocol/source";
import type { Project, SkippedFile } from "../workspace/projects";
import { DEFAULT_CONFIGURATION } from "../workspace/configuration";
import { allocate } from "./allocate";
import { check } from "./check";
import type { CheckEvents } from "./check";
import { fileReadings } from "./verdict/coverage";
import { earlyCheck, withEarly, type EarlyEnd } from "./search/earlyCheck";
import { effectiveLevels } from "./verdict/effectiveLevels";
import { findFixes } from "./fixes";
import { ownTime } from "./search/processTime";
import { FIRST_SCREEN, timeLimit } from "./timeLimit";
import { configurationRemarks, createProjectReader, dialectRemarks } from "./readProject";
import { openPackedFiles } from "./cache/files";
import type { CacheBounds } from "./cache/files";
import type { ProjectReader, ProjectTexts } from "./readProject";
import { openReadings } from "./cache/readings";
import { placeSuppressions } from "./findings/suppressions";
import { openSolveCache } from "./search/tupleSolver";
import type { WorkspaceCheck } from "./workspaceCheck";

/** Options of the check of a part of a program. */
interface PartOptions {
  readonly isFirstEnough?: boolean;
  /** The refusals of the server are told as well. */
  readonly isContended?: boolean;
}

export interface SessionOptions {
  /** "isolens 0.1.0", for the reports. */
  readonly tool: string;
  /** Absolute path of the solver worker's script; `worker.js` beside the running bundle by default. */
  readonly workerScript?: string;
  /** Another Node executable, for hosts whose runtime cannot run the solver. */
  readonly nodePath?: string;
  /** Maximum number of solver workers; by default two if there are more than two cores. */
  readonly workers?: number;
  /** Replaces the worker threads in tests. */
  readonly pool?: SolvePool;
  /** Enables the disk cache; nothing is written without it. */
  readonly cache?: CacheOptions;
}

export interface CacheOptions {
  /** Absolute path; the folder is created on demand. */
  readonly folder: string;
  /** Identity of the build: results of other builds are ignored. */
  readonly build: string;
}

export interface CheckRequest {
  readonly project: ProjectTexts & Partial<Pick<Project, "skipped">>;
  /** Replaces the configuration's level. */
  readonly level?: Level;
  readonly maxTransactions?: number;
  /** Loop unrolling bound. */
  readonly unroll?: number;
  /** True to ask for a proof for any number of transactions. */
  readonly prove?: boolean;
  /** False to skip comparing the anomalies at other levels, and the refusals. */
  readonly isCompared?: boolean;
  /** Time budget in milliseconds of the search, and of the reading before it. */
  readonly budget?: number;
  /** True for a search that continues while it finds alarming anomalies, if neither this nor the configuration has a budget. */
  readonly isPatient?: boolean;
  /** Polled while reading; true ends it sooner than an abort, which is noticed only after a slice. */
  readonly isStopped?: () => boolean;
  /** Open files in the editor, most recent first: their findings are reported while a long first reading is still running. */
  readonly first?: readonly FileId[];
}

/** The anomaly to fix, and how. */
export interface FixRequest extends CheckRequest {
  readonly anomaly: Anomaly;
  /** All kinds by default. */
  readonly kinds?: readonly FixKind[];
  /** True to stop at the first verified fix. */
  readonly isOneEnough?: boolean;
}

/** Progress events of reading and checking a project. */
export interface SessionEvents extends CheckEvents {
  /** Files of code: read, and in total. */
  reading?(done: number, total: number): void;
  /** The whole program was read. Before that it may report a part, whose findings may precede the rest. */
  read?(program: Program): void;
}

export interface Session {
  /**
   * Reads and checks one project at one level. Only tuples with a changed transaction are solved again. Reading yields to other requests.
   * Resolves soon after an abort, with the verdict `cancelled` and what was read so far.
   */
  checkWorkspace(
    request: CheckRequest,
    signal: AbortSignal,
    events?: SessionEvents,
  ): Promise<WorkspaceCheck>;
  /** Verified fixes of an anomaly of an earlier check of the same project and level. Resolves soon after an abort with those so far. */
  fixes(request: FixRequest, signal: AbortSignal, found?: (fix: Fix) => void): Promise<FixReport>;
  /** The weakest level per transaction at which the project is serializable, among the levels of the requested level's product. */
  allocation(request: CheckRequest, signal: AbortSignal): Promise<Allocation>;
  /** Starts the solver, so that the first check need not wait for it. */
  warm(): void;
  /** Ends the solver; the process can exit afterwards. */
  dispose(): Promise<void>;
}

/** Disk limits per user. */
const KEPT: CacheBounds = { bytes: 32_000_000, files: 48 };

/** The number of cached problems, of some hundred bytes to some kilobytes each. */
const REMEMBERED = 5000;

/**
 * Opens a session and starts loading the solver. Never rejects: the first check reports a missing solver, and every check's remarks a
 * missing parser of PostgreSQL's grammar.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const workers = options.workers ?? (os.availableParallelism() > 2 ? 2 : 1);
  const pool =
    options.pool ??
    openPool({
      script: options.workerScript ?? path.join(__dirname, "worker.js"),
      workers,
      ...(options.nodePath !== undefined && { nodePath: options.nodePath }),
    });
  pool.warm();
  const { parsers, code, missing } = await loadParsers();
  const kept = options.cache && openPackedFiles(options.cache.folder, "tuples", KEPT);
  const cache = openSolveCache(REMEMBERED, kept, options.cache?.build);
  const readings = options.cache && openReadings(options.cache);
  const reader = createProjectReader(parsers, code, readings);
  let saving = Promise.resolve();
  const failures = new Set<string>();
  const read = readInTurn(reader, (program, project) => {
    const work = reader.keep(program, project);
    if (!work) return;
    saving = saving
      .then(() => inSlices(work))
      .catch((error: unknown) => {
        failures.add(`what was read could not be kept for the next time: ${reasonOf(error)}`);
      });
  });

  /** Writes the caches; returns notes on errors. */
  const save = (): readonly string[] => {
    kept?.flush();
    const own = [...failures];
    failures.clear();
    return [...own, ...(kept?.takeNotes() ?? []), ...(readings?.takeNotes() ?? [])];
  };

  async function checked(
    program: Program,
    request: CheckRequest,
    { signal, events, aboutFiles }: Surroundings,
  ): Promise<WorkspaceCheck> {
    events?.read?.(program);
    const { project } = request;
    const { configuration } = project;
    const skipped = [...(project.skipped ?? []), ...(code ? [] : unparsed(project))];
    const level = request.level ?? configuration.level;
    const result = await check(
      {
        program,
        skipped,
        level,
        levelIsOverride: level.name !== configuration.level.name,
        defined: configuration.defined,
        serializablePairs: configuration.serializablePairs.map(({ pair }) => pair),
        maxTransactions: request.maxTransactions ?? configuration.maxTransactions,
        unroll: request.unroll ?? configuration.unroll,
        prove: request.prove ?? configuration.prove,
        ...(request.isCompared !== undefined && { isCompared: request.isCompared }),
        budget: request.budget ?? configuration.budget,
        ...(isPatient(request) && { patience: FIRST_SCREEN }),
        pool,
        cache,
        lanes: workers,
        tool: options.tool,
        ...(request.first && { first: request.first }),
      },
      signal,
      events,
    );
    const { detected } = configuration;
    const from = detected?.level?.value.name === level.name ? detected.level.place : undefined;
    const report: LevelReport =
      from === undefined
        ? result.report
        : { ...result.report, levels: { ...result.report.levels, from } };
    const aside = [...missing, ...aboutFiles()];
    const remarks = [
      ...aside,
      ...(detected?.remarks ?? []),
      ...dialectRemarks(program, configuration, level),
      ...configurationRemarks(program, configuration, level),
    ];
    const { unread = [] } = program;
    const repeatable = result.repeatable && aside.length === 0 && unread.length === 0;
    const { placed: suppressions, notes: misplaced } = placeSuppressions(program);
    const notes = [...program.notes, ...result.notes, ...misplaced];
    const files = fileReadings(program, [
      ...skipped,
      ...unread.map((file) => ({ file, reason: "reading was stopped before it" })),
    ]);
    const own = { program: { ...program, notes }, remarks, suppressions, files };
    return { ...result, report, repeatable, ...own };
  }

  /** Readings of changed texts and checks of parts of a program, with the request's options. */
  function partsOf(request: CheckRequest, signal: AbortSignal) {
    const { configuration } = request.project;
    const level = request.level ?? configuration.level;
    const levelIsOverride = level.name !== configuration.level.name;
    const serializablePairs = configuration.serializablePairs.map(({ pair }) => pair);
    const { defined } = configuration;
    return {
      level,
      readAgain: (project: ProjectTexts): Promise<Program> =>
        read({ ...request, project }, signal, { reading: undefined, early: () => undefined }),
      checkPart: async (
        program: Program,
        { isFirstEnough = false, isContended = false }: PartOptions = {},
      ): Promise<LevelReport> => {
        const ending = new AbortController();
        const own = AbortSignal.any([signal, ending.signal]);
        const found = ({ severity }: Anomaly): void => {
          if (isFirstEnough && severity !== "unused") ending.abort();
        };
        const { report } = await check(
          {
            program,
            skipped: [],
            level,
            levelIsOverride,
            defined,
            serializablePairs,
            maxTransactions: request.maxTransactions ?? configuration.maxTransactions,
            unroll: request.unroll ?? configuration.unroll,
            prove: request.prove ?? false,
            isCompared: false,
            isContended,
            budget: request.budget ?? configuration.budget,
            pool,
            cache,
            lanes: workers,
            tool: options.tool,
          },
          own,
          { found },
        );
        return report;
      },
      levelsOf: (transactions: readonly Transaction[]): Levels =>
        effectiveLevels(transactions, level, {
          serializablePairs,
          defined,
          isOverride: levelIsOverride,
        }).levels,
    };
  }

  return {
    checkWorkspace: async (request, signal, events) => {
      const early = earlyCheck(signal);
      const begin = (part: Program): void => {
        const { read: isRead, found } = events ?? {};
        const heard = { ...(isRead && { read: isRead }), ...(found && { found }) };
        const alone = { ...request, prove: false };
        early.begin((until) =>
          checked(part, alone, { signal: until, events: heard, aboutFiles: () => [] }),
        );
      };
      let program: Program;
      let before: EarlyEnd;
      try {
        program = await read(request, signal, { reading: events?.reading, early: begin });
      } finally {
        before = await early.end();
      }
      const result = await checked(program, request, { signal, events, aboutFiles: save });
      const isStopped = signal.aborted || program.unread !== undefined;
      const told = isStopped ? withEarly(result, before.check) : result;
      const remarks = [...told.remarks, ...before.failures.map(ofEarly)];
      return { ...told, remarks };
    },
    fixes: async (request, signal, found) => {
      const { project, anomaly, kinds, isOneEnough } = request;
      const { readAgain, checkPart, levelsOf } = partsOf(request, signal);
      const question = {
        project,
        program: await readAgain(project),
        anomaly,
        ...(kinds && { kinds }),
        ...(isOneEnough !== undefined && { isOneEnough }),
      };
      const isContended = anomaly.severity === "refused";
      const checked = async (part: Program): Promise<LevelReport> => {
        const report = await checkPart(part, { isContended });
        return { ...report, anomalies: [...report.anomalies, ...(report.refusals ?? [])] };
      };
      const tools = { read: readAgain, check: checked, levelsOf, parsers: code };
      return findFixes(question, tools, signal, found);
    },
    allocation: async (request, signal) => {
      const { readAgain, checkPart, level } = partsOf(request, signal);
      const program = await readAgain(request.project);
      const bound = request.maxTransactions ?? request.project.configuration.maxTransactions;
      const budget = request.budget ?? request.project.configuration.budget;
      const { limit, release } = timeLimit(signal, budget * ALLOCATION_BUDGETS);
      try {
        return await allocate(
          { program, among: comparableLevels(level), bound },
          (part) => checkPart(part, { isFirstEnough: true }),
          limit,
        );
      } finally {
        release();
      }
    },
    warm: () => {
      pool.warm();
    },
    dispose: async () => {
      await Promise.all([saving, pool.dispose()]);
    },
  };
}

/** The time limit of an allocation, in multiples of the search budget. */
const ALLOCATION_BUDGETS = 12;

/** Files of code without a parser. */
function unparsed({ files }: ProjectTexts): readonly SkippedFile[] {
  return files.flatMap(({ file }) =>
    codeLanguageOf(file) === undefined
      ? []
      : [{ file, reason: "not read: the parser of code cannot be loaded; install Isolens anew" }],
  );
}

function ofEarly(failure: string): string {
  return `open files could not be checked before the others: ${failure}`;
}

/** The environment of a check. */
interface Surroundings {
  readonly signal: AbortSignal;
  readonly events: SessionEvents | undefined;
  /** Called at the end: notes on the cache files. */
  readonly aboutFiles: () => readonly string[];
}

interface LoadedParsers {
  readonly parsers: SqlParsers;
  readonly code: CodeParsers | undefined;
  readonly missing: readonly string[];
}

async function loadParsers(): Promise<LoadedParsers> {
  const [pg, code] = await Promise.all([
    loaded(loadPgParser(), "PostgreSQL's own grammar cannot be loaded, so routines are not read"),
    loaded(loadCodeParsers(), "the parser of code cannot be loaded, so only SQL files are read"),
  ]);
  return {
    parsers: pg.value ? { pg: pg.value } : {},
    code: code.value,
    missing: [...pg.missing, ...code.missing],
  };
}

interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly missing: readonly string[];
}

async function loaded<Value>(loading: Promise<Value>, without: string): Promise<Loaded<Value>> {
  try {
    return { value: await loading, missing: [] };
  } catch (error) {
    return { value: undefined, missing: [`${without}: ${reasonOf(error)}`] };
  }
}

/** Numbers of further files to read beyond the open ones before a partial report: at first, and then each time. */
const OTHERS_FIRST = [8, 300];

type Read = (request: CheckRequest, signal: AbortSignal, events: ReadingEvents) => Promise<Program>;

interface ReadingEvents {
  readonly reading: SessionEvents["reading"];
  /** The part with the open files was read; the rest follows. */
  readonly early: (part: Program) => void;
}

/**
 * Serialises readings, in time slices. Caches the last few whole programs, so that several levels of a project, or several projects, are
 * read once each.
 */
function readInTurn(
  reader: ProjectReader,
  /** Called after a long reading, to cache it for the next process. */
  long: (program: Program, project: ProjectTexts) => void,
): Read {
  const kept: { readonly project: ProjectTexts; readonly program: Program }[] = [];
  const read: Read = async ({ project, budget, isStopped, first = [] }, signal, events) => {
    const known = kept.find((each) => sameTexts(each.project, project));
    if (known) return known.program;
    const isOver = budget === undefined ? () => false : overAfter(budget);
    const stops = (): boolean => signal.aborted || isOver() || (isStopped?.() ?? false);
    let most = 0;
    const told = ({ done, total }: ReadingStep): void => {
      // Progress does not go back: files that were read first are not counted again.
      most = Math.max(most, done);
      events.reading?.(most, total);
    };
    const since = performance.now();
    let open = 0;
    for (const most of first.length > 0 ? OTHERS_FIRST : []) {
      const part = await inSlices(reader.early(project, { files: first, most }, stops), told);
      if (part === undefined || stops()) break;
      // More files were read; a new part is reported only if it has more transactions.
      if (part.transactions.length > open) events.early(part);
      open = part.transactions.length;
    }
    const program = await inSlices(reader.reading(project, stops), told);
    if (performance.now() - since > LONG && !signal.aborted) long(program, project);
    if (program.unread === undefined) {
      kept.unshift({ project, program });
      kept.length = Math.min(kept.length, 8);
    }
    return program;
  };
  let last: Promise<unknown> = Promise.resolve();
  return (...asked) => {
    const own = last.then(() => read(...asked));
    // The caller handles the rejection.
    last = own.catch(() => undefined);
    return own;
  };
}

/** Polls of a budget to one look at the clock of the process, which costs microseconds. */
const POLLS_PER_LOOK = 64;

/** True once this many milliseconds of process time are over. */
function overAfter(budget: number): () => boolean {
  const clock = ownTime();
  let [polls, isOver] = [0, false];
  return () => {
    polls += 1;
    if (polls % POLLS_PER_LOOK === 0) isOver ||= clock() > budget;
    return isOver;
  };
}

/** Readings longer than this many milliseconds are cached on disk. */
const LONG = 1000;

/** Milliseconds per time slice. */
const SLICE = 15;

/** Runs a generator in time slices, with turns of the event loop between them. */
async function inSlices<Result, Step>(
  work: Generator<Step, Result, void>,
  told?: (step: Step) => void,
): Promise<Result> {
  let since = performance.now();
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
    if (performance.now() - since < SLICE) continue;
    told?.(slice.value);
    await nextTurn();
    since = performance.now();
  }
}

/** True if a search continues while it finds alarming anomalies: nobody set a budget. */
function isPatient({ isPatient: asked, budget, project }: CheckRequest): boolean {
  const isGiven = project.configuration.budget !== DEFAULT_CONFIGURATION.budget;
  return asked === true && budget === undefined && !isGiven;
}

function sameTexts(a: ProjectTexts, b: ProjectTexts): boolean {
  const same = (x: ProjectTexts["files"], y: ProjectTexts["files"]): boolean =>
    x.length === y.length &&
    x.every((each, n) => each.file === y[n]?.file && each.text === y[n]?.text);
  return (
    same(a.files, b.files) &&
    same(a.context, b.context) &&
    (a.code === b.code || a.code?.digest() === b.code?.digest()) &&
    JSON.stringify(a.configuration) === JSON.stringify(b.configuration)
  );
}

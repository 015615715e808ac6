// Solves tuples: from the cache if the same problem was solved before, else in the pool.
import type { Finding, UnitResult } from "../../analysis/search/unit";
import type { JobFailure } from "../../engine/jobs";
import type { SolvePool } from "../../engine/pool";
import { UNROLL } from "../../engine/runJob";
import type { PaperLevel } from "../../isolation/levels";
import { distinctLevels, keyOfLevels, namesOfLevels } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Program } from "../../program/program";
import type { Statement, StatementId } from "../../program/statement";
import type { CacheFiles } from "../cache/files";
import { survivesJson } from "../cache/plainJson";
import { statementsOf } from "../statements";
import { tupleCutter } from "./tuples";
import type { OwnProblem, Tuple } from "./tuples";

/** Counters of one check, for benchmarks and `--timings`. */
export interface SolveCounters {
  /** Units that the check needed. */
  units: number;
  /** Units answered from the cache. */
  cached: number;
  /** Solver calls for the other units. */
  queries: number;
}

export type TupleAnswer =
  | {
      readonly kind: "solved";
      readonly results: readonly UnitResult[];
      /** True if more effort may change the answer. */
      readonly partial?: true;
    }
  | { readonly kind: "failed"; readonly failure: JobFailure }
  | { readonly kind: "cancelled" };

/** Effort limit of one question before others get their turn. */
export interface Effort {
  /** Number of solver calls. */
  readonly questions: number;
  /** Resource limit per call. */
  readonly resourceLimit: number;
}

/** Solves a tuple; `levels` are restricted to its members. Without `effort` there is no limit. */
export type TupleSolver = (
  tuple: Tuple,
  levels: Levels,
  signal: AbortSignal,
  effort?: Effort,
) => Promise<TupleAnswer>;

/** Results by problem hash, evicted by least recent use. */
export interface SolveCache {
  get(key: string): readonly UnitResult[] | undefined;
  set(key: string, results: readonly UnitResult[]): void;
}

/** Deterministic limits, part of every problem's key. */
export const RESOURCE_LIMIT = 1_000_000;
export const MAX_FINDINGS = 8;
const LIMITS = `${String(RESOURCE_LIMIT)} ${String(MAX_FINDINGS)}`;

/** A cache of `capacity` problems, backed by files of earlier runs of the same build. */
export function openSolveCache(capacity: number, kept?: CacheFiles, build = ""): SolveCache {
  const entries = new Map<string, readonly UnitResult[]>();
  const fromFiles = (key: string): readonly UnitResult[] | undefined => {
    const text = kept?.get(`${build} ${key}`);
    // The checksum proves that the code below wrote it, in the same build.
    return text === undefined ? undefined : (JSON.parse(text) as readonly UnitResult[]);
  };
  return {
    get: (key) => {
      const results = entries.get(key) ?? fromFiles(key);
      if (results) {
        entries.delete(key);
        entries.set(key, results);
      }
      return results;
    },
    set: (key, results) => {
      entries.set(key, results);
      if (kept && survivesJson(results)) kept.set(`${build} ${key}`, JSON.stringify(results));
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity) break;
        entries.delete(oldest);
      }
    },
  };
}

export interface SolveOptions {
  /** Loop unrolling bound. */
  readonly unroll?: number;
  /** User-defined levels to compare findings at axiomatic levels with. */
  readonly defined?: readonly PaperLevel[];
}

/** Builds a solver for the tuples of one program. */
export function tupleSolver(
  program: Program,
  pool: SolvePool,
  cache: SolveCache,
  counters: SolveCounters,
  { unroll = UNROLL, defined = [] }: SolveOptions = {},
): TupleSolver {
  const cut = tupleCutter(program);
  const statements = statementsById(program);
  return async (tuple, levels, signal, effort) => {
    const problem = cut(tuple);
    const isOfAxioms = distinctLevels(levels).every(({ family }) => family === "paper");
    const compared = isOfAxioms && defined.length > 0 ? { defined } : {};
    const others = compared.defined ? JSON.stringify(compared.defined) : "";
    const key = `${problem.key} ${keyOfLevels(levels)}${others} ${String(unroll)} ${LIMITS}`;
    counters.units += tuple.units.length;
    const known = cache.get(key);
    if (known) {
      counters.cached += tuple.units.length;
      return { kind: "solved", results: known.map((each) => placed(each, statements)) };
    }
    const job = { ...jobOf(problem, levels, unroll), ...compared, ...effort };
    const answer = await pool.solve(job, signal);
    if (answer.kind !== "solved") return answer;
    for (const result of answer.results) counters.queries += result.queries;
    const partial = effort !== undefined && answer.results.some(({ gaveUp }) => gaveUp);
    if (!partial) cache.set(key, answer.results);
    const results = answer.results.map((each) => placed(each, statements));
    return { kind: "solved", results, ...(partial && { partial }) };
  };
}

function jobOf(problem: OwnProblem, levels: Levels, unroll: number) {
  return {
    program: problem.program,
    levels: namesOfLevels(levels),
    units: problem.units,
    resourceLimit: RESOURCE_LIMIT,
    maxFindings: MAX_FINDINGS,
    unroll,
  };
}

function statementsById(program: Program): ReadonlyMap<StatementId, Statement> {
  const all = program.transactions.flatMap((each) => statementsOf(each.body));
  return new Map(all.map((statement) => [statement.id, statement]));
}

/** The result with current statement positions: a cached result may predate an edit. */
function placed(result: UnitResult, statements: ReadonlyMap<StatementId, Statement>): UnitResult {
  return { ...result, findings: result.findings.map((each) => placedFinding(each, statements)) };
}

function placedFinding(finding: Finding, statements: ReadonlyMap<StatementId, Statement>): Finding {
  const { execution } = finding.confirmation;
  if (!execution) return finding;
  const steps = execution.steps.map((step) => {
    const source = step.source && statements.get(step.source.id);
    return source ? { ...step, source } : step;
  });
  return {
    ...finding,
    confirmation: { ...finding.confirmation, execution: { ...execution, steps } },
  };
}

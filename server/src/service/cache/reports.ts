// Reports cached between runs, keyed by everything that they depend on: texts, configuration, level, options and build. A run over
// unchanged files needs neither parser nor solver.
import type { Level } from "../../isolation/levels";
import { keyOfLevels } from "../../isolation/mixedLevels";
import type { Note } from "../../program/program";
import type { Schema } from "../../program/schema";
import type { LevelReport } from "../../protocol/report";
import type { CacheOptions, CheckRequest } from "../session";
import type { WorkspaceCheck } from "../workspaceCheck";
import { openSingleFiles } from "./files";
import type { CacheBounds } from "./files";
import { survivesJson } from "./plainJson";

/** The parts of a check that printing needs. */
export interface CheckSummary extends Pick<
  WorkspaceCheck,
  "counters" | "timings" | "remarks" | "suppressions" | "files"
> {
  readonly report: LevelReport;
  readonly program: { readonly notes: readonly Note[]; readonly schema: Schema };
}

export interface Reports {
  /** The cached answer to the same question. */
  find(request: CheckRequest): CheckSummary | undefined;
  /** Caches an answer if it is repeatable. */
  keep(request: CheckRequest, check: WorkspaceCheck): void;
  /** Notes on entries that were discarded or could not be written. */
  takeNotes(): readonly string[];
}

/** Disk limits per user. */
const KEPT: CacheBounds = { bytes: 32_000_000, files: 200 };

/** Opens the cached reports of a folder. Nothing is read or written before the first use. */
export function openReports({ folder, build }: CacheOptions): Reports {
  const files = openSingleFiles(folder, "report", KEPT);
  return {
    takeNotes: files.takeNotes,
    find: (request) => {
      const started = performance.now();
      const text = files.get(keyOf(request, build));
      if (text === undefined) return undefined;
      // The checksum proves that `keep` of the same build wrote this text.
      const kept = JSON.parse(text) as Kept;
      const { units, ...rest } = kept;
      const timings = { whole: performance.now() - started };
      return { ...rest, counters: { units, cached: units, queries: 0 }, timings };
    },
    keep: (request, check) => {
      if (!check.repeatable) return;
      const { report, remarks, program, suppressions, files: readings, counters } = check;
      const { notes, schema } = program;
      const own = { report, remarks, program: { notes, schema }, suppressions, files: readings };
      const kept: Kept = { ...own, units: counters.units };
      if (!survivesJson(kept)) return;
      files.set(keyOf(request, build), JSON.stringify(kept));
      files.flush();
    },
  };
}

type Kept = Omit<CheckSummary, "counters" | "timings"> & {
  readonly units: number;
};

/**
 * The key covers all that an answer depends on. The budget is absent: an answer that it cut short is not cached. So is the policy of which
 * findings are shown.
 */
function keyOf(request: CheckRequest, build: string): string {
  const { project, maxTransactions, unroll, prove } = request;
  const { files, context, configuration, skipped, code } = project;
  const level: Level = request.level ?? configuration.level;
  return JSON.stringify([
    "report",
    build,
    files,
    context,
    skipped ?? [],
    code?.digest(),
    { ...configuration, budget: 0, severities: {}, baseline: undefined },
    keyOfLevels(level),
    maxTransactions ?? configuration.maxTransactions,
    unroll ?? configuration.unroll,
    prove ?? configuration.prove,
  ]);
}

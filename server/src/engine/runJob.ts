// Runs one job on this thread: flatten, then solve each unit. Used by the worker, and by tests without a thread.
import { flattenProgram } from "../analysis/operations/flatten";
import { solvePapers } from "../analysis/search/papers";
import { solveProduct } from "../analysis/search/products";
import type { SearchLimits, UnitResult } from "../analysis/search/unit";
import { findLevel } from "../isolation/levels";
import type { SolverFactory } from "../solver/solver";
import type { Job } from "./jobs";

/** How often loops are unrolled before they are analysed. */
export const UNROLL = 1;

/** The results of a job's units, in order; those after a stop say that they were stopped. Throws SolverError. */
export function runJob(
  solvers: SolverFactory,
  job: Job,
  stopped: () => boolean,
): readonly UnitResult[] {
  const level = findLevel(job.level);
  if (!level) throw new Error(`the level ${job.level} is not known`);
  const flat = flattenProgram(job.program, { unroll: UNROLL });
  const limits: SearchLimits = {
    resourceLimit: job.resourceLimit,
    maxFindings: job.maxFindings,
    stopped,
  };
  return job.units.map((unit) => {
    if (stopped()) return { findings: [], undecided: ["stopped"], queries: 0 };
    return level.family === "product"
      ? solveProduct(solvers, job.program, flat, level, unit, limits)
      : solvePapers(solvers, job.program, flat, level, unit, limits);
  });
}

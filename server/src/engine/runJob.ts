// Runs one job on this thread: flattens, then solves each unit. Used by the worker, and by tests without a thread.
import { flattenProgram } from "../analysis/operations/flatten";
import { solveInvariants } from "../analysis/assumptions/solveInvariants";
import { prove } from "../analysis/proof/prove";
import { solvePapers } from "../analysis/search/literature/backend";
import { solveProduct } from "../analysis/search/products/backend";
import type { SearchLimits, UnitResult } from "../analysis/search/unit";
import { distinctLevels, findLevels } from "../isolation/mixedLevels";
import { confirm } from "../store/confirm";
import type { SolverFactory } from "../solver/solver";
import type { Job } from "./jobs";

/** The default unrolling bound. */
export const UNROLL = 1;

/** The results of a job's units, in order; those after a stop are marked as stopped. Throws SolverError. */
export function runJob(
  solvers: SolverFactory,
  job: Job,
  isCancelled: () => boolean,
): readonly UnitResult[] {
  let questions = 0;
  const stopped = (): boolean => isCancelled() || questions >= (job.questions ?? Infinity);
  const levels = findLevels(job.levels);
  if (!levels) throw new Error(`a level of ${JSON.stringify(job.levels)} is not known`);
  const isProduct = distinctLevels(levels).every((level) => level.family === "product");
  const flat = flattenProgram(job.program, { unroll: job.unroll ?? UNROLL });
  const limits: SearchLimits = {
    resourceLimit: job.resourceLimit,
    maxFindings: job.maxFindings,
    stopped,
    asked: () => {
      questions += 1;
    },
  };
  return job.units.map((unit) => {
    if (stopped()) return { findings: [], undecided: ["stopped"], queries: 0, gaveUp: true };
    if (unit.question === "invariants")
      return solveInvariants(solvers, job.program, flat, unit, limits);
    if (unit.question === "proof" || unit.question === "provable") {
      const unbounded = flattenProgram(job.program, {
        unroll: job.unroll ?? UNROLL,
        anyRounds: true,
      });
      const brief = unit.question === "provable";
      const proof = prove(solvers, unbounded, levels, limits, { brief });
      return { findings: [], undecided: [], queries: proof.queries, proof };
    }
    return isProduct
      ? solveProduct(solvers, job.program, flat, levels, unit, limits)
      : solvePapers(solvers, job.program, flat, levels, unit, limits, confirm, job.defined);
  });
}

// Messages between the pool and its workers. All of it is plain data that survives a structured clone.
import type { PaperLevel } from "../isolation/levels";
import type { LevelNames } from "../isolation/mixedLevels";
import type { Unit, UnitResult } from "../analysis/search/unit";
import type { Program } from "../program/program";

/**
 * Units of one set of transactions at their levels. The program holds these transactions and their tables alone, so that
 * the answer is a pure function of the job; `units` index into it.
 */
export interface Job {
  readonly program: Program;
  /** One for all, or one per transaction of the program. */
  readonly levels: LevelNames;
  /** Users' levels that findings at levels of axioms are compared over as well. */
  readonly defined?: readonly PaperLevel[];
  readonly units: readonly Unit[];
  /** Deterministic limit per solver check. */
  readonly resourceLimit: number;
  readonly maxFindings: number;
  /** Questions to the solver after which the job ends with what it has; no end when absent. */
  readonly questions?: number;
  /** Rounds of a loop that are looked at; one when absent. */
  readonly unroll?: number;
}

export type ToWorker = { readonly kind: "solve"; readonly id: number; readonly job: Job };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly failure: JobFailure }
  | { readonly kind: "solved"; readonly id: number; readonly results: readonly UnitResult[] }
  | { readonly kind: "error"; readonly id: number; readonly failure: JobFailure };

/**
 * Why a job has no result. `missing`: no solver could be started; `memory`, `crashed`: the worker died or must be
 * replaced; `internal`: a defect of ours. The message is safe to show.
 */
export interface JobFailure {
  readonly code: "missing" | "memory" | "crashed" | "internal";
  readonly message: string;
}

/** Given to a worker thread at its start. */
export interface WorkerData {
  /** One Int32: the number of the job that is to stop, 0 for none. */
  readonly stop: SharedArrayBuffer;
}

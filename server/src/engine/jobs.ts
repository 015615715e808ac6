// Messages between the pool and its workers: plain data that survives a structured clone.
import type { PaperLevel } from "../isolation/levels";
import type { LevelNames } from "../isolation/mixedLevels";
import type { Unit, UnitResult } from "../analysis/search/unit";
import type { Program } from "../program/program";

/**
 * Units of one set of transactions at their levels. The program contains only these transactions and their tables, so that the answer is a
 * pure function of the job; `units` index into it.
 */
export interface Job {
  readonly program: Program;
  /** One for all, or one per transaction of the program. */
  readonly levels: LevelNames;
  /** User-defined levels to compare findings at axiomatic levels with. */
  readonly defined?: readonly PaperLevel[];
  readonly units: readonly Unit[];
  /** Deterministic limit per solver call. */
  readonly resourceLimit: number;
  readonly maxFindings: number;
  /** Limit of solver calls, after which the job returns what it has; unlimited if absent. */
  readonly questions?: number;
  /** Loop unrolling bound; one if absent. */
  readonly unroll?: number;
}

export type ToWorker = { readonly kind: "solve"; readonly id: number; readonly job: Job };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly failure: JobFailure }
  | { readonly kind: "solved"; readonly id: number; readonly results: readonly UnitResult[] }
  | { readonly kind: "error"; readonly id: number; readonly failure: JobFailure };

/**
 * The reason why a job has no result. `missing`: no solver could be started; `memory`, `crashed`: the worker died or must be replaced;
 * `internal`: a defect of ours. The message is safe to show.
 */
export interface JobFailure {
  readonly code: "missing" | "memory" | "crashed" | "internal";
  readonly message: string;
}

/** The start data of a worker thread. */
export interface WorkerData {
  /** One Int32: the number of the job to stop, 0 for none. */
  readonly stop: SharedArrayBuffer;
}

// Messages between the thread that explores a client program and its host.
import type { ExploreProgress } from "../../clients/exploreLevel";
import type { ExploreJob, ExploreOutcome } from "./job";

export interface ExploreThreadData {
  readonly job: ExploreJob;
  /** Two integers: not 0 when the user asked to stop; a count that grows while there is progress. */
  readonly shared: SharedArrayBuffer;
  /** The script of the thread itself, for helpers. */
  readonly script: string;
}

/** Data that a helper of that thread is started with. */
export interface ExploreHelperData {
  readonly helper: {
    readonly job: ExploreJob;
    readonly level: string;
    /** Places of the assertions. */
    readonly assertions: readonly number[];
  };
  readonly shared: SharedArrayBuffer;
}

/** Limit of a thread's heap. */
export const HEAP_MEGABYTES = 2048;

export type FromExploreThread =
  | { readonly kind: "progress"; readonly level: string; readonly progress: ExploreProgress }
  | { readonly kind: "done"; readonly outcome: ExploreOutcome }
  /** How often it looked whether to stop; of a process that shares no memory. */
  | { readonly kind: "pulse"; readonly count: number }
  | { readonly kind: "memory" }
  | { readonly kind: "error"; readonly message: string };

/** Places in the shared integers. */
export const STOP = 0;
export const PULSE = 1;

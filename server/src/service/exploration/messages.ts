// Messages between the thread that explores a client program and its host.
import type { ExploreProgress } from "../../clients/exploreLevel";
import type { ExploreJob, ExploreOutcome } from "./job";

export interface ExploreThreadData {
  readonly job: ExploreJob;
  /** Two integers: a stop flag (not 0 after the user asked to stop), and a counter that grows with progress. */
  readonly shared: SharedArrayBuffer;
  /** The script of this thread, for starting helpers. */
  readonly script: string;
}

/** The start data of a helper thread. */
export interface ExploreHelperData {
  readonly helper: {
    readonly job: ExploreJob;
    readonly level: string;
    /** Indexes of the assertions. */
    readonly assertions: readonly number[];
  };
  readonly shared: SharedArrayBuffer;
}

/** Heap limit of a thread. */
export const HEAP_MEGABYTES = 2048;

export type FromExploreThread =
  | { readonly kind: "progress"; readonly level: string; readonly progress: ExploreProgress }
  | { readonly kind: "done"; readonly outcome: ExploreOutcome }
  /** The number of times a process without shared memory polled its stop flag. */
  | { readonly kind: "pulse"; readonly count: number }
  | { readonly kind: "memory" }
  | { readonly kind: "error"; readonly message: string };

/** Indexes into the shared integers. */
export const STOP = 0;
export const PULSE = 1;

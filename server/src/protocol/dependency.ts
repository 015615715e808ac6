// Dependencies between transactions and the statements at their ends.
import type { Range } from "./source";

export type Dependency = "wr" | "ww" | "rw" | "so";

/** One end of a dependency: a statement of an instance. `statement` is the id of the AR statement. */
export interface CycleEnd {
  readonly instance: string;
  readonly file: string;
  readonly range: Range;
  readonly text: string;
}

// Frame and effect of one statement.
import type { Acting, Frame, ResultRows, Tables } from "./frame";
import type { Recorder } from "./recorder";
import type { Write } from "./row";

/** Effect of a statement: its result, and the writes that its driver applies. */
export interface StatementResult {
  readonly into: string | undefined;
  readonly rows: ResultRows;
  readonly affected: number;
  readonly writes: readonly Write[];
}

/** All that a statement executes with. */
export interface StatementFrame extends Frame {
  readonly tables: Tables;
  readonly acting: Acting;
  readonly recorder: Recorder;
}

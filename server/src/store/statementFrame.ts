// The frame and effect of one statement.
import type { Acting, Frame, ResultRows, Tables } from "./frame";
import type { Recorder } from "./recorder";
import type { Write } from "./row";

/** A statement's result, and the writes for its driver to apply. */
export interface StatementResult {
  readonly into: string | undefined;
  readonly rows: ResultRows;
  /** The caller's view of the rows, where it differs. */
  readonly shown?: ResultRows;
  readonly affected: number;
  readonly writes: readonly Write[];
}

/** The context of a statement's execution. */
export interface StatementFrame extends Frame {
  readonly tables: Tables;
  readonly acting: Acting;
  readonly recorder: Recorder;
  /** Set for a part of a statement, whose references the server checks at the end of the whole. */
  readonly isPart?: true;
}

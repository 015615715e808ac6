// A learnt transaction: a tree of statements and branches whose values are expressions of a script.

import type { RowRange } from "../statements";

/** A reason for which something learnt may be wrong; it is told, and weakens what rests on it. */
export type Doubt = string;

/** A part of what the server answers to a statement of a run. */
export interface AnswerPlace {
  /** The statement's text, whatever the lengths of its lists. */
  readonly text: string;
  /** The number of times that the same text stands before it in a run. */
  readonly occurrence: number;
  /** Place of a column in the first row; undefined: the number of rows that were changed. */
  readonly column?: number;
  /** The runs that come to it, by what they have in common with the same ones when the tests run again. */
  readonly runs: readonly string[];
}

/** An answer that may tell what a flow rests on, with values that would. */
export interface Decider extends AnswerPlace {
  readonly aims?: readonly number[];
  /** The same for single runs, by what they have in common with theirs when the tests run again. */
  readonly aimsOf?: ReadonlyMap<string, readonly number[]>;
}

/** A value or a condition that the runs left open. */
export interface OpenFlow {
  /** Tells it from all others of its program, also when more runs are known. */
  readonly key: string;
  readonly doubt: Doubt;
  readonly deciders: readonly Decider[];
}

export interface LearntStatement {
  readonly kind: "statement";
  /** SQL with script variables (`:name`). */
  readonly sql: string;
  /** Prefix of the variables of its first row. */
  readonly prefix: string;
  /** Names its number of rows, read or changed. */
  readonly counter: string;
  readonly returns: boolean;
  /** The fewest and the most rows that it read or changed in the runs; undefined where both some and none were seen. */
  readonly rows?: RowRange;
  /** `FILE:LINE` in the application. */
  readonly at?: string;
}

export interface LearntControl {
  readonly kind: "control";
  readonly sql: string;
  readonly what: "begin" | "commit" | "rollback" | "savepoint" | "rollbackTo" | "quit";
}

export interface LearntArm {
  /** A condition of \if; undefined for what is left. */
  readonly condition?: string;
  readonly runs: number;
  readonly body: readonly LearntNode[];
}

export interface LearntBranch {
  readonly kind: "branch";
  readonly arms: readonly LearntArm[];
}

export type LearntNode = LearntStatement | LearntControl | LearntBranch;

export interface LearntProgram {
  readonly name: string;
  /** Several transactions, or statements outside of one. */
  readonly isUnit: boolean;
  readonly at?: string;
  readonly runs: number;
  /** Runs that ended with an error of the server, by its code. */
  readonly errors: ReadonlyMap<string, number>;
  readonly body: readonly LearntNode[];
  readonly doubts: readonly Doubt[];
  /** Runs beside those in which an answer of the server was changed. */
  readonly changedRuns: number;
  /** The runs of the tests as they are, by what they have in common with the same ones when the tests run again. */
  readonly twins: readonly string[];
  /** Its name in call sites. */
  readonly entry?: string;
  /** Doubts that other answers of the server could settle. */
  readonly flows: readonly OpenFlow[];
  /** All that it read, but for keys. */
  readonly answers: readonly AnswerPlace[];
}

// A learnt transaction: a tree of statements and branches whose values are expressions of a script.

/** A reason for which something learnt may be wrong; it is told, and weakens what rests on it. */
export type Doubt = string;

export interface LearntStatement {
  readonly kind: "statement";
  /** SQL with script variables (`:name`). */
  readonly sql: string;
  /** Prefix of the variables of its first row. */
  readonly prefix: string;
  /** Names its number of rows, read or changed. */
  readonly counter: string;
  readonly returns: boolean;
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
}

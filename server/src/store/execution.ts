// Record of a run of the store: plain data for confirmation, explanation and the history checker.
import type { Statement, StatementId } from "../program/statement";
import type { Dependency, Severity } from "../protocol/report";
import type {
  Outcome,
  Row,
  ScheduleStep,
  SerialOutcome,
  Value,
  Witness,
  WitnessInstance,
} from "../protocol/witness";

/** Instances with arguments, and the rows at the start: the input of every run. */
export interface Setup {
  readonly instances: readonly WitnessInstance[];
  readonly initial: Readonly<Record<string, readonly Row[]>>;
}

/** A setup and the schedule that the search proposes; the store runs it. */
export interface WitnessPlan extends Setup {
  readonly schedule: readonly ScheduleStep[];
  /** The tables that the proposed cycle goes through: of equally short cycles, one over these is reported. */
  readonly tables?: readonly string[];
  /** The proposed cycle goes through all instances, none of which can be left out: such a one is reported. */
  readonly throughAll?: boolean;
  /** Reads that other causes of the same transactions were told by: a cycle past them is reported, if there is one. */
  readonly past?: readonly StatementId[];
}

/** One column of one row that was read or written. `key` is the primary key rendered, e.g. "1" or "1,2". */
export interface CellAccess {
  readonly table: string;
  readonly key: string;
  /** "@" stands for the row's existence. */
  readonly column: string;
  readonly value: Value;
  /** Reads: the instance whose version was read, null for the initial row. Writes: the value before. */
  readonly writer?: string | null;
  /** The number of the transaction by which a unit wrote the version. */
  readonly writerPart?: number;
  readonly before?: Value;
}

/** One executed statement (or commit, or rollback) of an instance. */
export interface ExecutedStep {
  readonly instance: string;
  /** 1-based among the executed statements of the instance; "commit" and "rollback" end it, or a unit's transaction. */
  readonly statement: number | "commit" | "rollback";
  /** The number of the unit's transaction that the step belongs to, from 0. */
  readonly part?: number;
  /** The statement is a transaction of its own, of a unit: it commits at once. */
  readonly commits?: boolean;
  /** The name of the level of a unit's transaction at a product's level. */
  readonly level?: string;
  readonly source?: Statement;
  /** Instances whose commits the snapshot contains, or visible statements ("T1.2") at a paper's level. */
  readonly sees: readonly string[];
  readonly reads: readonly CellAccess[];
  readonly writes: readonly CellAccess[];
  /** Result of the statement, rendered; empty for writes without RETURNING. */
  readonly result: readonly Row[];
  readonly affected: number;
  /** The instance that it waited for before it could act. */
  readonly waitedFor?: string;
  /** It waited for these until its transaction was ended: it has done nothing. */
  readonly waitsFor?: readonly string[];
  /** The reason why a rollback happened. */
  readonly why?: string;
}

/** A dependency between two executed statements (Adya): write-read, write-write, read-write (anti). */
export interface ExecutedDependency {
  readonly dependency: Dependency;
  /** Indexes into `steps`. */
  readonly from: number;
  readonly to: number;
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** The reader's predicate, not a row that it returned, makes the conflict: a phantom. */
  readonly predicate: boolean;
  /** The reader tested the row, which its predicate accepts neither before nor after the write: nobody would notice. */
  readonly isVacuous?: true;
}

/** A read of a version that was never committed: rolled back (or undone), or replaced by its own writer (Adya: G1a, G1b). */
export interface DirtyRead {
  readonly kind: "rolled-back" | "replaced";
  /** Indexes into `steps`: the write, and the read. */
  readonly from: number;
  readonly to: number;
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** The row was only tested. */
  readonly predicate: boolean;
}

export interface Execution {
  readonly steps: readonly ExecutedStep[];
  /** Among committed instances; a read of what was never committed is none. */
  readonly dependencies: readonly ExecutedDependency[];
  /** Absent: none. */
  readonly dirtyReads?: readonly DirtyRead[];
  readonly outcome: Outcome;
  /** Everything that any statement read, per instance in program order, rendered: finer than `outcome.returned`. */
  readonly observed: Readonly<Record<string, readonly string[]>>;
}

export type ExecutionResult =
  | { readonly ok: true; readonly execution: Execution }
  /** The schedule cannot be run at this level, or a statement cannot be evaluated. */
  | { readonly ok: false; readonly reason: string };

/** The judgement of a witness plan. */
export interface Confirmation {
  readonly status: "confirmed" | "unconfirmed";
  /** The reason why it is unconfirmed. */
  readonly reason?: string;
  /** Difference from every serial order; undefined when some order gives the same in all respects. */
  readonly severity?: Severity;
  /** Dependencies of the execution that form a cycle over instances, in order (indexes into `dependencies`). */
  readonly cycle: readonly number[];
  /** Without a cycle: the read of a version that was never committed. */
  readonly dirtyRead?: DirtyRead;
  readonly execution?: Execution;
  readonly serial: readonly SerialOutcome[];
  /**
   * Serial orders of all instances that end with the same rows, of these the ones in which callers receive the same as
   * well, and of these the ones in which everything that is read is the same.
   */
  readonly agreeing?: {
    readonly state: readonly (readonly string[])[];
    readonly values: readonly (readonly string[])[];
    readonly reads: readonly (readonly string[])[];
  };
  readonly witness: Witness;
}

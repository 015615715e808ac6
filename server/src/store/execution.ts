// The record of a run of the store: plain data for confirmation, explanation and the history checker.
import type { SourceRange } from "../protocol/source";
import type { Statement, StatementId } from "../program/statement";
import type { Severity } from "../protocol/report";
import type {
  Outcome,
  Row,
  ScheduleStep,
  SerialOutcome,
  Value,
  Witness,
  WitnessInstance,
} from "../protocol/witness";
import type { Dependency } from "../protocol/dependency";

/** Instances with arguments, and the initial rows: the input of every run. */
export interface Setup {
  readonly instances: readonly WitnessInstance[];
  readonly initial: Readonly<Record<string, readonly Row[]>>;
}

/** A setup with the schedule that the search proposes. */
export interface WitnessPlan extends Setup {
  readonly schedule: readonly ScheduleStep[];
  /** The tables of the proposed cycle: among equally short cycles, one over these is reported. */
  readonly tables?: readonly string[];
  /** True to report a cycle through all instances: none of them is redundant. */
  readonly throughAll?: boolean;
  /** Reads of earlier causes of the same transactions: a cycle without them is reported, if there is one. */
  readonly past?: readonly StatementId[];
}

/** One column of one row that was read or written. `key` is the rendered primary key, e.g. "1" or "1,2". */
export interface CellAccess {
  readonly table: string;
  readonly key: string;
  /** "@" for the row's existence. */
  readonly column: string;
  readonly value: Value;
  /** Reads: the instance whose version was read, null for the initial row. Writes: the value before. */
  readonly writer?: string | null;
  /** The unit's transaction that wrote the version. */
  readonly writerPart?: number;
  readonly before?: Value;
}

/** One executed statement (or commit, or rollback) of an instance. */
export interface ExecutedStep {
  readonly instance: string;
  /** 1-based among the executed statements of the instance; "commit" and "rollback" end it, or a unit's transaction. */
  readonly statement: number | "commit" | "rollback";
  /** The unit's transaction that contains the step, from 0. */
  readonly part?: number;
  /** True for a single-statement transaction of a unit, which commits at once. */
  readonly commits?: boolean;
  /** The level of a unit's transaction, at a product's level. */
  readonly level?: string;
  readonly source?: Statement;
  /** Instances in the snapshot, or visible statements ("T1.2") at a paper's level. */
  readonly sees: readonly string[];
  readonly reads: readonly CellAccess[];
  readonly writes: readonly CellAccess[];
  /** The rendered result; empty for writes without RETURNING. */
  readonly result: readonly Row[];
  readonly affected: number;
  /** The instance that it waited for before it could act. */
  readonly waitedFor?: string;
  /** The instances that it waited for when its transaction was aborted; it had no effect. */
  readonly waitsFor?: readonly string[];
  /** The reason for a rollback. */
  readonly why?: string;
}

/** A dependency between two executed statements (Adya): wr, ww or rw. */
export interface ExecutedDependency {
  readonly dependency: Dependency;
  /** Indexes into `steps`. */
  readonly from: number;
  readonly to: number;
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** True if the reader's predicate, not a returned row, causes the conflict: a phantom. */
  readonly predicate: boolean;
  /** True if the reader only tested the row and its predicate rejects it before and after the write: the conflict has no effect. */
  readonly isVacuous?: true;
}

/** A read of a version that was never committed: rolled back or undone (Adya: G1a), or replaced by its own writer (G1b). */
export interface DirtyRead {
  readonly kind: "rolled-back" | "replaced";
  /** Indexes into `steps`: the write, and the read. */
  readonly from: number;
  readonly to: number;
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** True if the row was only tested. */
  readonly predicate: boolean;
}

export interface Execution {
  readonly steps: readonly ExecutedStep[];
  /** Dependencies among committed instances, without dirty reads. */
  readonly dependencies: readonly ExecutedDependency[];
  /** None if absent. */
  readonly dirtyReads?: readonly DirtyRead[];
  readonly outcome: Outcome;
  /** Everything that statements read, per instance in program order, rendered: finer than `outcome.returned`. */
  readonly observed: Readonly<Record<string, readonly string[]>>;
}

export type ExecutionResult =
  | { readonly ok: true; readonly execution: Execution }
  /** The level does not allow the schedule, or a statement cannot be evaluated. */
  | { readonly ok: false; readonly reason: string };

/** The judgement of a witness plan. */
export interface Confirmation {
  readonly status: "confirmed" | "unconfirmed";
  /** The reason why it is unconfirmed. */
  readonly reason?: string;
  /** The part of the program that could not be executed. */
  readonly obstacle?: SourceRange;
  /** The difference from every serial order; undefined if some order agrees in all respects. */
  readonly severity?: Severity;
  /** Indexes into `dependencies` that form a cycle over instances, in order. */
  readonly cycle: readonly number[];
  /** The dirty read, if there is no cycle. */
  readonly dirtyRead?: DirtyRead;
  readonly execution?: Execution;
  readonly serial: readonly SerialOutcome[];
  /**
   * Serial orders of all instances with the same final rows; those of them in which callers also receive the same; and those of these in
   * which all reads are the same.
   */
  readonly agreeing?: {
    readonly state: readonly (readonly string[])[];
    readonly values: readonly (readonly string[])[];
    readonly reads: readonly (readonly string[])[];
  };
  /** The tables of the reads after which a transaction changes less in some order than here; absent if there are none. */
  readonly deciding?: readonly string[];
  readonly witness: Witness;
}

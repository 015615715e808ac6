// Interface of the checking service, so that tests can replace it.
import type { Level } from "../isolation/levels";
import type { Note } from "../program/program";
import type { Allocation } from "../protocol/allocation";
import type { Fix, FixReport } from "../protocol/fixes";
import type { Anomaly, LevelReport, ReportTransaction } from "../protocol/report";
import type { FileId, Range } from "../protocol/source";
import type { FileReading } from "../service/verdict/coverage";
import type { PlacedSuppression } from "../service/findings/suppressions";
import type { Project } from "../workspace/projects";

export interface CheckEvents {
  /** Files of code: read, and in total. */
  readonly reading: (done: number, total: number) => void;
  /** The text, or a part of it, has been read. */
  readonly read: (reading: TextReading) => void;
  /** Decided tuples of this size, of all that will be searched. */
  readonly progress: (done: number, total: number, size: number) => void;
  /** An anomaly was confirmed before the whole check ends. */
  readonly found: (anomaly: Anomaly) => void;
}

/** Facts from the text, before any search. */
export interface TextReading {
  /** Comments that suppress findings. */
  readonly placed: readonly PlacedSuppression[];
  readonly transactions: readonly ReportTransaction[];
}

export interface CheckOutcome {
  readonly report: LevelReport;
  /** Remarks on the text: parse errors, unknown tables. */
  readonly notes: readonly Note[];
  /** Remarks on the configuration without a place in it. */
  readonly remarks: readonly string[];
  readonly suppressions: readonly PlacedSuppression[];
  /** How much of each file was understood. */
  readonly files: readonly FileReading[];
  /** Files with syntax errors: the earlier texts that were read in their place. */
  readonly standing: readonly StandingReading[];
}

/** A file with syntax errors that its previous text did not have: the previous text was read again. */
export interface StandingReading {
  readonly file: FileId;
  /** The text that was read. */
  readonly text: string;
  /** The syntax error of the current text, with its place. */
  readonly message: string;
  readonly range: Range;
}

export interface CheckOptions {
  /** Open files, most recent first. */
  readonly first?: readonly FileId[];
  /** Polled often: true to stop where the abort signal would not be noticed. */
  readonly isStopped?: () => boolean;
}

/** Keeps what it learned of a project between checks; `dispose` ends its threads. */
export interface Checker {
  /** Never rejects for bad input; soon after the signal it answers with the verdict `cancelled`. */
  check(
    project: Project,
    level: Level,
    signal: AbortSignal,
    events: CheckEvents,
    options?: CheckOptions,
  ): Promise<CheckOutcome>;
  /**
   * Fixes of an anomaly from a check of this project at this level; `found` receives each as it is verified. Soon after the signal it
   * answers with those so far.
   */
  fixes(
    project: Project,
    level: Level,
    anomaly: Anomaly,
    signal: AbortSignal,
    found: (fix: Fix) => void,
  ): Promise<FixReport>;
  /** The weakest level per transaction, among the levels of the level's database. Soon after the signal it answers with what is known. */
  allocation(project: Project, level: Level, signal: AbortSignal): Promise<Allocation>;
  dispose(): Promise<void>;
}

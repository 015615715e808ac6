// Interface of the checking service, so that tests can put a quick one in its place.
import type { Level } from "../isolation/levels";
import type { Note } from "../program/program";
import type { Fix, FixReport } from "../protocol/fixes";
import type { Anomaly, LevelReport, ReportTransaction } from "../protocol/report";
import type { FileId, Range } from "../protocol/source";
import type { FileReading } from "../service/verdict/coverage";
import type { PlacedSuppression } from "../service/findings/suppressions";
import type { Project } from "../workspace/projects";

export interface CheckEvents {
  /** Files of code that were read, of all there are. */
  readonly reading: (done: number, total: number) => void;
  /** The text is read, or a part of it. */
  readonly read: (reading: TextReading) => void;
  /** Groups of so many transactions that are decided, of all of this size that will be looked at. */
  readonly progress: (done: number, total: number, size: number) => void;
  /** An anomaly is certain before the whole check ends. */
  readonly found: (anomaly: Anomaly) => void;
}

/** Facts that the text tells before anything is searched. */
export interface TextReading {
  /** Comments that suppress what will be found. */
  readonly placed: readonly PlacedSuppression[];
  readonly transactions: readonly ReportTransaction[];
}

export interface CheckOutcome {
  readonly report: LevelReport;
  /** Remarks on the text itself: what could not be parsed, unknown tables. */
  readonly notes: readonly Note[];
  /** Remarks on the configuration that name no place in it. */
  readonly remarks: readonly string[];
  readonly suppressions: readonly PlacedSuppression[];
  /** How much of each file was understood. */
  readonly files: readonly FileReading[];
  /** Files that were not read as they are: the texts that were read in their place. */
  readonly standing: readonly StandingReading[];
}

/** A file whose text has syntax errors that its last one did not have: that one was read once more. */
export interface StandingReading {
  readonly file: FileId;
  /** The program that was read. */
  readonly text: string;
  /** Syntax error of the present text, with its place. */
  readonly message: string;
  readonly range: Range;
}

export interface CheckOptions {
  /** Files that somebody looks at, the first foremost. */
  readonly first?: readonly FileId[];
  /** Asked often: whether to stop, where the signal's abort is not noticed in the middle of work. */
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
   * Fixes of an anomaly that a check of this project at this level found; `found` is told of each as it is verified.
   * Soon after the signal it answers with what is known.
   */
  fixes(
    project: Project,
    level: Level,
    anomaly: Anomaly,
    signal: AbortSignal,
    found: (fix: Fix) => void,
  ): Promise<FixReport>;
  dispose(): Promise<void>;
}

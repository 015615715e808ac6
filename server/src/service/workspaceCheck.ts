// Answer of a check of a workspace.
import type { Program } from "../program/program";
import type { CheckResult } from "./check";
import type { FileReading } from "./verdict/coverage";
import type { PlacedSuppression } from "./findings/suppressions";

export interface WorkspaceCheck extends CheckResult {
  /** The program: notes, transactions and statements with their places. */
  readonly program: Program;
  /** Remarks without a place in a file: on the configuration, or on missing parts of the installation. */
  readonly remarks: readonly string[];
  /** The comments that suppress findings; see findings.ts. */
  readonly suppressions: readonly PlacedSuppression[];
  /** How much of each file was understood. */
  readonly files: readonly FileReading[];
}

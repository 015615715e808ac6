// An anomaly with what a test of it needs to know.
import type { SqlParsers } from "../frontend/sql/parsers";
import type { SourceFile } from "../frontend/sql/readProgram";
import type { Level } from "../isolation/levels";
import type { Dialect } from "../program/dialect";
import type { Program } from "../program/program";
import type { Anomaly } from "../protocol/report";

export interface TestInput {
  readonly anomaly: Anomaly;
  readonly program: Program;
  readonly files: readonly SourceFile[];
  /** The dialect of all files; each tells its own where it is absent. */
  readonly dialect?: Dialect | undefined;
  readonly parsers: SqlParsers;
  readonly levelOf: (instance: string) => Level;
  /** The project's folder as the test names it: relative to the test's own, with `/`. */
  readonly folder: string;
  /** The file that the test is written to. */
  readonly fileName?: string;
}

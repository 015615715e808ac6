// A question about runs that part at a point, and its answer.
import type { Value } from "../events";
import type { KnownValue, Path } from "./knowns";
import type { Twins } from "./twins";

export interface Decision {
  readonly condition: string;
  readonly doubt?: string;
  /** Values that may decide, where there is a doubt. */
  readonly deciders?: readonly DecidingValue[];
}

export interface DecidingValue {
  readonly known: KnownValue;
  /** Values of it that would tell more. */
  readonly aims?: readonly number[];
  /** The same in the place of single runs. */
  readonly aimAt?: (path: Path) => readonly number[];
}

export interface DecisionQuestion {
  readonly here: readonly Path[];
  readonly elsewhere: readonly Path[];
  readonly knowns: readonly KnownValue[];
  /** Arguments that show only later on this way. */
  readonly later: readonly KnownValue[];
  /** Amounts that all runs of this way send later on. */
  readonly sent: readonly number[];
  /** The last statement before the ways part. */
  readonly step: number;
  readonly fresh: (name: string) => string;
  /** A literal of SQL for a text that was read; undefined where it may not be shown and no word can stand for it. */
  readonly literal: (value: Value, column: string) => string | undefined;
  /** Runs with the same arguments from outside. */
  readonly twins: Twins;
}

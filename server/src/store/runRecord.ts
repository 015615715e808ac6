// The record of a run as the drivers write it.
import type { ProductLevel } from "../isolation/levels";
import type { Schema } from "../program/schema";
import type { Statement } from "../program/statement";
import type { ResultRows } from "./frame";
import type { Machine } from "./machine";
import type { Attempt, CellRead, Scan } from "./recorder";
import type { TableRows, Write } from "./row";

/** One executed statement or end of an instance, with versions by step number. */
export interface StepRecord {
  readonly instance: string;
  readonly statement: number | "commit" | "rollback";
  /** The unit's transaction that contains the step, from 0. */
  readonly part?: number;
  /** True for a single-statement transaction of a unit. */
  readonly commits?: boolean;
  /** The level of a statement, at a product's level. */
  readonly level?: ProductLevel;
  readonly source?: Statement;
  readonly sees: readonly string[];
  /** True if it read the newest rows, not a snapshot. */
  readonly current?: boolean;
  readonly cells: readonly CellRead[];
  readonly scans: readonly Scan[];
  readonly attempts?: readonly Attempt[];
  readonly used: ReadonlySet<string>;
  /** True if that search saw the writes of an earlier step of another instance. */
  readonly saw: (step: number, scan: Scan) => boolean;
  readonly writes: readonly Write[];
  readonly rows: ResultRows;
  /** The caller's view of the rows, where it differs. */
  readonly shown?: ResultRows;
  readonly affected: number;
  readonly waitedFor?: string;
  readonly why?: string;
}

/** A finished run. */
export interface Run {
  readonly schema: Schema;
  readonly steps: readonly StepRecord[];
  /** Writes of committed instances, in version order. */
  readonly writes: readonly Write[];
  /** Per instance: "committed", or "rolled back: why". */
  readonly status: Readonly<Record<string, string>>;
  readonly machines: readonly Machine[];
  readonly final: ReadonlyMap<string, TableRows>;
}

export const COMMITTED = "committed";

/** The name of a step's transaction: that of its instance, with a number for units. */
export function transactionAt({ instance, part }: Pick<StepRecord, "instance" | "part">): string {
  return part === undefined ? instance : `${instance}/${String(part + 1)}`;
}

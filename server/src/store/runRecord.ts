// Record of a run, as the drivers write it.
import type { ProductLevel } from "../isolation/levels";
import type { Schema } from "../program/schema";
import type { Statement } from "../program/statement";
import type { ResultRows } from "./frame";
import type { Machine } from "./machine";
import type { CellRead, Scan } from "./recorder";
import type { TableRows, Write } from "./row";

/** One executed statement or end of an instance, with versions by step number. */
export interface StepRecord {
  readonly instance: string;
  readonly statement: number | "commit" | "rollback";
  /** The number of the unit's transaction that the step belongs to, from 0. */
  readonly part?: number;
  /** The statement was a transaction of its own, of a unit. */
  readonly commits?: boolean;
  /** The level of a statement at a product's level. */
  readonly level?: ProductLevel;
  readonly source?: Statement;
  readonly sees: readonly string[];
  /** It met the newest rows where it got to them, not those of a snapshot. */
  readonly current?: boolean;
  readonly cells: readonly CellRead[];
  readonly scans: readonly Scan[];
  readonly used: ReadonlySet<string>;
  /** True if that search met the writes of an earlier step of another instance. */
  readonly saw: (step: number, scan: Scan) => boolean;
  readonly writes: readonly Write[];
  readonly rows: ResultRows;
  readonly affected: number;
  readonly waitedFor?: string;
  readonly why?: string;
}

/** A finished run. */
export interface Run {
  readonly schema: Schema;
  readonly steps: readonly StepRecord[];
  /** Writes of the instances that committed, in version order. */
  readonly writes: readonly Write[];
  /** Per instance: "committed", or "rolled back: why". */
  readonly status: Readonly<Record<string, string>>;
  readonly machines: readonly Machine[];
  readonly final: ReadonlyMap<string, TableRows>;
}

export const COMMITTED = "committed";

/** The transaction that a step belongs to, by a name: that of its instance, but for units, which have several. */
export function transactionAt({ instance, part }: Pick<StepRecord, "instance" | "part">): string {
  return part === undefined ? instance : `${instance}/${String(part + 1)}`;
}

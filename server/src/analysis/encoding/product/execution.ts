// An execution while it is defined in a script: effects of statements, views of them, times and snapshots.
import type { Smt, Script } from "../smt";
import type { Term } from "../../operations/operation";
import type { SqlValue } from "../sqlValue";
import type { RowKey, Database } from "./database";
import type { Access, ProductTuple, TupleTable, View } from "./tuple";

/** Assertions that are postponed until everything is defined. */
export type PendingAssertions = (() => void)[];

/** A moment of an instance. Equal times are ordered by commit order. */
export interface Moment {
  readonly instance: number;
  readonly time: Smt;
}

export interface Times {
  /** The start of a statement, before any wait. */
  begins(instance: number, step: number): Moment;
  /** The end of its waits; its effect is atomic at this moment. */
  acts(instance: number, step: number): Moment;
  /** The commit or rollback of the instance. */
  ends(instance: number): Moment;
  steps(instance: number): number;
}

/** A statement's look at a row that it does not lock. */
export interface Look {
  readonly access: Access;
  readonly row: RowKey;
}

export interface Snapshots {
  /** The condition that the access's snapshot contains the instance's commit; false for later committers. */
  sees(earlier: number, access: Access): Smt;
  /** The same for a statement by its number; true if that statement's snapshot does not matter. */
  seesAt(earlier: number, instance: number, step: number): Smt;
  /** The condition that a statement begins after the commit; true if its beginning does not matter. */
  beginsAfter(earlier: number, instance: number, step: number): Smt;
  /** The condition that the access looks at the row after the commit; true if it reads nothing that changes. */
  looksAfter(earlier: number, access: Access, row: RowKey): Smt;
  /** The looks so far, in the order of their first use. */
  looks(): readonly Look[];
  /** The times, if dirty reads make them matter. */
  readonly times?: Times | undefined;
  /** The first statement after `step` whose beginning matters. */
  nextStep(instance: number, step: number): number | undefined;
}

/** The effect of an operation. */
export interface Effect {
  readonly access: Access;
  readonly exec: Smt;
  /** The key of a point operation. */
  readonly row?: RowKey;
  /** True if a read found a row, or a write changed one. */
  readonly found: Smt;
  readonly count: Smt;
  readonly outputs: Readonly<Record<string, SqlValue>>;
  /** The rows that it looked at, each with whether it was selected. */
  readonly chosen: readonly { readonly row: RowKey; readonly is: Smt }[];
  /** For an insertion: whether it created a row, or (ON CONFLICT DO UPDATE) changed one. */
  readonly inserted: Smt;
  readonly updated: Smt;
  /** The errors that occurred and are caught, by SQLSTATE; filled in at its end. */
  readonly failed: Record<string, Smt>;
}

/** The definitions of a run so far, in commit order. */
export interface Ledger {
  readonly script: Script;
  readonly tuple: ProductTuple;
  readonly database: Database;
  readonly done: readonly Effect[][];
  /** Per instance, the condition that it commits. */
  readonly commits: Smt[];
  /** Keys of insertions into closed tables, beyond the rows that may exist initially. */
  readonly inserted: Map<string, RowKey[]>;
  /** See RunOptions: there are more rows than the named ones. */
  readonly open: boolean;
  /** Pending assertions of dirty reads, made when everything is defined; absent in runs without them. */
  readonly unsettled?: PendingAssertions;
}

export interface RunOptions {
  /** The instances in commit order. */
  readonly order: readonly number[];
  /** True if the snapshot of the access contains the earlier committer. */
  readonly sees: (earlier: number, access: Access) => Smt;
  /** True if it looks at the row after the commit of the earlier committer. */
  readonly looksAfter: (earlier: number, access: Access, row: RowKey) => Smt;
  /** Serial: an instance may fail and is undone. Concurrent: all commit, which the caller asserts. */
  readonly serial: boolean;
  /** True if others may have written anything that is read: every view of every instance is a separate state. */
  readonly open?: boolean;
  /** The times of statements, if some read uncommitted data; instances may then also roll back. */
  readonly times?: Times | undefined;
}

export interface Views {
  /** A column as an operation sees it; EXISTS is a Boolean. */
  state(access: Access, view: View, column: string, row: RowKey): SqlValue;
  final(table: TupleTable, column: string, row: RowKey): SqlValue;
  /** The condition that the row exists and satisfies WHERE in a view. */
  matches(access: Access, view: View, row: RowKey): Smt;
  /** The condition that the statement selects the row: a locked row must match in its view and in its newest version. */
  finds(access: Access, row: RowKey): Smt;
  /** As `hits`, but at levels that say so only if some value changes. */
  makesVersion(access: Access, row: RowKey): Smt;
  /**
   * The condition that the row selected in a locking statement's snapshot was deleted before it was locked, at a level that rechecks
   * changed rows: a row inserted with its key since is another row.
   */
  replaced(access: Access, row: RowKey): Smt;
  /** The condition that earlier statements of its instance created a version of the row. */
  hasOwnVersion(access: Access, row: RowKey): Smt;
  /** The condition that a dirty read sees another instance's write. */
  seesWrite(write: Access, reader: Access): Smt;
  /** The key conditions that do not depend on any view. */
  keyMatches(access: Access, row: RowKey): Smt;
  /** The condition that the operation writes the row, possibly undone later. */
  touches(access: Access, row: RowKey): Smt;
  /** The condition that it is undone before statement `step`, or ever. Call it when these are defined. */
  undone(access: Access, step?: number): Smt;
  /** The condition that the operation creates a lasting version of the row. */
  hits(access: Access, row: RowKey): Smt;
  exec(access: Access): Smt;
  /** All rows of a closed table that this run may touch. */
  rows(table: TupleTable): readonly RowKey[];
  value(instance: number, term: Term, at?: (column: string) => SqlValue): SqlValue;
  /** The columns of a row, for `value`. */
  columnAt(access: Access, view: View, row: RowKey): (column: string) => SqlValue;
  /** The value that a write gives a column, computed from the row's newest version. */
  newValue(write: Effect, term: Term | undefined, row: RowKey): SqlValue;
  insertedValue(write: Effect, column: string): SqlValue;
}

export interface Run extends Views {
  readonly done: readonly (readonly Effect[])[];
  /** Per instance, the condition that it commits. */
  readonly commits: readonly Smt[];
  /** Per instance, the condition that it cannot commit in this run. */
  readonly failures: readonly Smt[];
  /** Results for the instance's callers. */
  readonly returned: readonly (readonly SqlValue[])[];
  /** Everything that the instance reads. */
  readonly observed: readonly (readonly SqlValue[])[];
}

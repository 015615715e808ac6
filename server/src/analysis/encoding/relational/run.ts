// Interface of a symbolic run; `runner.ts` implements it.
import type { TermScope } from "../termValue";
import type { Smt } from "../smt";
import type { SqlValue } from "../sqlValue";
import type { Database, RowTerm } from "./database";
import type { Instance, Site, StepRef } from "./instances";
import type { Relations } from "./relations";

/** The observer: an operation, or the final state. */
export type Viewer = Site | "final";

export interface Run {
  readonly database: Database;
  readonly relations: Relations;
  readonly instances: readonly Instance[];
  /** True if the operation is executed: its guard. */
  executed(site: Site): Smt;
  /** True if the statement is executed. */
  reached(step: StepRef): Smt;
  /** The row of a point operation or insert, else the representative. */
  row(site: Site): RowTerm;
  /** Rows of the table that this run mentions, and the shared ones. */
  rows(table: string): readonly RowTerm[];
  alive(viewer: Viewer, table: string, row: RowTerm): Smt;
  value(viewer: Viewer, table: string, row: RowTerm, column: string): SqlValue;
  /** True if the row exists for the operation and satisfies its key and predicate. */
  present(site: Site, row: RowTerm): Smt;
  /** True if a row with these column values would satisfy key and predicate. */
  accepts(site: Site, row: RowTerm, column: (name: string) => SqlValue): Smt;
  /** True if the operation changes the row, possibly undone later. */
  touches(site: Site, row: RowTerm): Smt;
  /** True if the operation changes the row permanently. */
  changes(site: Site, row: RowTerm): Smt;
  /** The value that the operation writes to a column of a row that it changes. */
  written(site: Site, row: RowTerm, column: string): SqlValue;
  /** True if the writer changes the row and the viewer sees it. */
  active(writer: Site, viewer: Viewer, row: RowTerm): Smt;
  /** True if the viewer's version of that column of the row is the writer's. */
  newest(writer: Site, viewer: Viewer, row: RowTerm, column: string): Smt;
  before(first: Site, second: Site): Smt;
  writers(table: string, column: string): readonly Site[];
  found(site: Site): Smt;
  count(site: Site): Smt;
  output(site: Site, name: string): SqlValue;
  scope(instance: number, column?: (name: string) => SqlValue): TermScope;
  /** True if the instance rolls back, by its own statement or by an error. */
  aborted(instance: number): Smt;
  /** Makes the postponed assertions. To be called after the last request for a term. */
  settle(): void;
}

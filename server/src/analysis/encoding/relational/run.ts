// Interface of a symbolic run; `runner.ts` makes them.
import type { TermScope } from "../termValue";
import type { Smt } from "../smt";
import type { SqlValue } from "../sqlValue";
import type { Database, RowTerm } from "./database";
import type { Instance, Site, StepRef } from "./instances";
import type { Relations } from "./relations";

/** Who looks: an operation, or everyone after the end. */
export type Viewer = Site | "final";

export interface Run {
  readonly database: Database;
  readonly relations: Relations;
  readonly instances: readonly Instance[];
  /** True if the operation is reached: its guard. */
  executed(site: Site): Smt;
  /** True if the statement runs. */
  reached(step: StepRef): Smt;
  /** The row of a point operation or insert, else the representative one. */
  row(site: Site): RowTerm;
  /** Rows of the table that this run mentions, and the shared ones. */
  rows(table: string): readonly RowTerm[];
  alive(viewer: Viewer, table: string, row: RowTerm): Smt;
  value(viewer: Viewer, table: string, row: RowTerm, column: string): SqlValue;
  /** True if the row exists for the operation and satisfies its key and predicate. */
  present(site: Site, row: RowTerm): Smt;
  /** True if the row would satisfy key and predicate with these column values. */
  accepts(site: Site, row: RowTerm, column: (name: string) => SqlValue): Smt;
  /** True if the operation changes the row, if only until that is undone. */
  touches(site: Site, row: RowTerm): Smt;
  /** True if the operation changes the row for good. */
  changes(site: Site, row: RowTerm): Smt;
  /** Value that the operation gives the column of a row that it changes. */
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
  /** True if the instance rolls back, by its own will or by an error. */
  aborted(instance: number): Smt;
  /** Asserts what was put off. Call it when everything of interest was asked for. */
  settle(): void;
}

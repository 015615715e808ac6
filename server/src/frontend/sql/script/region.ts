// The parts of a script: regions, each a transaction to be, with their items in order.
import type { DeclaredLevel } from "../../../program/program";
import type { AnnotationComment } from "../annotations/annotations";
import type { Control } from "../control";
import type { Span } from "../text/split";
import type { StatementKind } from "../text/statementKind";
import type { Environment } from "./environment";
import type { MetaCommand } from "./metaCommand";

export type StatementItem = Span & {
  readonly kind: "statement";
  readonly what: StatementKind;
  /** True behind LOCK TABLES, which keeps others out of what it names. */
  readonly hasLockedTables?: boolean;
};
/** `level`: the declared level of a transaction inside of a unit. */
export type ControlItem = Span & {
  readonly kind: "control";
  readonly control: Control;
  readonly level?: DeclaredLevel;
};
export type MetaItem = Span & { readonly kind: "meta"; readonly command: MetaCommand };
export type ScriptItem = StatementItem | ControlItem | MetaItem;

export interface Region {
  /** `script`: marked by a comment, without BEGIN. `unit`: marked as several transactions, whose BEGINs are items. */
  readonly boundary: "explicit" | "script" | "autocommit" | "unit";
  readonly header: Span;
  readonly source: Span;
  readonly items: readonly ScriptItem[];
  /** True if a branch of it, or its text, ends before a COMMIT. */
  readonly isLeftOpen?: true;
  readonly level?: DeclaredLevel;
  /** Its comments, in order. */
  readonly annotations: readonly AnnotationComment[];
  readonly environment: Environment;
}

export interface RoutineSlice extends Span {
  readonly annotations: readonly AnnotationComment[];
}

// Parts of an UPDATE in code: its columns, its place, and the result of a library's idiom.
import type { TextEdit } from "../candidate";
import type { Site } from "../workshop";
import type { CodeGuard } from "./codeGuards";
import type { CodeConnection } from "./connection";
import type { CodeColumn } from "./columnValue";

/** A column of the row with its required condition. */
export interface GuardedColumn {
  readonly column: string;
  /** The code's name: `stockLeft`. */
  readonly key: string;
  readonly held: CodeColumn;
  readonly guards: readonly CodeGuard[];
}

/** The places of an UPDATE's parts. */
export interface Place {
  readonly site: Site;
  readonly connection: CodeConnection;
  readonly isMysql: boolean;
  edit(start: number, end: number, newText: string): TextEdit;
}

/** The result of an idiom: edits, the form of the row count, and names to import. */
export interface Idiom {
  readonly edits: readonly TextEdit[];
  readonly computed: readonly string[];
  /** The binding of the result, and the condition that no row was changed. */
  readonly result?: { readonly binding: string; readonly none: string };
  readonly imports?: { readonly from: string; readonly names: readonly string[] };
}

/** An UPDATE that checks, or computes, what a read before it was for. */
export interface GuardedEdits {
  readonly edits: readonly TextEdit[];
  /** True if the UPDATE now has a guard that was checked before it. */
  readonly isChecked: boolean;
  /** True if the UPDATE now computes a column from the row itself. */
  readonly isComputed: boolean;
}

/** The variable name for an UPDATE's result. */
export const RESULT = "updated";

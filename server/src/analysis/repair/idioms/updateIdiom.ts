// Parts of an UPDATE in code: the columns that it is about, where it is written, and what a library's idiom gives.
import type { TextEdit } from "../candidate";
import type { Site } from "../workshop";
import type { CodeGuard } from "./codeGuards";
import type { CodeConnection } from "./connection";
import type { CodeColumn } from "./columnValue";

/** A column of the row, with what it is to satisfy. */
export interface GuardedColumn {
  readonly column: string;
  /** As code calls it: `stockLeft`. */
  readonly key: string;
  readonly held: CodeColumn;
  readonly guards: readonly CodeGuard[];
}

/** Where the parts of an UPDATE are written. */
export interface Place {
  readonly site: Site;
  readonly connection: CodeConnection;
  readonly isMysql: boolean;
  edit(start: number, end: number, newText: string): TextEdit;
}

/** Result of an idiom: edits, how the count of changed rows is told, and names to import. */
export interface Idiom {
  readonly edits: readonly TextEdit[];
  readonly computed: readonly string[];
  /** How the result is bound and what is true of it where no row was changed. */
  readonly result?: { readonly binding: string; readonly none: string };
  readonly imports?: { readonly from: string; readonly names: readonly string[] };
}

/** The name of what an UPDATE gives. */
export const RESULT = "updated";

// Errors by their classes, and the transactions that they undo.

/** An error by its class. */
export interface ErrorClass {
  /** Its class and those that it extends, as far as they are known, nearest first. */
  readonly classes: readonly string[];
  /** True if callers must declare or catch it; undefined: not known. */
  readonly isChecked?: boolean;
  /** A handler throws what it caught. */
  readonly isCaught?: boolean;
  /** The transaction around is undone, whoever catches it. */
  readonly isDoom?: boolean;
}

/** True if a transaction is undone at an error that leaves it; undefined: not known. */
export type UndoRule = (thrown: ErrorClass) => boolean | undefined;

// The abstract representation (AR) of a workspace: its schema and its transactions. Plain JSON, immutable.
import type { FileId, SourceRange } from "../protocol/source";
import type { DeclaredLevel } from "./declaredLevel";
import type { Dialect } from "./dialect";
import type { Expression, ValueType, Relation } from "./expression";
import type { Taint } from "./precision";
import type { Schema } from "./schema";
import type { Command, StatementId } from "./statement";
import type { Suppression } from "./suppression";

export type { DeclaredLevel };

/** A function that is not evaluated, of arguments of its transaction: `·` in its text represents each of them in order. */
export interface OutsideFunction {
  readonly function: string;
  readonly arguments: readonly string[];
  /** True if collisions do not occur in practice: a digest. */
  readonly isInjective?: true;
}

export interface Parameter {
  readonly name: string;
  readonly type: ValueType;
  /** The element type, for an array: its instances' arguments are the elements `name[1]`, `name[2]`, ..., and `name.length`. */
  readonly elements?: ValueType;
  /** `fresh`: unique per instance (a generated id); `constant`: the same in all instances. */
  readonly origin: "argument" | "constant" | "fresh";
  /** A setting of the process (`process.env.MAX_SEATS`), usually the same for all transactions that name it. */
  readonly isSetting?: true;
  /** The answer to a request for a lock: false if somebody else has it. */
  readonly isGrant?: true;
  /** True if a caller may pass NULL. */
  readonly nullable?: true;
  /** The function of other arguments that computes it: equal for equal arguments, in all instances of all transactions. */
  readonly of?: OutsideFunction;
}

/** An `@isolens` comment that requests something for a transaction, or marks it as recorded. */
export interface Annotation {
  readonly kind: "invariant" | "learnt";
  readonly text: string;
  readonly source: SourceRange;
}

/**
 * A handler within a transaction that swallows a failure of its body's statement: it continues in the transaction, retries the body, or
 * ends normally, by a ROLLBACK or a return to a savepoint. Or one around a transaction that runs it again, with an effect outside of the
 * database before the statement.
 */
export interface KeptError {
  readonly then: "goes on" | "tries again" | "undoes" | "repeats";
  readonly statements: readonly StatementId[];
  readonly source: SourceRange;
  /** The call that is made again. */
  readonly effect?: OutsideEffect;
}

/** A call that does something outside of the database. */
export interface OutsideEffect {
  readonly name: string;
  readonly source: SourceRange;
}

export interface Transaction {
  /** Unique in its program: `name`, or `name (file)` if two share it. */
  readonly id: string;
  readonly name: string;
  /** The transaction's header, for lenses and hovers. */
  readonly header: SourceRange;
  /** The whole transaction. */
  readonly source: SourceRange;
  /**
   * `unit`: not one transaction but several in sequence in one session, which people take for one (a request handler). Each `atomic`
   * command in its body is a transaction, and so is every statement outside of these. All other kinds are one transaction, without `atomic`
   * commands. Emit a unit only if something commits before its end: see `unit.ts`.
   */
  readonly boundary: "explicit" | "routine" | "script" | "autocommit" | "unit";
  readonly parameters: readonly Parameter[];
  /** Conditions on the parameters that hold in every run (`@isolens distinct`, ...). */
  readonly preconditions: readonly Expression[];
  readonly body: Command;
  readonly level?: DeclaredLevel;
  readonly annotations: readonly Annotation[];
  /**
   * For code: `thrown` if errors of some transaction propagate, so that nothing inside retries it; `caught` if all are caught somewhere
   * inside, or by something unknown. Absent if the callers' behaviour is unknown.
   */
  readonly errors?: "thrown" | "caught";
  /** Handlers within code's transactions that continue there as if the server had not aborted them. */
  readonly keptErrors?: readonly KeptError[];
  /** Losses outside of any one statement (control flow, dynamic SQL, calls). */
  readonly taint: readonly Taint[];
}

/** A remark on the text: a parse error, an unknown table, an unused comment. */
export interface Note {
  readonly severity: "error" | "warning" | "information";
  readonly code: string;
  readonly message: string;
  readonly source: SourceRange;
  /** The number of calls that it reports. */
  readonly calls?: number;
  /** The table with an inferred definition. */
  readonly table?: string;
}

/**
 * A condition that holds between transactions: no combination of one row per relation satisfies `where` and makes `condition` false (NULL
 * counts as true, as for CHECK). A user's invariant may have several parts, which share their text.
 */
export interface Invariant {
  /** The user's text, or ours for an inferred invariant. */
  readonly text: string;
  readonly origin: "comment" | "configuration" | "inferred";
  readonly source?: SourceRange;
  /** Base tables, joined only by `where`. */
  readonly relations: readonly Relation[];
  readonly where: Expression;
  /** A condition without queries, EXISTS over one base table, or the literal false; for a total, any condition. */
  readonly condition: Expression;
  /** The column of the first relation that the user calls `:o` in a total. */
  readonly names?: readonly { readonly name: string; readonly column: string }[];
}

export interface Program {
  readonly schema: Schema;
  readonly transactions: readonly Transaction[];
  /** Stated or inferred invariants about the rows between transactions. */
  readonly invariants?: readonly Invariant[];
  /** Invariants over sums, counts and subqueries: outcomes are compared with them, but they are never assumed. */
  readonly totals?: readonly Invariant[];
  /** The `@isolens ignore` comments of all files, in the order of files and text. */
  readonly suppressions?: readonly Suppression[];
  readonly notes: readonly Note[];
  readonly files: readonly FileId[];
  /** Files that were not reached before reading was stopped. */
  readonly unread?: readonly FileId[];
  /** The dialects of the files, without repetition; absent if all are PostgreSQL. */
  readonly dialects?: readonly Dialect[];
}

// The abstract representation (AR) of a workspace: its schema and its transactions. Plain JSON, immutable.
import type { FileId, SourceRange } from "../protocol/source";
import type { DeclaredLevel } from "./declaredLevel";
import type { Dialect } from "./dialect";
import type { Expression, ValueType } from "./expression";
import type { Taint } from "./precision";
import type { Schema } from "./schema";
import type { Command, Relation, StatementId } from "./statement";
import type { Suppression } from "./suppression";

export type { DeclaredLevel };

/** A function that nobody evaluates, of arguments of its transaction: `·` in its text stands for each of them in order. */
export interface OutsideFunction {
  readonly function: string;
  readonly arguments: readonly string[];
  /** Nobody finds two arguments for which it gives the same: a digest. */
  readonly isInjective?: true;
}

export interface Parameter {
  readonly name: string;
  readonly type: ValueType;
  /**
   * Set for an array, whose instances' arguments are its elements, by the names `name[1]`, `name[2]`, ..., and
   * `name.length`: the type of the elements.
   */
  readonly elements?: ValueType;
  /** `fresh`: unique per instance (a generated id); `constant`: the same in all instances. */
  readonly origin: "argument" | "constant" | "fresh";
  /** A caller may leave it NULL. */
  readonly nullable?: true;
  /** It is what a function gives of other arguments: the same for the same, in all instances of all transactions. */
  readonly of?: OutsideFunction;
}

/** An `@isolens` comment of a transaction that asks for something, or says that it was learnt from recorded runs. */
export interface Annotation {
  readonly kind: "invariant" | "learnt";
  readonly text: string;
  readonly source: SourceRange;
}

/**
 * A handler within a transaction that throws nothing when a statement of its body fails: it goes on in that transaction,
 * runs the body again, or ends well, by a ROLLBACK or a return to a savepoint.
 */
export interface KeptError {
  readonly then: "goes on" | "tries again" | "undoes";
  readonly statements: readonly StatementId[];
  readonly source: SourceRange;
}

export interface Transaction {
  /** Unique in its program: `name`, or `name (file)` when two share it. */
  readonly id: string;
  readonly name: string;
  /** Where the transaction is declared: its header, which lenses and hovers use. */
  readonly header: SourceRange;
  /** All of it. */
  readonly source: SourceRange;
  /**
   * `unit`: not one transaction but several, one after the other in one session, which people take for one (a request
   * handler). Each `atomic` command in its body is a transaction, and so is every statement outside of these, which
   * commits by itself. All others are one transaction, without `atomic` commands. Emit a unit only where something
   * commits before its end: see `unit.ts`.
   */
  readonly boundary: "explicit" | "routine" | "script" | "autocommit" | "unit";
  readonly parameters: readonly Parameter[];
  /** Conditions on the parameters that hold in every run (`@isolens distinct`, ...). */
  readonly preconditions: readonly Expression[];
  readonly body: Command;
  readonly level?: DeclaredLevel;
  readonly annotations: readonly Annotation[];
  /**
   * Of code: errors of some transaction that it opens leave it, so that nothing in it runs that transaction again; or all are
   * caught somewhere in it, or by something unknown. Absent: nobody knows what its callers do.
   */
  readonly errors?: "thrown" | "caught";
  /** The handlers within code's transactions that go on there, as if the server had not ended them. */
  readonly keptErrors?: readonly KeptError[];
  /** Losses outside any one statement (control flow, dynamic SQL, calls). */
  readonly taint: readonly Taint[];
}

/** A remark on the text itself: a parse error, an unknown table, an unused comment. */
export interface Note {
  readonly severity: "error" | "warning" | "information";
  readonly code: string;
  readonly message: string;
  readonly source: SourceRange;
  /** How many calls it tells of. */
  readonly calls?: number;
  /** The table whose definition is guessed. */
  readonly table?: string;
}

/**
 * A part of what always holds between transactions: no combination of one row of each relation satisfies `where` and
 * makes `condition` false (NULL is as good as true, as for CHECK). What the user wrote may have several parts, which
 * share their text.
 */
export interface Invariant {
  /** By what people know it: the user's own words, or ours for one that was inferred. */
  readonly text: string;
  readonly origin: "comment" | "configuration" | "inferred";
  readonly source?: SourceRange;
  /** Base tables, joined by nothing but `where`. */
  readonly relations: readonly Relation[];
  readonly where: Expression;
  /** Free of queries, or EXISTS over one base table, or the literal false; of a total, any condition. */
  readonly condition: Expression;
  /** The column of the first relation's row that the user calls `:o` in a total. */
  readonly names?: readonly { readonly name: string; readonly column: string }[];
}

export interface Program {
  readonly schema: Schema;
  readonly transactions: readonly Transaction[];
  /** Invariants that the user states or that were inferred about the rows between transactions. */
  readonly invariants?: readonly Invariant[];
  /** Invariants over sums, counts and values of subqueries: outcomes are held against them, and nothing rests on them. */
  readonly totals?: readonly Invariant[];
  /** The `@isolens ignore` comments of all files, in the order of files and text. */
  readonly suppressions?: readonly Suppression[];
  readonly notes: readonly Note[];
  readonly files: readonly FileId[];
  /** Files that were not come to before reading was stopped. */
  readonly unread?: readonly FileId[];
  /** The dialects of the files, without repetition, where they are not all of PostgreSQL. */
  readonly dialects?: readonly Dialect[];
}

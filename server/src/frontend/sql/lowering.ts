// The shared context of all lowerings: the current piece of text, names in scope, fresh ids, notes. A piece is one statement as its parser
// sees it (placeholders as $1, $2, ...), mapped to the user's file.
import type { SourceRange } from "../../protocol/source";
import type { Expression, ValueType, Query } from "../../program/expression";
import type { Note } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command, Statement, StatementId } from "../../program/statement";
import { rangeOf, type LineIndex } from "./text/lines";
import type { Spelling } from "./text/spelling";

/** One statement of a file: `sql` is the parser's input, the offsets are UTF-16. */
export interface SqlPiece {
  readonly lines: LineIndex;
  readonly sql: string;
  /** The statement's place in the file, without its semicolon. */
  readonly start: number;
  readonly end: number;
  /** Maps an offset of `sql` to the file. Monotone; inside of a placeholder it gives the placeholder's start. */
  readonly toFile: (offset: number) => number;
}

/** The range in the user's file of `[start, end)` of a piece's `sql`. */
export function sourceIn(piece: SqlPiece, start: number, end: number): SourceRange {
  return rangeOf(piece.lines, piece.toFile(start), piece.toFile(end));
}

/** The range of the whole piece. */
export function sourceOf(piece: SqlPiece): SourceRange {
  return rangeOf(piece.lines, piece.start, piece.end);
}

/** The user's own text of the piece. */
export function textOf(piece: SqlPiece): string {
  const { text, written = text } = piece.lines;
  return written.slice(piece.start, piece.end);
}

/** An unmodified part of the file's text. */
export function plainPiece(lines: LineIndex, start: number, end: number): SqlPiece {
  return {
    lines,
    sql: lines.text.slice(start, end),
    start,
    end,
    toFile: (offset) => start + Math.max(0, Math.min(offset, end - start)),
  };
}

/** Ids that are unique within one transaction. Statement ids are `<transaction>/<ordinal>` from 1. */
export interface Ids {
  statement(): StatementId;
  /** A result's name: `r1`, `r2`, ... */
  result(): string;
  /** Names for loops, unknown and fresh values: `<prefix>1`, `<prefix>2`, ... */
  fresh(prefix: string): string;
}

/** The numbers of used ids, by kind. */
export interface IdCounts {
  statements: number;
  results: number;
  /** By prefix. */
  readonly fresh: Map<string, number>;
}

export function noIds(): IdCounts {
  return { statements: 0, results: 0, fresh: new Map() };
}

/** Fresh ids for a transaction, after those already used. */
export function createIds(transaction: string, counts: IdCounts = noIds()): Ids {
  return {
    statement: () => `${transaction}/${++counts.statements}`,
    result: () => `r${++counts.results}`,
    fresh: (prefix) => {
      const next = (counts.fresh.get(prefix) ?? 0) + 1;
      counts.fresh.set(prefix, next);
      return `${prefix}${next}`;
    },
  };
}

/** The context of lowering a statement. */
export interface LoweringContext {
  readonly piece: SqlPiece;
  /** The table of that (folded, unqualified) name, declared or inferred. */
  readonly table: (name: string) => Table | undefined;
  /** The meaning of `$n`; undefined if it is unbound. */
  readonly placeholder: (number: number) => Expression | undefined;
  /** The declared spelling of names, in case-insensitive products. */
  readonly spelling?: Spelling;
  /** The meaning of a name that is no column in scope: a PL/pgSQL variable, a function's argument. */
  readonly variable: (path: readonly string[]) => Expression | undefined;
  /** The resolution of a name that is both a column and a variable; the column if absent. */
  readonly conflict?: "refused" | "variable";
  readonly ids: Ids;
  readonly note: (note: Note) => void;
  /** The query of the view of that name. */
  readonly view?: (name: string) => Query | undefined;
  /** The declared types of `placeholder` and `variable` values. */
  readonly types?: {
    readonly parameters: ReadonlyMap<string, ValueType>;
    readonly variables: ReadonlyMap<string, ValueType>;
  };
  /** A column of a cursor's current row. */
  readonly cursor?: (name: string, column: string) => Expression | undefined;
  /** Inlines the workspace's routine of that name before the statement and returns its result; undefined if unknown. */
  readonly call?: (
    name: string,
    args: readonly CallArgument[],
    schema?: string,
  ) => CallResult | undefined;
  /** The value of the workspace's function of that name, if it touches no table; undefined if unknown. */
  readonly gives?: (
    name: string,
    count: number,
    schema?: string,
  ) => { readonly deterministic: boolean; readonly mayFail: boolean } | undefined;
  /**
   * The argument types of the workspace's function that such a call may mean; undefined if there is none, or if a built-in function takes
   * precedence.
   */
  readonly owns?: (name: string, count: number, schema?: string) => readonly string[] | undefined;
  /** True if something uses the id generated by an INSERT: it is returned even if the text does not say so. */
  readonly wantsInsertId?: boolean | "if known";
  /** When InnoDB locks what queries of a change read, within a trigger; as the kind of the change says if absent. */
  readonly changesLock?: "always" | "by level";
}

/** The context of expressions and queries in DDL: no placeholders, no variables. */
export function declarationContext(
  piece: SqlPiece,
  name: string,
  table: LoweringContext["table"],
): LoweringContext {
  return {
    piece,
    table,
    placeholder: () => undefined,
    variable: () => undefined,
    ids: createIds(name),
    note: () => undefined,
  };
}

/** The result of a routine. */
export interface CallResult {
  readonly value: Expression;
  /** The names of its columns; a single one is the value itself. */
  readonly columns: readonly string[];
  /** The values of several columns, if they are known separately. */
  readonly values?: readonly Expression[];
  /** The query for its rows, as a part of the calling statement. */
  readonly rows?: Query;
  /** True if it returns any number of rows, of which the value is one. */
  readonly isSet: boolean;
}

/** An argument of a call, by position or by name. */
export interface CallArgument {
  readonly name?: string;
  readonly value: Expression;
}

/** One SQL statement in the AR: several statements if it changes data in its WITH clause. */
export interface Lowering {
  readonly statements: readonly Statement[];
  /** The same statements with control flow, if they are no plain sequence. */
  readonly commands?: readonly Command[];
  /** The result for its caller: its name and its columns in order. */
  readonly result?: {
    readonly name: string;
    readonly columns: readonly string[];
  };
  /**
   * SELECT ... INTO, `@v := ...` and the like: variables (`@v` with its sigil) that receive a column of the first row of `result`. Without
   * a row they are unchanged.
   */
  readonly targets?: readonly { readonly variable: string; readonly column: string }[];
  /** SET and the like: variables with their new values, in order. */
  readonly values?: readonly { readonly variable: string; readonly value: Expression }[];
  /** The value of LAST_INSERT_ID() after it, if `wantsInsertId`. */
  readonly insertId?: Expression;
}

// Shared context of every lowering to the AR: the piece of text at hand, names in scope, fresh ids, notes. A piece is
// one statement as its parser sees it (placeholders as $1, $2, ...), mapped to the user's file.
import type { SourceRange } from "../../protocol/source";
import type { Expression, ValueType, Query } from "../../program/expression";
import type { Note } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command, Statement, StatementId } from "../../program/statement";
import { rangeOf, type LineIndex } from "./text/lines";
import type { Spelling } from "./text/spelling";

/** One statement of a file: `sql` is what the parser is given, the offsets are UTF-16. */
export interface SqlPiece {
  readonly lines: LineIndex;
  readonly sql: string;
  /** Where the statement stands in the file, without its semicolon. */
  readonly start: number;
  readonly end: number;
  /** An offset of `sql` as an offset of the file. Monotone; inside a placeholder it gives its start. */
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

/** A piece that is the file's text as it stands, from `start` to `end`. */
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

/** How many ids of each kind were given. */
export interface IdCounts {
  statements: number;
  results: number;
  /** By prefix. */
  readonly fresh: Map<string, number>;
}

export function noIds(): IdCounts {
  return { statements: 0, results: 0, fresh: new Map() };
}

/** Fresh ids for the transaction of that name, behind those that were given already. */
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

/** The context in which a statement is lowered. */
export interface LoweringContext {
  readonly piece: SqlPiece;
  /** The table of that (folded, unqualified) name, declared or inferred. */
  readonly table: (name: string) => Table | undefined;
  /** Meaning of `$n`; undefined when nothing is bound to it. */
  readonly placeholder: (number: number) => Expression | undefined;
  /** How names are declared, in products that do not tell upper from lower case. */
  readonly spelling?: Spelling;
  /** The meaning of a name that is no column in scope: a PL/pgSQL variable, a function's argument. */
  readonly variable: (path: readonly string[]) => Expression | undefined;
  /** Resolution of a name that is a column in scope and a variable; absent: the column. */
  readonly conflict?: "refused" | "variable";
  readonly ids: Ids;
  readonly note: (note: Note) => void;
  /** The query of the view of that name. */
  readonly view?: (name: string) => Query | undefined;
  /** The types of what `placeholder` and `variable` give, as far as they are declared. */
  readonly types?: {
    readonly parameters: ReadonlyMap<string, ValueType>;
    readonly variables: ReadonlyMap<string, ValueType>;
  };
  /** A column of the row that a cursor stands on. */
  readonly cursor?: (name: string, column: string) => Expression | undefined;
  /** Runs the workspace's routine of that name before the statement; what it returns, undefined when it is not known. */
  readonly call?: (
    name: string,
    args: readonly CallArgument[],
    schema?: string,
  ) => CallResult | undefined;
  /** The value of the workspace's function of that name, if it touches no table; undefined when it is not known. */
  readonly gives?: (
    name: string,
    count: number,
    schema?: string,
  ) => { readonly deterministic: boolean; readonly mayFail: boolean } | undefined;
  /**
   * The types of the arguments of the workspace's function that such a call may mean, as the dialect's keys; undefined where
   * it has none, or where a function of the database's own comes before it.
   */
  readonly owns?: (name: string, count: number, schema?: string) => readonly string[] | undefined;
  /** Somebody asks for the number that an INSERT made: it is returned even where the text does not say so. */
  readonly wantsInsertId?: boolean | "if known";
}

/** The context of expressions and queries that DDL contains: no placeholders, no variables. */
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

/** Result of a routine. */
export interface CallResult {
  readonly value: Expression;
  /** The names of its columns; a single one has the value itself. */
  readonly columns: readonly string[];
  /** The values of several columns, where they are known one by one. */
  readonly values?: readonly Expression[];
  /** Query that gives its rows, where that is one: a part of the statement that calls it. */
  readonly rows?: Query;
  /** It returns any number of rows, of which the value is one. */
  readonly isSet: boolean;
}

/** An argument of a call, by position or by name. */
export interface CallArgument {
  readonly name?: string;
  readonly value: Expression;
}

/** One SQL statement in the AR: several statements when it changes data in its WITH clause. */
export interface Lowering {
  readonly statements: readonly Statement[];
  /** The same statements in their control flow, where a mere sequence does not say it. */
  readonly commands?: readonly Command[];
  /** Its caller's result: the name of a result and its columns in order. */
  readonly result?: {
    readonly name: string;
    readonly columns: readonly string[];
  };
  /**
   * SELECT ... INTO, `@v := ...` and their kind: variables (`@v` with its at sign) that receive a column of the first
   * row of `result`. Without a row they keep what they had.
   */
  readonly targets?: readonly { readonly variable: string; readonly column: string }[];
  /** SET and its kind: variables with what they get afterwards, one after the other. */
  readonly values?: readonly { readonly variable: string; readonly value: Expression }[];
  /** The value of LAST_INSERT_ID() after it, where `wantsInsertId` asks. */
  readonly insertId?: Expression;
}

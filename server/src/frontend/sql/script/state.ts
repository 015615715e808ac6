// The state of lowering a script's transaction: variables, parameters, open branches.
import type { Expression, ValueType, Query } from "../../../program/expression";
import type { DeclaredLevel, Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import type { AnnotationComment } from "../annotations/annotations";
import { literal } from "../expressions";
import { rangeOf, type LineIndex } from "../text/lines";
import { createIds, type Ids, type Lowering, type LoweringContext } from "../lowering";
import type { Span } from "../text/split";
import type { Region } from "./region";
import type { Environment } from "./environment";

/** Lowers one statement; never fails: an unknown one becomes opaque. */
export type LowerSql = (context: LoweringContext) => Lowering;

export interface ScriptContext {
  readonly lines: LineIndex;
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  readonly lowerSql: LowerSql;
  readonly note: (note: Note) => void;
}

export type Binding = "always" | "maybe";

export type RowsComment = Extract<AnnotationComment, { readonly kind: "rows" }>;

/** A branch of an \if (or the transaction itself) while its commands are collected. */
export interface Frame {
  readonly condition: Expression;
  readonly source: Span;
  commands: Command[];
  bound: Map<string, Binding>;
  /** Complete branches of the same \if: conditions, commands and bindings. */
  readonly branches: {
    condition: Expression;
    commands: Command[];
    bound: Map<string, Binding> | undefined;
  }[];
  ended: boolean;
  readonly before: ReadonlyMap<string, Binding>;
  /** In a unit: its open transaction, with its BEGIN, the number of commands before it, and its level. */
  atomic?:
    | {
        readonly from: number;
        readonly start: Span;
        readonly level: DeclaredLevel | undefined;
      }
    | undefined;
}

export interface State {
  readonly context: ScriptContext;
  readonly environment: Environment;
  readonly ids: Ids;
  readonly frames: Frame[];
  readonly parameters: Map<string, { readonly type: ValueType | undefined }>;
  readonly preconditions: Expression[];
  /** Variables that some path reads before the transaction sets them. */
  readonly initial: Set<string>;
  readonly variableTypes: Map<string, ValueType>;
  /** The number of `?` and `%s` so far. */
  anonymous: number;
  lastResult: Lowering["result"];
  /** psql's variable ROW_COUNT: rows that the last statement returned or changed. */
  rowCount: Expression | undefined;
  /** The current value of LAST_INSERT_ID() and the like. */
  insertId: Expression | undefined;
  readonly start: Span;
  /** Comments on the numbers of rows of statements that are not read yet, in order. */
  rows: readonly RowsComment[];
  /** The end of the transaction in its file. */
  readonly end: number;
}

/** The state before the first statement of a region. */
export function createState(region: Region, name: string, context: ScriptContext): State {
  return {
    context,
    environment: region.environment,
    ids: createIds(name),
    frames: [frame(literal(true), region.source, new Map())],
    parameters: new Map(),
    preconditions: [],
    initial: new Set(),
    variableTypes: new Map(),
    anonymous: 0,
    lastResult: undefined,
    rowCount: undefined,
    insertId: undefined,
    start: region.header,
    rows: region.annotations.filter((each) => each.kind === "rows"),
    end: region.source.end,
  };
}

/** A branch before its first command. */
export function frame(
  condition: Expression,
  source: Span,
  before: ReadonlyMap<string, Binding>,
): Frame {
  const bound = new Map(before);
  return { condition, source, commands: [], bound, branches: [], ended: false, before };
}

/** The current branch. */
export function top(state: State): Frame {
  const last = state.frames.at(-1);
  if (last === undefined) throw new Error("the frame of the transaction is never closed");
  return last;
}

/** A span of the current file. */
export function source(state: State, at: Span): SourceRange {
  return rangeOf(state.context.lines, at.start, at.end);
}

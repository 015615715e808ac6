// The state of lowering a stored routine of MySQL or MariaDB: names, enclosing blocks and loops, handlers, transactions.
import type { Spelling } from "../text/spelling";
import type { Dialect } from "../../../program/dialect";
import type { Expression, ValueType, Query } from "../../../program/expression";
import type { DeclaredLevel, Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command, Statement } from "../../../program/statement";
import type { CallArgument, CallResult, LoweringContext, SqlPiece } from "../lowering";
import { freshVariable, valueOf } from "../routine/names";
import { assign, unknownAt, type RoutineState } from "../routine/state";
import type { Span } from "../text/split";
import type { RoutineDefinition } from "./definition";
import type { Condition, HandlerDeclaration, RoutineStatement } from "./tree";

/** Shared parts of all routines of a reading. */
export interface RoutineContext {
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  /** The routine of that name; undefined if there is none, or several. */
  readonly routine: (name: string) => RoutineDefinition | undefined;
  readonly note: (note: Note) => void;
  readonly spelling?: Spelling;
  /** True if a statement fires triggers, whose errors are its own; none if absent. */
  readonly fires?: (statement: Statement) => boolean;
}

export interface LoopFrame {
  readonly kind: "loop";
  readonly id: string;
  readonly label: string | undefined;
  /** Its place in the body. */
  readonly start: number;
  /** The variable that records a LEAVE of the loop, if it is used. */
  readonly left?: { readonly variable: string; used: boolean };
}

export interface BlockFrame {
  readonly kind: "block";
  /** The label of this block's `exit` commands, until they are replaced. */
  readonly id: string;
  readonly label: string | undefined;
  readonly handlers: readonly HandlerDeclaration[];
  /** True if a handler, followed or not, catches the warnings of INSERT IGNORE. */
  readonly catchesIgnored: boolean;
  readonly conditions: ReadonlyMap<string, Condition>;
  /** Error handlers become one `try` around the block, or one around each statement. */
  readonly mode: "block" | "each";
  /** True if leaving it ends its routine. */
  readonly isOutermost: boolean;
  /** The number of callers of its routine. */
  readonly depth: number;
  /** True for the last round of a loop. */
  readonly isLoop?: boolean;
  /** True if some jump leaves it. */
  left: boolean;
}

export type Frame = LoopFrame | BlockFrame;

export interface Loose {
  readonly span: Span;
  /** The depth of the list of statements that continues. */
  readonly depth: number;
  /** True while its statements are being lowered. */
  readonly isOpen: boolean;
}

/** The transaction of the current commands. */
export interface Part {
  /** `outside`: each statement is a transaction; `routine`: decided by the caller; `unit`: several transactions, once finished. */
  readonly kind: "explicit" | "routine" | "outside" | "unit";
  readonly level: DeclaredLevel | undefined;
  /** The depth of the list of statements in which it began. */
  readonly depth: number;
  readonly start: Span;
  /** True if the server committed the previous one implicitly: its author takes both for one. */
  readonly continues?: true;
  /** The branch that ended it and then continued. */
  loose: Loose | undefined;
}

/** Commands that run, if at all, before a transaction of the same routine. */
export interface Before {
  readonly commands: readonly Command[];
  readonly isCertain: boolean;
}

export interface FinishedPart {
  readonly part: Part;
  readonly commands: readonly Command[];
  /** The preceding commands, if known; undefined after rounds of a loop. */
  readonly before: readonly Before[] | undefined;
}

export interface State extends RoutineState {
  readonly shared: RoutineContext;
  readonly definition: RoutineDefinition;
  readonly dialect: Dialect;
  readonly parameters: Map<string, ValueType>;
  /** Names of the routines being inlined, outermost first. */
  readonly callers: readonly string[];
  /** The number of frames that belong to these. */
  readonly base: number;
  /** Enclosing blocks and loops, outermost first; inside of a handler those around its block. */
  frames: readonly Frame[];
  /** Variables that may be non-NULL: a query without rows keeps their values. */
  readonly assigned: Set<string>;
  /** The loop depth at a variable's declaration. */
  readonly declaredAt: Map<string, number>;
  /** User variables, `@x`, and their AR names, shared with called routines. */
  readonly user: Map<string, string>;
  /** The statements of the whole body. */
  readonly tree: readonly RoutineStatement[];
  /** Tables that only this session sees. */
  readonly temporary: ReadonlySet<string>;
  /** The text of each PREPARE name; undefined if unknown. */
  readonly prepared: Map<string, Span | undefined>;
  /** The conditions of enclosing handlers, innermost last, for a bare RESIGNAL. */
  readonly handled: string[];
  /** The number of copied handler statements. */
  copied: number;
  nested: number;
  /** The statements behind the current one, in its list and in those around it, innermost first. */
  following: readonly (readonly RoutineStatement[])[];
  /** The enclosing lists of commands, outermost first. */
  enclosing: readonly (readonly Command[])[];
  part: Part;
  readonly finished: FinishedPart[];
  /** The kind of statements outside of transactions that the routine begins. */
  readonly initialKind: "routine" | "outside";
  /** When off, the next transaction follows each one. */
  autocommit: boolean;
  /** When its queries lock what they read: as a routine of its kind, or as the statement decides that fires it. */
  readLocks: "own" | "always" | "by level";
  nextLevel: DeclaredLevel | undefined;
  sessionLevel: DeclaredLevel | undefined;
  readonly asks: {
    readonly rowCount: boolean;
    readonly foundRows: boolean;
    readonly lastId: boolean;
  };
  /** The bindings of the calling script's names. */
  readonly outside?: Pick<LoweringContext, "variable" | "placeholder">;
  /** Inlines another routine; undefined if it is unknown. */
  readonly call: (name: string, args: readonly CallArgument[], at: Span) => CallResult | undefined;
}

/** Lowers statements in order; injected into handlers and loops, since statements contain them. */
export type Run = (state: State, statements: readonly RoutineStatement[]) => void;

/** Session state of the last statement, by its SQL name. */
export const ROW_COUNT = "row_count()";
export const FOUND_ROWS = "found_rows()";
export const LAST_INSERT_ID = "last_insert_id()";

/** The context of lowering a piece of SQL inside of the routine. */
export function contextFor(
  state: State,
  piece: SqlPiece,
  span: Span,
  placeholder: LoweringContext["placeholder"] = (number) => state.outside?.placeholder(number),
): LoweringContext {
  const { shared, names, ids, readLocks } = state;
  return {
    piece,
    table: shared.table,
    view: shared.view,
    ...(shared.spelling && { spelling: shared.spelling }),
    placeholder,
    variable: (path) => variableOf(state, path, span),
    ids,
    note: shared.note,
    types: { parameters: state.parameters, variables: names.types },
    call: (name, args) => state.call(name, args, span),
    wantsInsertId: state.asks.lastId,
    ...(readLocks !== "own" && { changesLock: readLocks }),
  };
}

/** The value of a local variable, an argument, or a user variable. */
export function variableOf(
  state: State,
  path: readonly string[],
  span: Span,
): Expression | undefined {
  const known = valueOf(state.names, path);
  if (known !== undefined) return known;
  if (state.outside !== undefined) return state.outside.variable(path);
  const [name = "", ...others] = path;
  if (others.length > 0) return undefined;
  if (name.startsWith("@@")) return undefined;
  if (name.startsWith("@")) return { kind: "variable", name: userVariable(state, name) };
  if (name === ROW_COUNT || name === FOUND_ROWS || name === LAST_INSERT_ID) {
    return unknownAt(state, `what ${name.toUpperCase()} says`, span);
  }
  return undefined;
}

/** The AR's variable for `@x`, which belongs to the session: the routine starts with its earlier value. */
export function userVariable(state: State, name: string): string {
  const known = state.user.get(name);
  const variable = known ?? freshVariable(state.names, name);
  state.user.set(name, variable);
  state.names.levels[0]?.names.set(name, { kind: "variable", variable });
  return variable;
}

/** `variable := value`; from now on it may be non-NULL. */
export function assignVariable(state: State, variable: string, value: Expression, at: Span): void {
  assign(state, variable, value, at);
  state.assigned.add(variable);
}

/** The number of enclosing loops. */
export function loopDepth(state: State): number {
  return state.frames.filter((frame) => frame.kind === "loop").length;
}

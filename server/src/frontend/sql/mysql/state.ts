// State in which a stored routine of MySQL or MariaDB is lowered: names, blocks and loops around, handlers,
// transactions.
import type { Spelling } from "../text/spelling";
import type { Dialect } from "../../../program/dialect";
import type { Expression, ValueType, Query } from "../../../program/expression";
import type { DeclaredLevel, Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command } from "../../../program/statement";
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
  /** The routine of that name; undefined when there is none, or several. */
  readonly routine: (name: string) => RoutineDefinition | undefined;
  readonly note: (note: Note) => void;
  readonly spelling?: Spelling;
}

export interface LoopFrame {
  readonly kind: "loop";
  readonly id: string;
  readonly label: string | undefined;
  /** Where it stands in the body. */
  readonly start: number;
  /** The variable that says that LEAVE left the loop, where somebody asks. */
  readonly left?: { readonly variable: string; used: boolean };
}

export interface BlockFrame {
  readonly kind: "block";
  /** The label that `exit` of this block has until it is replaced. */
  readonly id: string;
  readonly label: string | undefined;
  readonly handlers: readonly HandlerDeclaration[];
  readonly conditions: ReadonlyMap<string, Condition>;
  /** Errors run its handlers by one `try` around the block, or by one around each statement. */
  readonly mode: "block" | "each";
  /** Leaving it ends its routine. */
  readonly isOutermost: boolean;
  /** How many routines call the one that it stands in. */
  readonly depth: number;
  /** It is the last round of a loop. */
  readonly isLoop?: boolean;
  /** Some jump leaves it. */
  left: boolean;
}

export type Frame = LoopFrame | BlockFrame;

export interface Loose {
  readonly span: Span;
  /** The depth of the list of statements that goes on. */
  readonly depth: number;
  /** Its statements are being lowered. */
  readonly isOpen: boolean;
}

/** The transaction that the commands at hand belong to. */
export interface Part {
  /**
   * `outside`: each statement is a transaction of its own; `routine`: whatever the caller says; `unit`: several
   * transactions, once they are finished.
   */
  readonly kind: "explicit" | "routine" | "outside" | "unit";
  readonly level: DeclaredLevel | undefined;
  /** How deep the list of statements is in which it began. */
  readonly depth: number;
  readonly start: Span;
  /** The server has committed the one before on the way: for whoever wrote them both are one. */
  readonly continues?: true;
  /** An end of it in a branch, behind which the branch goes on with what stands around it. */
  loose: Loose | undefined;
}

/** Commands that run before a transaction of the same routine, if they run at all. */
export interface Before {
  readonly commands: readonly Command[];
  readonly isCertain: boolean;
}

export interface FinishedPart {
  readonly part: Part;
  readonly commands: readonly Command[];
  /** The commands before it, as far as they are known there; undefined where rounds of a loop stand before it. */
  readonly before: readonly Before[] | undefined;
}

export interface State extends RoutineState {
  readonly shared: RoutineContext;
  readonly definition: RoutineDefinition;
  readonly dialect: Dialect;
  readonly parameters: Map<string, ValueType>;
  /** Names of the routines that are being inlined, outermost first. */
  readonly callers: readonly string[];
  /** How many frames belong to those. */
  readonly base: number;
  /** Blocks and loops around, outermost first; inside of a handler those around its block. */
  frames: readonly Frame[];
  /** Variables that may hold something else than NULL: a query without rows keeps their values. */
  readonly assigned: Set<string>;
  /** How many loops were around where a variable was declared. */
  readonly declaredAt: Map<string, number>;
  /** The variables of the user, `@x`, and what they are in the AR: a routine shares them with those that it calls. */
  readonly user: Map<string, string>;
  /** The statements of the whole body. */
  readonly tree: readonly RoutineStatement[];
  /** Tables that only this session sees. */
  readonly temporary: ReadonlySet<string>;
  /** Meaning of each name of PREPARE; undefined when it is not known. */
  readonly prepared: Map<string, Span | undefined>;
  /** The conditions that handlers around are for, innermost last: what a bare RESIGNAL raises again. */
  readonly handled: string[];
  /** Copies of handlers so far, in statements. */
  copied: number;
  nested: number;
  /** The lists of commands around the one at hand, outermost first. */
  enclosing: readonly (readonly Command[])[];
  part: Part;
  readonly finished: FinishedPart[];
  /** The unit of statements that stand in no transaction that the routine begins. */
  readonly initialKind: "routine" | "outside";
  /** Without it, what follows a transaction is the next one. */
  autocommit: boolean;
  nextLevel: DeclaredLevel | undefined;
  sessionLevel: DeclaredLevel | undefined;
  readonly asks: {
    readonly rowCount: boolean;
    readonly foundRows: boolean;
    readonly lastId: boolean;
  };
  /** A script that calls routines: what its names stand for. */
  readonly outside?: Pick<LoweringContext, "variable" | "placeholder">;
  /** Runs another routine here; undefined when it is not known. */
  readonly call: (name: string, args: readonly CallArgument[], at: Span) => CallResult | undefined;
}

/** Lowers statements in order: handlers and loops are given it, since statements contain them. */
export type Run = (state: State, statements: readonly RoutineStatement[]) => void;

/** The session's memory of the last statement, by the names that SQL asks for it. */
export const ROW_COUNT = "row_count()";
export const FOUND_ROWS = "found_rows()";
export const LAST_INSERT_ID = "last_insert_id()";

/** The context in which a piece of SQL inside the routine is lowered. */
export function contextFor(
  state: State,
  piece: SqlPiece,
  span: Span,
  placeholder: LoweringContext["placeholder"] = (number) => state.outside?.placeholder(number),
): LoweringContext {
  const { shared, names, ids } = state;
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
  };
}

/** The value of a local variable, an argument, or a variable of the user. */
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

/** The AR's variable for `@x`, which belongs to the session: the routine finds it as it was before. */
export function userVariable(state: State, name: string): string {
  const known = state.user.get(name);
  const variable = known ?? freshVariable(state.names, name);
  state.user.set(name, variable);
  state.names.levels[0]?.names.set(name, { kind: "variable", variable });
  return variable;
}

/** `variable := value`, which from now on may hold something. */
export function assignVariable(state: State, variable: string, value: Expression, at: Span): void {
  assign(state, variable, value, at);
  state.assigned.add(variable);
}

/** How many loops are around. */
export function loopDepth(state: State): number {
  return state.frames.filter((frame) => frame.kind === "loop").length;
}

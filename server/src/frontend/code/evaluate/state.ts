// State of the evaluation of a function: the commands so far, the trail of writes (so that branches can be undone and
// joined), open transactions, losses.
import type { Expression } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { KeptError, Note, OutsideEffect } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { CallPlace, Command } from "../../../program/statement";
import type { Dialect } from "../../../program/dialect";
import type { FileId, SourceRange } from "../../../protocol/source";
import type { LineIndex } from "../../sql/text/lines";
import { createIds, noIds, type Ids } from "../../sql/lowering";
import { rangeOf } from "../../sql/text/lines";
import type { LowerSql } from "../../sql/script/state";
import type { Span } from "../../sql/text/split";
import type { ChangedElsewhere } from "../effects/importedState";
import type { CodeModules } from "../modules/modules";
import type { Reach, NameReachability } from "../callGraph/reachability";
import type { Dependencies, Trace } from "../queries/dependencies";
import type { HirClass, HirExpression, HirFunction, HirStatement } from "../hir";
import type { Library, Tools } from "../libraries/library";
import {
  ageOf,
  type Cell,
  type Connection,
  type ModuleScope,
  type ResultReference,
  type RowValue,
  type Scope,
  type Value,
} from "../values";
import type { ErrorClass } from "./errors/errorClass";
import type { HandedOn } from "./earlyExits";

/** Shared parts of all roots of a workspace. */
export interface Workspace {
  /** Who asks for a module depends on all of it, which `trace` is told. */
  readonly modules: CodeModules;
  /** The same, for those who tell the trace what exactly they look at. */
  readonly untraced: CodeModules;
  readonly trace: Trace;
  readonly lines: (file: FileId) => LineIndex;
  readonly dialect: Dialect;
  readonly table: (name: string) => Table | undefined;
  readonly lowerSql: LowerSql;
  readonly reach: Reach;
  readonly leads: NameReachability;
  readonly changedElsewhere: ChangedElsewhere;
  readonly libraries: readonly Library[];
  /** Libraries that some module imports. */
  readonly used: ReadonlySet<string>;
  readonly models: (library: string) => unknown;
  readonly moduleScope: (file: FileId) => ModuleScope | undefined;
  /** The files whose functions are read. */
  readonly files: readonly FileId[];
  /** A state for what stands at the top of a module. */
  readonly fresh: (file: FileId) => State;
  /** Asked every some steps: throws where reading is to end. */
  readonly pulse: () => void;
  /** Counts over all roots: what stands at the top of a module is theirs in common. */
  readonly counts: { births: number; connections: number };
  /** The functions that log: true for those that run no statement, with what that rests on. */
  readonly logs: Map<HirFunction, { readonly isQuiet: boolean; readonly uses: Dependencies }>;
}

/** One function that runs: the root or one that was inlined. */
export interface Frame {
  readonly file: FileId;
  /** Key of the function, to notice recursion. */
  readonly key: string;
  /** How deep, not counting callbacks and functions that were given a connection. */
  readonly depth: number;
  readonly isRoot: boolean;
  /** Its returned value runs only when its caller awaits it. */
  readonly isLazy?: boolean;
  /** Its caller does not await it. */
  readonly isHeld?: boolean;
  /** Its caller returns it without awaiting it, past handlers of its own. */
  readonly isLeaving?: boolean;
  /** Takes the number of the return that was reached, and its value where it is a scalar. */
  readonly which: string;
  readonly value: string;
  readonly returns: Value[];
  /** The target that its returns end. */
  readonly target?: Target;
  /** Its span in its file. */
  readonly span: Span;
  /** The calls that lead to it from the root; none for what is written within the root. */
  readonly through: readonly CallPlace[];
  readonly caller?: Frame;
  /** Java: the errors that it declares to throw. */
  readonly declares?: readonly string[];
  /** Work where it returns: the transaction around it commits. */
  readonly returning?: (source: SourceRange) => void;
}

/** A loop of the AR that is open, by the label of the code. */
export interface OpenLoop {
  readonly id: string;
  readonly label?: string;
  readonly frame: Frame;
  /** Cells that go from round to round, with the AR's variable of each. */
  readonly carried: ReadonlyMap<Cell, string>;
  /** Which round it is, counted from one, where the loop counts. */
  readonly index?: Expression;
  /** The row that it has at hand. */
  readonly row?: RowValue;
  /** The rows that it goes over, and the lists to which each round adds an item. */
  readonly rows?: ResultReference;
  readonly filled?: Cell[];
  /** The count of births where it begins. */
  readonly start?: number;
  /** A `switch`: only `break` is for it. */
  readonly isSwitch?: boolean;
  /** Items that are taken one after the other: what `continue` leaves. */
  readonly round?: string;
  /** The targets of `break` and `continue`. */
  readonly target?: Target;
  readonly roundTarget?: Target;
  /** Effect of `continue` before the next round: `i++` of a `for`, the test of a `do`. */
  readonly next?: () => void;
}

export interface OpenTransaction {
  readonly connection: string;
  readonly mark: string;
  readonly source: SourceRange;
  /** Nobody knows which connection it is on: what runs while it is open is a part of it. */
  readonly isAny?: boolean;
}

/** The parts of the evaluator that need each other. */
export interface Evaluator {
  readonly expression: (state: State, scope: Scope, expression: HirExpression) => Value;
  /** Gives whether every path left before the end. */
  readonly block: (state: State, scope: Scope, statements: readonly HirStatement[]) => boolean;
  readonly call: (state: State, callee: Value, args: readonly Value[], site: CallSite) => Value;
  readonly branches: (
    state: State,
    condition: Expression,
    then: () => Value,
    otherwise: () => Value,
    span: Span,
  ) => Value;
  /** Runs something where a condition holds. */
  readonly when: (state: State, test: Value, span: Span, run: () => void) => void;
  readonly tools: (state: State, library: Library) => Tools;
  /** The offsets of a place. */
  readonly span: (state: State, source: SourceRange) => Span;
}

export interface CallSite {
  readonly span: Span;
  readonly isNew: boolean;
  readonly typeArguments: readonly string[];
  /** As written, for what is not known. */
  readonly name: string;
  /** Its result is not awaited where it stands: a promise holds its errors. */
  readonly isHeld?: boolean;
  /** It leaves the handlers of the function that returns it. */
  readonly isLeaving?: boolean;
  /** Its result is awaited where it stands. */
  readonly isAwaited?: boolean;
  /** Its result is what the function gives. */
  readonly isReturned?: boolean;
  /** It is a statement: nothing is done with what it gives. */
  readonly isUnused?: boolean;
}

/** Calls by the use of their results and promises where they stand. */
export interface CallUses {
  /** Nothing is done with the result. */
  readonly unused: Set<HirExpression>;
  readonly awaited: Set<HirExpression>;
  readonly returned: Set<HirExpression>;
  /** The promise is not awaited where it stands. */
  readonly pending: Set<HirExpression>;
  /** The pending promise leaves the handlers of the function that returns it. */
  readonly leaving: Set<HirExpression>;
  /** The promise is settled by another call: `allSettled`, `.then(next, handler)`. */
  readonly deferred: Set<HirExpression>;
  /** The promises are awaited together. */
  readonly together: Set<HirExpression>;
  /** Failures matter, also those of unknown functions. */
  readonly fallible: Set<HirExpression>;
}

/** Steps of one root; a function of a thousand lines takes some ten thousand. */
export const STEPS = 20_000;

export interface State {
  readonly workspace: Workspace;
  readonly evaluator: Evaluator;
  readonly ids: CodeIds;
  /** The commands of the block at hand. */
  commands: Command[];
  /** Writes so far: the cell and what it held. */
  readonly trail: { readonly cell: Cell; readonly old: Value | undefined }[];
  frame: Frame;
  /** The functions that are open, by key. */
  calls: readonly string[];
  loops: readonly OpenLoop[];
  /** The count of births at the start of each open branch or round. */
  branches: readonly number[];
  /** Results of which a row is known to be there. */
  present: ReadonlySet<string>;
  /** Open transactions, innermost last. */
  open: readonly OpenTransaction[];
  /** Content of each AsyncLocalStorage, by where it is made. */
  stores: ReadonlyMap<string, Value>;
  /** Functions that ran in a transaction, or while an AsyncLocalStorage held something, by key. */
  readonly ranInside: Set<string>;
  /** The levels of transactions by their marks, as the code names them. */
  readonly levels: Map<string, string | undefined>;
  /** The level that SET TRANSACTION gave the next transaction of a connection. */
  readonly nextLevel: Map<string, string>;
  /** The schemas of names without one, where a statement on the connection has said them. */
  readonly schemaPaths: Map<string, readonly string[]>;
  readonly taint: Taint[];
  /** Results whose rows leave the function. */
  readonly escaped: Set<string>;
  /** Files that were looked at. */
  readonly files: Set<FileId>;
  /** Functions that were not followed although they may run statements, by key, with what is lost if they do. */
  readonly unfollowed: Map<string, Taint>;
  /** Objects of entities among the arguments, by their paths. */
  readonly entities: Map<string, Value>;
  /** Functions that were inlined, by key. */
  readonly inlined: Set<string>;
  /** Calls of databases that were come to, with their files. */
  readonly reached: Map<HirExpression, FileId>;
  readonly callUses: CallUses;
  /** Steps left; none ends the evaluation. */
  budget: number;
  /** The function is one that a library runs by itself. */
  standsAlone: boolean;
  /** How many constructors run at the moment, one within the other. */
  making: number;
  /** In a part that is tried only to see what it writes. */
  isTrial: boolean;
  /** The count of births at the start of the innermost loop whose round stands as it is if it writes nothing older. */
  tentative: number;
  readonly notes: Note[];
  /** How many statements were emitted, in trials too. */
  emitted: number;
  /** The state of the libraries so far. */
  readonly tools: Map<Library, Tools>;
  /** The call that is evaluated. */
  here: SourceRange;
  /** The values of variables of the AR that stand for large ones. */
  readonly large: Map<string, Expression>;
  /** The tests that lists of arguments are searched by, by the paths of these. */
  readonly searches: Map<string, string>;
  /** Constants of static fields. */
  readonly constants: Map<HirExpression, Value>;
  /** Results of functions that somebody else called; undefined: it is none, or not made yet. */
  readonly factories: Map<HirFunction, Value | undefined>;
  services: Services | undefined;
  /** Variables of the AR that hold what unknown functions gave. */
  readonly outside: Set<string>;
  /** Results of unknown functions that the code uses as lists: names of inputs by the calls. */
  readonly listsOfCalls: Map<string, string>;
  readonly writtenInputs: WrittenInputs;
  /** Fields of arguments that are called as the length of a list is. */
  readonly lengthFields: Set<string>;
  /** Values that were made and put where nobody looks into, by the places. */
  readonly kept: Map<string, Cell>;
  /** Functions that something unknown runs later, each by itself: handlers of requests. */
  readonly handlers: Handler[];
  /** True if statements ran on connections that the caller gave, and on others. */
  readonly ranOn: { given: boolean; own: boolean };
  /** True if the caller gives a connection, and whether what it gives is a transaction or not, as it likes. */
  readonly handed: { isGiven: boolean; isEither: boolean };
  /** The connection that callers may give or not, by its name, and whether this is what happens where they do not. */
  readonly lacks: { given?: string; readonly isWithout: boolean };
  /** The errors of the commands that throw. */
  readonly thrown: WeakMap<Command, ErrorClass>;
  /** The bodies of `try` that are open, innermost last. */
  attempts: readonly Attempt[];
  /** The paths that ended what is still open. */
  readonly jumps: Jump[];
  /** How many handlers are tried around what is evaluated, only to see what they do. */
  probes: number;
  /** How many handlers around what is evaluated keep an error from leaving: they try again, or give something else. */
  catching: number;
  /** How many handlers around what is evaluated may say what a taken key means. */
  answering: number;
  /** True once a transaction has begun whose errors leave the function. */
  readonly throwing: { isAny: boolean };
  /** Handlers within transactions that keep errors of these, by their places. */
  readonly keptErrors: Map<string, KeptError>;
  /** Effects outside of the database in what is run again around here, by their marks; undefined where nothing is. */
  effects: Map<string, OutsideEffect> | undefined;
  /** The error of the handler at hand, by its name. */
  caught: { readonly name: string; readonly thrown: ErrorClass } | undefined;
}

/** The objects of services that one holds which somebody else made, until that is done. */
export interface Services {
  readonly made: Map<HirClass, Value>;
  /** How often something was left out since it holds itself. */
  cuts: number;
}

/** A function that runs by itself when something asks for it. */
export interface Handler {
  readonly name: string;
  readonly callee: Extract<Value, { kind: "function" }>;
}

/** A cell that belongs to the state's present. */
export function newCell(state: State, value: Value | undefined): Cell {
  state.workspace.counts.births += 1;
  return { value, birth: state.workspace.counts.births };
}

/** The birth of a record that is made now: it is younger than all that is there. */
export function bornNow({ workspace: { counts } }: State): number {
  counts.births += 1;
  return counts.births;
}

/** Writes a cell, remembering what it held. */
export function write(state: State, cell: Cell, value: Value | undefined): void {
  if (cell.value === value) return;
  // A round that is tried first does not stand then: all that is still asked of it is what it writes.
  if (ageOf(cell) <= state.tentative && cell.value && !(cell.isGrown && GROWING.has(cell.value.kind))) state.isTrial = true; // prettier-ignore
  state.trail.push({ cell, old: cell.value });
  cell.value = value;
}

const GROWING: ReadonlySet<Value["kind"]> = new Set(["list", "derived"]);

/** Runs something and undoes its writes; gives what it wrote last, by cell. */
export function undone<Result>(
  state: State,
  run: () => Result,
): { readonly result: Result; readonly written: ReadonlyMap<Cell, Value | undefined> } {
  const mark = state.trail.length;
  const result = run();
  const written = new Map<Cell, Value | undefined>();
  while (state.trail.length > mark) {
    const last = state.trail.pop();
    if (last === undefined) break;
    if (!written.has(last.cell)) written.set(last.cell, last.cell.value);
    last.cell.value = last.old;
  }
  return { result, written };
}

/** Undoes all writes: what a function leaves behind in its module is nothing to the next one. */
export function undoAll({ trail }: State): void {
  for (let last = trail.pop(); last; last = trail.pop()) last.cell.value = last.old;
}

/** Adds a command to the block at hand. */
export function emit(state: State, command: Command): void {
  state.commands.push(command);
}

/** The commands that `run` adds, which are not added to the block at hand. */
export function collectCommands(state: State, run: () => void): Command[] {
  const outer = state.commands;
  const own: Command[] = [];
  state.commands = own;
  run();
  state.commands = outer;
  return own;
}

/** The range of a span of the file that is evaluated. */
export function sourceOf({ workspace, frame }: State, span: Span): SourceRange {
  return rangeOf(workspace.lines(frame.file), span.start, span.end);
}

/** Says that something was lost outside of any statement; the same is said once per line. */
export function lose(
  state: State,
  reason: string,
  source: SourceRange,
  effect: Taint["effect"] = "over",
): void {
  const { line } = source.range.start;
  const isKnown = state.taint.some(
    (each) => each.reason === reason && each.source?.range.start.line === line,
  );
  if (!isKnown) state.taint.push({ effect, reason, source });
}

/** A new connection or pool. */
export function newConnection(state: State, isPool: boolean): Connection {
  const { counts } = state.workspace;
  counts.connections += 1;
  return { id: `c${String(counts.connections)}`, isPool };
}

/** Ids that a trial can give back. */
export interface CodeIds extends Ids {
  /** The function that sets the counts back to where they are now. */
  readonly mark: () => () => void;
}

/** Ids of a transaction of that name. */
export function createCodeIds(transaction: string): CodeIds {
  const counts = noIds();
  return {
    ...createIds(transaction, counts),
    mark: () => {
      const { statements, results } = counts;
      const fresh = [...counts.fresh];
      return () => {
        counts.statements = statements;
        counts.results = results;
        counts.fresh.clear();
        for (const [prefix, count] of fresh) counts.fresh.set(prefix, count);
      };
    },
  };
}

/** Ids of what the top of a module makes, which are no unit's: `v1 of config.ts limit`. */
export function createModuleIds(file: FileId, name: string): CodeIds {
  const ids = createCodeIds("module");
  const of = `${OF_MODULE}${file.replace(/^.*\//u, "")} ${name}`;
  return { ...ids, fresh: (prefix) => `${ids.fresh(prefix)}${of}` };
}

/** True if a name is of `createModuleIds`. */
export function isOfModule(name: string): boolean {
  return name.includes(OF_MODULE);
}

const OF_MODULE = " of ";

/** A `try` whose body is evaluated. */
export interface Attempt {
  /** The function that it stands in. */
  readonly frame: State["frame"];
  /** Length of the trail and count of births where the body begins. */
  readonly mark: number;
  readonly birth: number;
  /** The AR's variable that says which of `versions` the cells had when something was last tried. */
  readonly variable: string;
  /** The first is what was there before. */
  readonly versions: Held[];
  /** The content of the cells before the body. */
  readonly before: Map<Cell, Value | undefined>;
  /** Something was tried before any of them was written. */
  isFirst: boolean;
  /** The handler does something, or goes on: what is thrown by unknown functions matters. */
  readonly isKept: boolean;
}

/** The target of jumps. */
export interface Target {
  readonly key: string;
  /** The AR's variable that takes the number of the jump; none where the AR's loop itself is left. */
  readonly flag?: string;
  /** Length of the trail, count of births and open loops where it begins. */
  readonly mark: number;
  readonly birth: number;
  readonly loops: number;
}

/** A path that ended its target early, with what older cells held there. */
export interface Jump {
  readonly target: Target;
  readonly number: number;
  /** This alone of what is younger than the target is seen behind it where the jump was taken. */
  readonly handedOn: HandedOn;
  readonly values: CellValues;
}

/** Writes to parts of arguments, by their paths. */
export interface WrittenInputs {
  readonly cells: Map<string, Cell>;
  /** The elements of arrays that were written, by their parts' paths: the index at which, and what it is of. */
  readonly elements: Map<string, readonly WrittenElement[]>;
  /** Arguments that were changed with all that is in them, as they are now. */
  readonly inside: {
    readonly path: string;
    readonly cell: Cell;
    readonly reads: readonly Expression[];
  }[];
}

/** The content of older cells at some place of a body, by cell; others hold what they held before it. */
export type Held = ReadonlyMap<Cell, Value | undefined>;

/** Cells with what they hold. */
export type CellValues = ReadonlyMap<Cell, Value | undefined>;

export interface WrittenElement {
  /** Where the part stands that was written. */
  readonly key: string;
  readonly index: Expression;
  readonly reads: readonly Expression[];
}

// The evaluator: its parts together, and the evaluation of one function as a root.
import type { FileId, SourceRange } from "../../../protocol/source";
import type { Command } from "../../../program/statement";
import type { Taint } from "../../../program/precision";
import type { KeptError, Note } from "../../../program/program";
import { offsetsOf } from "../../sql/text/lines";
import type { Span } from "../../sql/text/split";
import type { HirClass, HirExpression, HirParameter } from "../hir";
import { functionKey } from "../queries/origins";
import type { Value } from "../values";
import { callValue } from "./calls/calls";
import { bindParameters, inputOf } from "./transactions/instances";
import { branches, evaluateExpression, when } from "./expressions";
import { innerScope } from "./bindings";
import { boundaryOf } from "./transactions/boundaries";
import { standsAlone } from "./calls/javaCalls";
import { evaluateBlock } from "./statements";
import {
  createCodeIds,
  sourceOf,
  type Evaluator,
  type Frame,
  type Handler,
  type State,
  type Workspace,
  STEPS,
} from "./state";
import { withoutIdleCommands } from "./sql/idleCommands";
import { withoutIdleRefusals } from "./errors/validatorRefusals";
import { isRetriedFunction, repeating } from "./errors/repetition";
import { withoutIdleHandlers } from "./errors/idleHandlers";
import { withOptionalParameters, withUncheckedParameters } from "./values/optionalParameters";
import { withModuleInputs } from "./values/moduleInputs";
import { toolsOf } from "./tools";
import { withinTransactions } from "./transactions/otherConnections";
import { groupTransactions } from "./transactions/transactions";

const evaluator: Evaluator = {
  expression: evaluateExpression,
  block: evaluateBlock,
  call: callValue,
  branches,
  when,
  tools: toolsOf,
  span: (state, { file, range }) => offsetsOf(state.workspace.lines(file), range),
};

/** A function that is evaluated by itself. */
export interface Root extends Handler {
  /** Unique in the workspace, and the same where the function moves. */
  readonly key: string;
  /** The class that inherits it: the place of the root, in that class's file. */
  readonly heir?: { readonly file: FileId; readonly class: HirClass };
  /** The functions that it was made of, first of all the one that it is shown as. */
  readonly madeOf?: readonly Handler["callee"][];
  /** It is of interest only where it opens a transaction around one of those. */
  readonly isWrapper?: boolean;
  /** The type of its first argument, where what stands around it says that and it does not itself. */
  readonly argument?: string;
  /** The root that it is where its callers do not give it the connection that they may give. */
  readonly without?: Root;
}

export interface Evaluation {
  readonly root: Root;
  /** Transactions are `atomic` commands; other statements commit by themselves. */
  readonly body: Command;
  readonly statements: number;
  readonly taint: readonly Taint[];
  /** All statements ran on connections that the caller gave. */
  readonly isGiven: boolean;
  /** Errors of a transaction that it opens leave it. */
  readonly throws: boolean;
  readonly keptErrors: readonly KeptError[];
  /** The connection that its callers may leave out, by its name. */
  readonly mayLack?: string;
  readonly inlined: ReadonlySet<string>;
  /** Fields of arguments that are called as the length of a list is. */
  readonly lengthFields: ReadonlySet<string>;
  /** Calls of databases that were come to, with their files. */
  readonly reached: ReadonlyMap<HirExpression, FileId>;
  /** Functions that were not followed, by key, with what is lost if they run statements. */
  readonly unfollowed: ReadonlyMap<string, Taint>;
  readonly files: ReadonlySet<FileId>;
  readonly notes: readonly Note[];
  /** Functions that were made or registered, and run by themselves. */
  readonly handlers: readonly Root[];
}

/** A state in which nothing has happened; `name` is the transaction's. */
export function createState(
  workspace: Workspace,
  file: FileId,
  name: string,
  span: Span = { start: 0, end: 0 },
  isWithout = false,
): State {
  const frame: Frame = {
    file,
    key: "",
    depth: 0,
    isRoot: true,
    which: "",
    value: "",
    returns: [],
    span,
    through: [],
  };
  const start = { line: 0, character: 0 };
  const here: SourceRange = { file, range: { start, end: start } };
  return {
    workspace,
    evaluator,
    ids: createCodeIds(name),
    commands: [],
    trail: [],
    frame,
    calls: [],
    loops: [],
    branches: [],
    present: new Set(),
    open: [],
    stores: new Map(),
    ranInside: new Set(),
    levels: new Map(),
    nextLevel: new Map(),
    schemaPaths: new Map(),
    taint: [],
    escaped: new Set(),
    files: new Set([file]),
    unfollowed: new Map(),
    entities: new Map(),
    inlined: new Set(),
    reached: new Map(),
    callUses: {
      unused: new Set(),
      awaited: new Set(),
      returned: new Set(),
      pending: new Set(),
      leaving: new Set(),
      deferred: new Set(),
      together: new Set(),
      fallible: new Set(),
    },
    budget: STEPS,
    standsAlone: false,
    making: 0,
    isTrial: false,
    tentative: -Infinity,
    notes: [],
    emitted: 0,
    tools: new Map(),
    here,
    handlers: [],
    large: new Map(),
    searches: new Map(),
    constants: new Map(),
    factories: new Map(),
    services: undefined,
    outside: new Set(),
    listsOfCalls: new Map(),
    kept: new Map(),
    lengthFields: new Set(),
    writtenInputs: { cells: new Map(), elements: new Map(), inside: [] },
    ranOn: { given: false, own: false },
    handed: { isGiven: false, isEither: false },
    lacks: { isWithout },
    thrown: new WeakMap(),
    attempts: [],
    jumps: [],
    probes: 0,
    catching: 0,
    answering: 0,
    throwing: { isAny: false },
    keptErrors: new Map(),
    effects: undefined,
    caught: undefined,
  };
}

/** Evaluates a function with inputs for its parameters. */
export function evaluateRoot(root: Root, state: State): Evaluation {
  const { callee } = root;
  const { function: hir } = callee;
  const key = functionKey(callee.scope.module.file, hir);
  state.calls = [callee.made ?? key];
  if (callee.made !== undefined) state.inlined.add(key);
  // In a class that inherits it the function is done with as others are that a function calls.
  if (root.heir) state.inlined.add(key);
  state.standsAlone = standsAlone(state, callee);
  const scope = innerScope(callee.scope, hir.isArrow ? undefined : callee.self);
  const inputs = hir.parameters.map((own, at) => {
    const isTyped = own.type === undefined && at === 0 && root.argument !== undefined;
    const parameter = isTyped
      ? { ...own, type: root.argument }
      : withOptionalParameters(state, hir, own);
    // Fields of two records that are taken apart at once are not the same.
    const isSecond = hir.parameters.slice(0, at).some(isTakenApart);
    const isNamed = isTakenApart(parameter) && (isSecond || mayShareNames(hir.parameters, at));
    const prefix = isNamed ? `argument${String(at + 1)}` : "";
    return withUncheckedParameters(state, parameter, inputOf(state, parameter, prefix));
  });
  const isRetried = isRetriedFunction(hir);
  if (isRetried) state.catching += 1;
  const boundary = boundaryOf(state, callee);
  const run = (): boolean => {
    bindParameters(state, scope, hir, inputs);
    return evaluateBlock(state, scope, hir.body);
  };
  if (hir.throws) state.frame = { ...state.frame, declares: hir.throws };
  const runAll = () => {
    if (boundary) boundary(run, (commands) => commands);
    else run();
    return state;
  };
  if (isRetried) repeating(state, sourceOf(state, hir.header), runAll);
  else runAll();
  const grouped = groupTransactions(state, { kind: "sequence", commands: state.commands });
  const whole = withinTransactions(state, grouped);
  // Behind a handler the transaction of the caller goes on.
  const goesOn = state.ranOn.given;
  const body = withEscapes(
    withModuleInputs(withoutIdleCommands(withoutIdleHandlers(withoutIdleRefusals(whole), goesOn))),
    state,
  );
  const made = state.frame.returns.flatMap((value) => functionsIn(value, root.name));
  return {
    root,
    body,
    statements: state.emitted,
    taint: state.taint,
    isGiven: state.ranOn.given && !state.ranOn.own,
    throws: state.throwing.isAny,
    keptErrors: [...state.keptErrors.values()],
    ...(state.ranOn.given && state.lacks.given !== undefined && { mayLack: state.lacks.given }),
    inlined: state.inlined,
    lengthFields: state.lengthFields,
    reached: state.reached,
    unfollowed: state.unfollowed,
    files: state.files,
    notes: state.notes,
    handlers: [...state.handlers, ...made].map(rootOf),
  };
}

/** The root as it is where its callers leave out a connection. */
export function rootWithout(root: Root, connection: string): Root {
  return {
    ...root,
    name: `${root.name} without ${connection.replace(/^\./u, "")}`,
    key: `${root.key}?`,
    without: root,
  };
}

function isTakenApart({ pattern }: HirParameter): boolean {
  return (pattern.kind === "default" ? pattern.pattern : pattern).kind !== "bind";
}

/** True if a part of a parameter that is taken apart may go by the name of another parameter. */
function mayShareNames(parameters: readonly HirParameter[], at: number): boolean {
  const names = parameters.flatMap((each) => {
    const inner = each.pattern.kind === "default" ? each.pattern.pattern : each.pattern;
    return inner.kind === "bind" ? inner.name : [];
  });
  const { pattern } = parameters[at] ?? {};
  const inner = pattern?.kind === "default" ? pattern.pattern : pattern;
  if (names.length === 0) return false;
  if (inner?.kind !== "object" || inner.rest) return true;
  return inner.entries.some(({ key }) => typeof key !== "string" || names.includes(key));
}

/** A method that a class inherits, as a root of its own. */
export function inheritedRoot(root: Handler, heir: NonNullable<Root["heir"]>): Root {
  const own = rootOf(root);
  return { ...own, key: `${own.key}@${heir.file}#${root.name}`, heir };
}

/** A handler as a root. */
export function rootOf({ name, callee }: Handler): Root {
  const { file } = callee.scope.module;
  return { name, callee, key: callee.made ?? functionKey(file, callee.function) };
}

/** Functions that a value holds: what a factory gives back runs later, by itself. */
function functionsIn(value: Value, name: string, depth = 3): readonly Handler[] {
  if (depth === 0) return [];
  if (value.kind === "function") return [{ name: value.name ?? name, callee: value }];
  if (value.kind !== "object") return [];
  // The fields of a class at the top of a module hold it.
  const own = value.class?.scope.parent ? undefined : value.class?.class.fields;
  const isFound = (field: string): boolean =>
    own?.some((each) => each.name === field && each.value?.kind === "function") === true;
  return [...value.fields].flatMap(([key, cell]) =>
    cell.value && !isFound(key) ? functionsIn(cell.value, `${name}.${key}`, depth - 1) : [],
  );
}

/** Rows that leave the function are what its caller sees; all others are only read on the way. */
function withEscapes(command: Command, state: State): Command {
  const go = (inner: Command): Command => withEscapes(inner, state);
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: command.commands.map(go) };
    case "if": {
      const { otherwise } = command;
      return { ...command, then: go(command.then), ...(otherwise && { otherwise: go(otherwise) }) };
    }
    case "loop":
    case "atomic":
      return { ...command, body: go(command.body) };
    case "try":
      return { ...command, body: go(command.body), handler: go(command.handler) };
    case "statement": {
      const { statement } = command;
      if (statement.kind !== "select") return command;
      const discarded = !state.escaped.has(statement.into);
      return { kind: "statement", statement: { ...statement, discarded } };
    }
    default:
      return command;
  }
}

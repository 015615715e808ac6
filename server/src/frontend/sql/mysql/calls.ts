// Calls between stored routines: the callee is inlined at the call.
import type { Expression, ValueType } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { literal } from "../expressions";
import type { CallArgument, CallResult, Ids } from "../lowering";
import {
  rowValue,
  createNames,
  declare,
  declareVariable,
  freshVariable,
  openLevel,
  type Names,
} from "../routine/names";
import { emitOpaqueCall } from "../routine/opaqueCall";
import { assign, emit, sourceAt } from "../routine/state";
import { calledFrom, withoutReturns } from "../routine/withoutReturns";
import type { Span } from "../text/split";
import { tokensOf } from "../text/tokens";
import { ofNode } from "../../../query/nodes";
import { beginsTransactions } from "./control";
import { typeOfText, type RoutineDefinition } from "./definition";
import { parseBody } from "./parser";
import { outputsOf } from "./returns";
import {
  assignVariable,
  FOUND_ROWS,
  LAST_INSERT_ID,
  ROW_COUNT,
  type RoutineContext,
  type State,
} from "./state";
import { temporaryTables } from "./temporary";
import { assignedBy, someStatement, type RoutineStatement } from "./tree";

type LowerBody = (state: State) => void;

/** The context of lowering a routine; `caller` is the calling one. */
export function createState(
  definition: RoutineDefinition,
  shared: RoutineContext,
  ids: Ids,
  names: Names,
  lowerBody: LowerBody,
  around: { readonly caller?: State; readonly outside?: State["outside"] } = {},
): State {
  const { caller, outside } = around;
  const { body, dialect } = definition;
  const { tree, words } = readOnce(definition);
  const initialKind = beginsTransactions({ body, dialect }, tree) ? "outside" : "routine";
  const state: State = {
    shared,
    definition,
    dialect,
    body,
    ids,
    names,
    parameters: new Map(),
    taint: [],
    callers: caller === undefined ? [] : [definition.name, ...caller.callers],
    base: caller?.frames.length ?? 0,
    commands: [],
    frames: caller?.frames ?? [],
    assigned: new Set(),
    declaredAt: new Map(),
    user: caller?.user ?? new Map<string, string>(),
    tree,
    temporary: new Set([...temporaryTables(body.text), ...(caller?.temporary ?? [])]),
    prepared: new Map(),
    handled: [...(caller?.handled ?? [])],
    copied: caller?.copied ?? 0,
    nested: caller === undefined ? 0 : caller.nested + 1,
    following: [],
    enclosing: [],
    part: {
      kind: initialKind,
      level: undefined,
      depth: 0,
      start: { start: 0, end: 0 },
      loose: undefined,
    },
    finished: [],
    initialKind,
    autocommit: caller?.autocommit ?? true,
    readLocks: (definition.isProcedure ? caller?.readLocks : undefined) ?? "own",
    nextLevel: undefined,
    sessionLevel: undefined,
    asks: {
      rowCount: words.has("row_count") || (caller?.asks.rowCount ?? false),
      foundRows: words.has("found_rows") || (caller?.asks.foundRows ?? false),
      lastId: words.has("last_insert_id") || (caller?.asks.lastId ?? false),
    },
    ...(outside === undefined ? {} : { outside }),
    call: (name, args, at) => inlineCall(state, name, args, at, lowerBody),
  };
  openLevel(names, definition.name);
  for (const name of [ROW_COUNT, FOUND_ROWS, LAST_INSERT_ID]) {
    names.used.add(name);
    names.types.set(name, "int");
    declare(names, name, { kind: "variable", variable: name });
  }
  for (const name of state.user.keys()) {
    const variable = state.user.get(name);
    if (variable !== undefined) declare(names, name, { kind: "variable", variable });
  }
  return state;
}

interface BodyRead {
  readonly tree: readonly RoutineStatement[];
  readonly words: ReadonlySet<string>;
}

/** A body is parsed once, however often it is called. */
const readOnce = ofNode((definition: RoutineDefinition): BodyRead => {
  const { text } = definition.body;
  const words = new Set(tokensOf(text, 0, text.length).map((token) => token.word));
  return { tree: parseBody(text).statements, words };
});

/** The names that a routine's body assigns, including OUT arguments of its calls. */
export function assignedIn(state: State): ReadonlySet<string> {
  const { text } = state.body;
  const names = new Set<string>();
  someStatement(state.tree, (each) => {
    const called = each.kind === "call" ? state.shared.routine(each.name) : undefined;
    assignedBy(each, text).forEach((name, at) => {
      if (called === undefined || called.arguments[at]?.isOutput === true) names.add(name);
    });
    return false;
  });
  return names;
}

/** Depth limit of inlined calls. */
const DEEPEST_CALL = 3;

/** Inlines a routine of the workspace; undefined if there is none of that name. */
export function inlineCall(
  caller: State,
  name: string,
  args: readonly CallArgument[],
  at: Span,
  lowerBody: LowerBody,
): CallResult | undefined {
  const definition = caller.shared.routine(name);
  if (definition === undefined) return undefined;
  const chain = [caller.definition.name, ...caller.callers];
  const isCalled = chain.includes(name);
  if (isCalled || caller.callers.length >= DEEPEST_CALL) {
    const why = isCalled ? `${name} calls itself` : `${name} is called from too deep`;
    const values = args.map((arg) => arg.value);
    const value = emitOpaqueCall(caller, definition.body, why, at, values);
    return { value, columns: [name], isSet: false };
  }
  const names = createNames(caller.names);
  // Errors in its text are reported at its definition.
  const shared = { ...caller.shared, note: () => undefined };
  const callee = createState(definition, shared, caller.ids, names, lowerBody, { caller });
  bindArguments(callee, args);
  lowerBody(callee);
  caller.copied = callee.copied;
  const site = sourceAt(caller, at);
  const value = freshVariable(names, `${name}()`);
  const done = freshVariable(names, `${name} done`);
  const inner: Command = { kind: "sequence", commands: callee.commands };
  emit(caller, calledFrom(withoutReturns(inner, { value, done, source: site }), site));
  caller.taint.push(...callee.taint);
  copyOutputs(caller, callee, args, at);
  const type: ValueType = typeOfText(definition.returns, caller.shared.table);
  names.types.set(value, type);
  const outputs = outputsOf(callee);
  if (!definition.isProcedure || outputs.length === 0) {
    return { value: { kind: "variable", name: value }, columns: [name], isSet: false };
  }
  const columns = definition.arguments.filter((each) => each.isOutput).map((each) => each.name);
  return { value: rowValue(outputs), columns, values: outputs, isSet: false };
}

function bindArguments(callee: State, args: readonly CallArgument[]): void {
  const { definition, names, shared } = callee;
  const assigned = assignedIn(callee);
  definition.arguments.forEach((argument, at) => {
    const { name, isInput, isOutput } = argument;
    const type = typeOfText(argument.type, shared.table);
    const value: Expression = (isInput ? args[at]?.value : undefined) ?? literal(null);
    const isSimple = value.kind === "literal" || value.kind === "parameter";
    if (isInput && isSimple && !assigned.has(name) && !isOutput) {
      declare(names, name, { kind: "value", value });
      return;
    }
    const variable = declareVariable(names, name, type);
    // A call in a loop starts anew each time.
    if (isInput) assignVariable(callee, variable, value, START);
    else assign(callee, variable, literal(null), START);
  });
}

/** The span that represents a whole body. */
export const START: Span = { start: 0, end: 0 };

/** CALL p(x) sets x if the argument is OUT or INOUT. */
function copyOutputs(caller: State, callee: State, args: readonly CallArgument[], at: Span): void {
  callee.definition.arguments.forEach((argument, position) => {
    const target = args[position]?.value;
    if (!argument.isOutput || target?.kind !== "variable") return;
    const binding = callee.names.levels[0]?.names.get(argument.name);
    if (binding?.kind !== "variable") return;
    assignVariable(caller, target.name, { kind: "variable", name: binding.variable }, at);
  });
}

// The body of a routine in its language, and calls of other routines, which are inlined.
import type { Expression, ValueType, Query } from "../../../../program/expression";
import { mapParts } from "../../../../program/operands";
import type { Command } from "../../../../program/statement";
import { literal } from "../../expressions";
import { mapSharing } from "../../dialectDetection/sharedParts";
import { tablesByWords } from "../../fallback";
import type { CallArgument, CallResult, Ids } from "../../lowering";
import type { Span } from "../../text/split";
import { tokensOf } from "../../text/tokens";
import { walkCommand } from "../../walk";
import { pieceOf, rangeIn } from "../../routine/body";
import {
  createNames,
  declare,
  declareRecord,
  declareVariable,
  freshVariable,
  openLevel,
  type Names,
} from "../../routine/names";
import { assign, emit, lossAt, sourceAt } from "../../routine/state";
import { emitOpaqueCall } from "../../routine/opaqueCall";
import { calledFrom, withoutReturns } from "../../routine/withoutReturns";
import { typeText } from "../ast";
import { lowerExpression } from "../recursion";
import { NO_SOURCES } from "../scope";
import { startWork } from "../statement";
import { valueFunction } from "../valueFunctions";
import { expressionAt } from "./expression";
import { lowerBlock, returnedValue } from "./lower";
import { parsePlBody } from "./parser";
import { FOUND_VARIABLE, ROW_COUNT, runSql, tellCount } from "./sql";
import { contextFor, type RoutineName, type State } from "./state";
import { assignedNames } from "./tree";
import {
  declaredType,
  tableOfType,
  type Argument,
  type RoutineDefinition,
  type RoutineContext,
} from "./routineDefinition";

/** The context of lowering a routine, with FOUND and ROW_COUNT declared; `callers` are the enclosing routines. */
export function createState(
  definition: RoutineDefinition,
  shared: RoutineContext,
  ids: Ids,
  names: Names,
  callers: readonly string[],
): State {
  const words = new Set(
    tokensOf(definition.body.text, 0, definition.body.text.length).map((token) => token.word),
  );
  const parameters = new Map<string, ValueType>();
  for (const argument of definition.arguments) {
    if (argument.isInput) parameters.set(argument.name, declaredType(argument.type, shared.table));
  }
  const state: State = {
    shared,
    definition,
    body: definition.body,
    ids,
    names,
    parameters,
    taint: [],
    callers,
    commands: [],
    loops: [],
    asksFound: words.has("found"),
    asksCount: words.has("row_count"),
    returned: [],
    nested: 0,
    finished: [],
    call: (called, args, at) => inlineCall(state, called, args, at),
  };
  openLevel(names, definition.name);
  if (definition.language === "plpgsql") {
    names.used.add("found");
    names.used.add("row_count");
    declare(names, "found", { kind: "variable", variable: "found" });
    names.types.set("found", "bool");
    names.types.set("row_count", "int");
  }
  return state;
}

/** The span that represents a whole body. */
export const START: Span = { start: 0, end: 0 };

/** The columns of an argument of a row type. */
export function rowOf(argument: Argument, shared: RoutineContext) {
  if (argument.type?.pct_type === true) return undefined;
  return tableOfType(argument.type, shared.table)?.columns;
}

/** The names that the body assigns. */
export function assignedIn(definition: RoutineDefinition): ReadonlySet<string> {
  if (definition.language !== "plpgsql") return new Set();
  const { block } = parsePlBody(definition.body.text);
  return block === undefined ? new Set() : assignedNames(block);
}

/** The body in its language, appended to `state.commands`. */
export function lowerBody(state: State): void {
  const { definition, shared } = state;
  const whole: Span = { start: 0, end: state.body.text.length };
  if (definition.language === "sql") {
    lowerSqlBody(state);
    return;
  }
  if (definition.language !== "plpgsql") {
    const { tables } = tablesByWords(state.body.text);
    const reason = `a routine in ${definition.language || "another language"}`;
    const { text: all } = state.body;
    const text = all.trim();
    const start = all.indexOf(text);
    const source = sourceAt(state, { start, end: start + text.length });
    const taint = [{ effect: "opaque", reason, source }] as const;
    const statement = { kind: "opaque", id: state.ids.statement(), source, text, taint } as const;
    emit(state, {
      kind: "statement",
      statement: { ...statement, tables: [...tables], writes: true },
    });
    return;
  }
  const { block, problems } = parsePlBody(state.body.text);
  if (state.callers.length === 0) {
    for (const { message, span } of problems) {
      const source = sourceAt(state, span);
      shared.note({ severity: "error", code: "syntax", message: `PL/pgSQL: ${message}.`, source });
    }
    if (problems.length === 0) noteOwnView(state);
  }
  if (problems.length > 0)
    lossAt(state, "a part of this routine that cannot be read", whole, "opaque");
  tellCount(state, literal(0), START);
  if (block !== undefined) lowerBlock(state, block, whole);
}

/** PostgreSQL's own error for a body that our parser accepts. */
function noteOwnView(state: State): void {
  const { definition, shared } = state;
  const { lines, span } = definition;
  const message = shared.parser.parsePlPgSql(lines.text.slice(span.start, span.end));
  // Without a catalog it does not know user-defined types and variables.
  if (message === undefined || !/^(syntax error|missing|unterminated|mismatched)/.test(message)) {
    return;
  }
  const source = definition.header;
  shared.note({ severity: "error", code: "syntax", message: `PL/pgSQL: ${message}.`, source });
}

/** LANGUAGE sql: statements in order; the result is the last one's rows. */
function lowerSqlBody(state: State): void {
  const { definition } = state;
  const { text } = state.body;
  const back = /^\s*return\b/i.exec(text);
  if (definition.isAtomic && back !== null) {
    const span = { start: back[0].length, end: text.length };
    const value = expressionAt(state, span, { start: 0, end: text.length });
    emit(state, { kind: "return", value, source: sourceAt(state, span) });
    return;
  }
  const spans = statementSpans(text);
  const isVoid = definition.isProcedure || typeText(definition.returns) === "void";
  spans.forEach((span, at) => {
    const isLast = at === spans.length - 1;
    const result = runSql(state, span, { returned: isLast && !isVoid });
    if (!isLast || isVoid || result === undefined) return;
    const values = result.columns.map((field): Expression => {
      return { kind: "field", result: result.name, field, at: "first" };
    });
    state.returned.push(...values);
  });
}

/** The statements between semicolons, except those inside of parentheses and BEGIN ATOMIC blocks. */
function statementSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let open: { start: number; end: number } | undefined;
  for (const token of tokensOf(text, 0, text.length)) {
    if (token.word === ";") {
      if (open !== undefined) spans.push(open);
      open = undefined;
    } else {
      open = { start: open?.start ?? token.start, end: token.end };
    }
  }
  if (open !== undefined) spans.push(open);
  return spans;
}

/** The value at the end of a body without RETURN there. */
export function finishReturn(state: State): void {
  if (state.commands.at(-1)?.kind === "return") return;
  const value = returnedValue(state);
  if (value === undefined) return;
  const end = state.body.text.length;
  emit(state, { kind: "return", value, source: sourceAt(state, { start: end, end }) });
}

/** Depth limit of inlined calls. */
const DEEPEST_CALL = 3;

/** Inlines a routine of the workspace. */
export function inlineCall(
  caller: State,
  { name, schema }: RoutineName,
  args: readonly CallArgument[],
  at: Span,
): CallResult | undefined {
  const definition = caller.shared.routine(name, args.length, schema);
  if (definition === undefined || definition.isTrigger) return undefined;
  return inlineDefinition(caller, definition, args, at);
}

/** Routines of one name are distinguished by their number of arguments. */
function overloadOf({ name, arguments: all }: RoutineDefinition): string {
  return `${name}/${all.filter((each) => each.isInput).length}`;
}

/** Inlines a definition in a routine or script; a recursive or too deep call is approximated by its tables. */
export function inlineDefinition(
  caller: State,
  definition: RoutineDefinition,
  args: readonly CallArgument[],
  at: Span,
): CallResult {
  const { name } = definition;
  const values = args.map((arg) => arg.value);
  const key = overloadOf(definition);
  const chain = [overloadOf(caller.definition), ...caller.callers];
  if (chain.includes(key) || caller.callers.length >= DEEPEST_CALL) {
    const gives = calledAgain(caller, definition, args);
    if (gives !== undefined) return resultOf(caller, definition, gives);
    const why = chain.includes(key) ? `${name} calls itself` : `${name} is called from too deep`;
    return resultOf(caller, definition, emitOpaqueCall(caller, definition.body, why, at, values));
  }
  const names = createNames(caller.names);
  // Errors in its text are reported at its definition.
  const shared = { ...caller.shared, note: () => undefined };
  const callee = createState(definition, shared, caller.ids, names, [key, ...caller.callers]);
  callee.nested = 1;
  const restore = keepCounts(caller, callee, at);
  bindArguments(callee, args);
  lowerBody(callee);
  finishReturn(callee);
  const asked = definition.readsOneSnapshot ? queryOf(callee) : undefined;
  if (asked !== undefined) {
    restore();
    caller.taint.push(...callee.taint);
    const result = resultOf(caller, definition, asked.value);
    return { ...result, rows: asked.rows };
  }
  const site = sourceAt(caller, at);
  const value = freshVariable(names, `${name}()`);
  const done = freshVariable(names, `${name} done`);
  const body: Command = { kind: "sequence", commands: callee.commands };
  const isShared =
    definition.readsOneSnapshot && !caller.definition.readsOneSnapshot && reads(body) > 1;
  if (isShared)
    lossAt(caller, `the snapshot that all statements of ${name}() read, its caller's`, at);
  const inner = isShared ? inOneSnapshot(body, value) : body;
  emit(caller, calledFrom(withoutReturns(inner, { value, done, source: site }), site));
  restore();
  caller.taint.push(...callee.taint);
  copyOutputs(caller, callee, args);
  const type = declaredType(definition.returns, caller.shared.table);
  names.types.set(value, type);
  const result = resultOf(caller, definition, { kind: "variable", name: value });
  const outputs = outputsOf(callee);
  return outputs === undefined || result.isSet ? result : { ...result, values: outputs };
}

function inOneSnapshot(command: Command, snapshotOf: string): Command {
  return mapSharing(command, (part) =>
    "kind" in part && part.kind === "select" && "taint" in part ? { ...part, snapshotOf } : part,
  );
}

/**
 * The value of a routine that returns the result of one query, as a part of the calling statement: a STABLE function reads its caller's
 * snapshot. Undefined for others.
 */
function queryOf({
  commands,
  definition,
}: State): { readonly value: Expression; readonly rows: Query } | undefined {
  const isStart = (each: Command): boolean =>
    each.kind === "assign" && each.value.kind === "literal" && each.value.value === null;
  const [first, last, ...others] = commands.filter((each) => !isStart(each));
  if (first?.kind !== "statement" || last?.kind !== "return" || others.length > 0) return undefined;
  const { statement } = first;
  if (statement.kind !== "select" || statement.taint.length > 0) return undefined;
  const { query, into } = statement;
  // A routine in another language than SQL may return more than the query's rows.
  if (query.lock || (definition.returns?.setof === true && definition.language !== "sql"))
    return undefined;
  const one: Query = query.limit
    ? query
    : { ...query, limit: { kind: "literal", value: 1, type: "int" } };
  const inQuery = (each: Expression): Expression => {
    if (each.kind !== "field" || each.result !== into) return mapParts(each, inQuery);
    const output = query.outputs.filter(({ name }) => name === each.field);
    return { kind: "subquery", query: { ...one, outputs: output } };
  };
  return last.value && { value: inQuery(last.value), rows: query };
}

function reads(command: Command): number {
  let count = 0;
  walkCommand(command, { statement: () => count++ });
  return count;
}

/** The value of a function that is not inlined any deeper, if it touches no table: a function of its arguments. */
function calledAgain(
  { shared }: State,
  { name, schema }: RoutineDefinition,
  args: readonly CallArgument[],
): Expression | undefined {
  const gives = valueFunction(shared.routine, name, args.length, schema);
  if (gives === undefined || gives.mayFail || args.some((each) => each.name !== undefined))
    return undefined;
  const values = args.map(({ value }) => value);
  return { kind: "call", name, arguments: values, deterministic: gives.deterministic };
}

/** Every routine has its own FOUND and ROW_COUNT: the caller's are saved until `restore`. */
function keepCounts(caller: State, callee: State, at: Span): () => void {
  const kept = [
    { name: FOUND_VARIABLE, isAsked: caller.asksFound && callee.asksFound },
    { name: ROW_COUNT, isAsked: caller.asksCount && callee.asksCount },
  ].flatMap(({ name, isAsked }) =>
    isAsked ? [{ name, copy: freshVariable(caller.names, name) }] : [],
  );
  for (const { name, copy } of kept) assign(caller, copy, { kind: "variable", name }, at);
  return () => {
    for (const { name, copy } of kept) assign(caller, name, { kind: "variable", name: copy }, at);
  };
}

/** The OUT arguments of a finished routine, if all of them are plain variables. */
function outputsOf(callee: State): readonly Expression[] | undefined {
  const outputs = callee.definition.arguments.filter((each) => each.isOutput);
  const values = outputs.flatMap(({ name }): readonly Expression[] => {
    const binding = callee.names.levels[0]?.names.get(name);
    return binding?.kind === "variable" ? [{ kind: "variable", name: binding.variable }] : [];
  });
  return values.length === outputs.length && values.length > 0 ? values : undefined;
}

function resultOf(state: State, definition: RoutineDefinition, value: Expression): CallResult {
  const { returns, name } = definition;
  const outputs = definition.arguments.filter((each) => each.isOutput).map((each) => each.name);
  const row = tableOfType(returns, state.shared.table)?.columns.map((column) => column.name);
  const columns = outputs.length > 0 ? outputs : (row ?? [name]);
  const isTable = !definition.isProcedure && returns?.setof === true;
  return { value, columns, isSet: isTable };
}

function bindArguments(callee: State, args: readonly CallArgument[]): void {
  const { definition, names, shared } = callee;
  const assigned = assignedIn(definition);
  // CALL includes OUT arguments; a function call has inputs only.
  const called = definition.arguments.filter((each) => each.isInput || definition.isProcedure);
  for (const argument of definition.arguments) {
    const type = declaredType(argument.type, shared.table);
    const position = called.indexOf(argument);
    const named = args.find((arg) => arg.name === argument.name);
    const given = named ?? (position < 0 ? undefined : positional(args, position));
    const columns = rowOf(argument, shared);
    if (columns !== undefined) {
      declareRecord(names, argument.name, columns);
      lossAt(callee, `the record ${argument.name} of a call`, START);
      continue;
    }
    if (!argument.isInput) {
      // A call in a loop starts anew each time.
      assign(callee, declareVariable(names, argument.name, type), literal(null), START);
      continue;
    }
    const value = given?.value ?? defaultValue(callee, argument);
    const simple = ["literal", "parameter"].includes(value.kind);
    if (simple && !assigned.has(argument.name) && !argument.isOutput) {
      declare(names, argument.name, { kind: "value", value });
    } else {
      assign(callee, declareVariable(names, argument.name, type), value, START);
    }
  }
}

function positional(args: readonly CallArgument[], position: number): CallArgument | undefined {
  const arg = args[position];
  return arg?.name === undefined ? arg : undefined;
}

function defaultValue(callee: State, argument: Argument): Expression {
  if (argument.value === undefined) return literal(null);
  const piece = pieceOf(callee.body, START);
  return lowerExpression(argument.value, NO_SOURCES, startWork(contextFor(callee, piece, START)));
}

/** CALL p(x) sets x if the argument is INOUT. */
function copyOutputs(caller: State, callee: State, args: readonly CallArgument[]): void {
  const { definition } = callee;
  if (!definition.isProcedure) return;
  definition.arguments.forEach((argument, at) => {
    const target = args[at]?.value;
    if (!argument.isOutput || target?.kind !== "variable") return;
    const binding = callee.names.levels[0]?.names.get(argument.name);
    if (binding?.kind !== "variable") return;
    const value: Expression = { kind: "variable", name: binding.variable };
    const source = rangeIn(callee.body, START);
    emit(caller, { kind: "assign", variable: target.name, value, source });
  });
}

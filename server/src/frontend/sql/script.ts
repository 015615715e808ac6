// One transaction of a script as a transaction of the AR: statements, variables of \set and \gset, \if.
import type { Expression, ValueType } from "../../program/expression";
import type { Note, Parameter, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command } from "../../program/statement";
import { applyAnnotations } from "./annotated";
import type { Environment } from "./environment";
import { literal } from "./expressions";
import { rangeOf, type LineIndex } from "./lines";
import { createIds, type Ids, type Lowered, type LoweringContext } from "./lowering";
import type { MetaCommand } from "./metaCommand";
import { preLex, type PreLexed } from "./preLex";
import { isSet, readScriptExpression } from "./scriptExpression";
import type { ControlItem, MetaItem, Region, StatementItem } from "./scriptRegions";
import type { Span } from "./split";
import { inferParameterTypes, typeOf } from "./types";
import { walkCommand, walkExpression } from "./walk";

/** Lowers one statement; never fails: what is not understood becomes an opaque statement. */
export type LowerSql = (context: LoweringContext) => Lowered;

export interface ScriptContext {
  readonly lines: LineIndex;
  readonly table: (name: string) => Table | undefined;
  readonly lowerSql: LowerSql;
  readonly note: (note: Note) => void;
}

/** The transaction of a region, under the given name unless its comments name it. */
export function lowerRegion(region: Region, name: string, context: ScriptContext): Transaction {
  const own = region.annotations.find((comment) => comment.kind === "transaction")?.name ?? name;
  const state = createState(region, own, context);
  for (const item of region.items) {
    if (item.kind === "statement") addStatement(state, item);
    else if (item.kind === "control") addControl(state, item);
    else addMeta(state, item);
  }
  while (state.frames.length > 1) closeIf(state);
  const commands = [...initialisations(state), ...(state.frames[0]?.commands ?? [])];
  const body: Command = { kind: "sequence", commands };
  const { lines } = context;
  const transaction: Transaction = {
    id: own,
    name: own,
    header: rangeOf(lines, region.header.start, region.header.end),
    source: rangeOf(lines, region.source.start, region.source.end),
    boundary: region.boundary,
    parameters: parametersOf(state, body),
    preconditions: state.preconditions,
    body,
    ...(region.level === undefined ? {} : { level: region.level }),
    annotations: [],
    taint: [],
  };
  return applyAnnotations(transaction, region.annotations, lines, context.note);
}

type Bound = "always" | "maybe";

/** A branch of an \if (or the transaction itself) while its commands are collected. */
interface Frame {
  readonly condition: Expression;
  readonly source: Span;
  commands: Command[];
  bound: Map<string, Bound>;
  /** Branches of the same \if that are complete: conditions, commands and what they bind. */
  readonly branches: {
    condition: Expression;
    commands: Command[];
    bound: Map<string, Bound> | undefined;
  }[];
  ended: boolean;
  readonly before: ReadonlyMap<string, Bound>;
}

interface State {
  readonly context: ScriptContext;
  readonly environment: Environment;
  readonly ids: Ids;
  readonly frames: Frame[];
  readonly parameters: Map<string, { readonly type: ValueType | undefined }>;
  readonly preconditions: Expression[];
  /** Variables that some path reads before the transaction sets them. */
  readonly initial: Set<string>;
  readonly variableTypes: Map<string, ValueType>;
  /** `?` and `%s` so far. */
  anonymous: number;
  lastResult: Lowered["result"];
  /** psql's variable ROW_COUNT: rows that the last statement returned or changed. */
  rowCount: Expression | undefined;
  readonly start: Span;
}

function createState(region: Region, name: string, context: ScriptContext): State {
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
    start: region.header,
  };
}

function frame(condition: Expression, source: Span, before: ReadonlyMap<string, Bound>): Frame {
  const bound = new Map(before);
  return { condition, source, commands: [], bound, branches: [], ended: false, before };
}

function top(state: State): Frame {
  const last = state.frames.at(-1);
  if (last === undefined) throw new Error("the frame of the transaction is never closed");
  return last;
}

function source(state: State, at: Span) {
  return rangeOf(state.context.lines, at.start, at.end);
}

function addStatement(state: State, item: StatementItem): void {
  if (item.what === "session") return;
  const { lines, table, lowerSql, note } = state.context;
  const lexed = preLex(lines, item.start, item.end, state.anonymous);
  state.anonymous += lexed.placeholders.filter((each) => each.name.startsWith("?")).length;
  const values = placeholderValues(state, lexed);
  const lowered = lowerSql({
    piece: lexed.piece,
    table,
    placeholder: (number) => values.get(number),
    variable: () => undefined,
    ids: state.ids,
    note,
  });
  top(state).commands.push(...commandsOf(lowered, lexed.holes));
  state.lastResult = lowered.result;
  state.rowCount = rowCountOf(lowered);
}

/** The commands of a statement; one that takes a name from a variable could touch anything. */
function commandsOf(lowered: Lowered, holes: PreLexed["holes"]): readonly Command[] {
  if (holes.length === 0 && lowered.commands !== undefined) return lowered.commands;
  return lowered.statements.map((statement): Command => {
    const taint = holes.map(({ name }) => ({
      effect: "opaque" as const,
      reason: `the name :"${name}" is only known when the script runs`,
      source: statement.source,
    }));
    const tainted = { ...statement, taint: [...statement.taint, ...taint] };
    return { kind: "statement", statement: tainted };
  });
}

function rowCountOf(lowered: Lowered): Expression | undefined {
  const last = lowered.statements.at(-1);
  switch (last?.kind) {
    case "select":
      return { kind: "size", result: last.into };
    case "insert":
    case "update":
    case "delete":
      return { kind: "affected", statement: last.id };
    default:
      return undefined;
  }
}

function placeholderValues(state: State, lexed: PreLexed): ReadonlyMap<number, Expression> {
  const values = new Map<number, Expression>();
  for (const { number, name, use } of lexed.placeholders) {
    const value = valueOf(state, name, use === "text" ? "text" : undefined);
    values.set(number, use === "isSet" ? isSet(value) : value);
  }
  return values;
}

/** What a name stands for here: a variable of this transaction, or what was there before it. */
function valueOf(state: State, name: string, type?: ValueType): Expression {
  const bound = top(state).bound.get(name);
  if (bound === undefined && name === "ROW_COUNT" && state.rowCount !== undefined) {
    return state.rowCount;
  }
  if (bound === undefined) return outsideValue(state, name, state.environment, type);
  if (bound === "maybe") state.initial.add(name);
  return { kind: "variable", name };
}

/** Longer chains of \set are taken as values from outside. */
const LONGEST_CHAIN = 40;

function outsideValue(
  state: State,
  name: string,
  environment: Environment,
  type?: ValueType,
  depth = 0,
): Expression {
  const definition = environment(name);
  if (definition?.expression === undefined || depth > LONGEST_CHAIN) {
    return parameter(state, name, type);
  }
  const { start, end } = definition.expression;
  return readScriptExpression(state.context.lines.text, start, end, {
    variable: (inner) => outsideValue(state, inner, definition.before, undefined, depth + 1),
    random: (from, to) => randomValue(state, name, from, to),
    unknown: () => parameter(state, name, type),
  });
}

function parameter(state: State, name: string, type: ValueType | undefined): Expression {
  const known = state.parameters.get(name);
  if (known?.type === undefined) state.parameters.set(name, { type });
  return { kind: "parameter", name };
}

/** A random number is chosen by the client: an argument, within its bounds where they are literals. */
function randomValue(
  state: State,
  name: string,
  from: Expression | undefined,
  to: Expression | undefined,
): Expression {
  const isNew = !state.parameters.has(name);
  const value = parameter(state, name, "int");
  if (isNew && from?.kind === "literal") {
    state.preconditions.push({ kind: "comparison", operator: ">=", left: value, right: from });
  }
  if (isNew && to?.kind === "literal") {
    state.preconditions.push({ kind: "comparison", operator: "<=", left: value, right: to });
  }
  return value;
}

function addControl(state: State, item: ControlItem): void {
  const at = source(state, item);
  const { control } = item;
  const current = top(state);
  if (control.kind === "rollback") {
    current.commands.push({ kind: "rollback", why: "ROLLBACK", source: at });
    current.ended = true;
  } else if (control.kind === "commit" || control.kind === "twoPhase") {
    current.commands.push({ kind: "return", source: at });
    current.ended = true;
  } else if (
    control.kind === "savepoint" ||
    control.kind === "release" ||
    control.kind === "rollbackTo"
  ) {
    current.commands.push({ kind: control.kind, name: control.name, source: at });
  }
}

function addMeta(state: State, item: MetaItem): void {
  const { command } = item;
  switch (command.kind) {
    case "set":
      assign(state, command.name, expressionAt(state, command.value, command.name), command);
      return;
    case "unset":
      top(state).bound.delete(command.name);
      return;
    case "gset":
      bindResult(state, command.prefix, command);
      return;
    case "if":
      state.frames.push(
        frame(conditionAt(state, command.condition), command, new Map(top(state).bound)),
      );
      return;
    case "elif":
    case "else":
      nextBranch(state, command);
      return;
    case "endif":
      if (state.frames.length > 1) closeIf(state);
      return;
    default:
      return;
  }
}

function assign(state: State, name: string, value: Expression, at: Span): void {
  const current = top(state);
  current.commands.push({ kind: "assign", variable: name, value, source: source(state, at) });
  current.bound.set(name, "always");
  const type = typeOf(value, [], typesOf(state));
  if (type === undefined) state.variableTypes.delete(name);
  else state.variableTypes.set(name, type);
}

function typesOf(state: State) {
  const parameters = new Map<string, ValueType>();
  for (const [name, { type }] of state.parameters) {
    if (type !== undefined) parameters.set(name, type);
  }
  const { table } = state.context;
  return { table, parameters, variables: state.variableTypes, results: resultTypes(state) };
}

/** Only the type of the last result matters: \gset follows its statement at once. */
function resultTypes(state: State): ReadonlyMap<string, ReadonlyMap<string, ValueType>> {
  const last = top(state).commands.findLast((command) => command.kind === "statement");
  const types = new Map<string, ReadonlyMap<string, ValueType>>();
  if (last?.kind !== "statement" || last.statement.kind !== "select") return types;
  const { query, into } = last.statement;
  const environment = {
    table: state.context.table,
    parameters: new Map<string, ValueType>(),
    variables: state.variableTypes,
    results: types,
  };
  const columns = new Map<string, ValueType>();
  for (const { name, value } of query.outputs) {
    const type = typeOf(value, query.relations, environment);
    if (type !== undefined) columns.set(name, type);
  }
  return types.set(into, columns);
}

function expressionAt(state: State, at: Span, name: string): Expression {
  return readScriptExpression(state.context.lines.text, at.start, at.end, {
    variable: (inner) => valueOf(state, inner),
    random: (from, to) =>
      randomValue(state, state.parameters.has(name) ? state.ids.fresh(`${name}_`) : name, from, to),
    unknown: (why, dependsOn) => ({
      kind: "unknown",
      id: state.ids.fresh("u"),
      type: "other",
      dependsOn,
      why,
    }),
  });
}

/** The condition of \if: pgbench takes any number but 0 for true, psql a Boolean. */
function conditionAt(state: State, at: Span): Expression {
  const value = expressionAt(state, at, "condition");
  const type = typeOf(value, [], typesOf(state));
  if (value.kind === "literal") {
    return literal(typeof value.value === "number" ? value.value !== 0 : isTrueText(value.value));
  }
  return type === "int" || type === "decimal"
    ? { kind: "comparison", operator: "<>", left: value, right: literal(0) }
    : value;
}

function isTrueText(value: string | boolean | null): boolean {
  return typeof value === "boolean" ? value : value !== null && /^(t|true|on|yes|1)$/i.test(value);
}

function bindResult(state: State, prefix: string, at: Span): void {
  const result = state.lastResult;
  if (result === undefined || result.columns.length === 0) {
    const message = "The columns of this result are not known, so \\gset sets nothing here.";
    const note = { severity: "warning", code: "gset", message } as const;
    state.context.note({ ...note, source: source(state, at) });
    return;
  }
  for (const column of result.columns) {
    const value: Expression = { kind: "field", result: result.name, field: column, at: "first" };
    assign(state, prefix + column, value, at);
  }
}

function nextBranch(
  state: State,
  command: Extract<MetaCommand, { readonly kind: "elif" | "else" }>,
): void {
  const current = state.frames.at(-1);
  if (current === undefined || state.frames.length < 2) return;
  state.frames.pop();
  const { commands, bound, ended, before, condition } = current;
  const branches = [...current.branches, { condition, commands, bound: ended ? undefined : bound }];
  const outerCondition =
    command.kind === "elif" ? conditionAt(state, command.condition) : literal(true);
  state.frames.push({ ...frame(outerCondition, current.source, before), branches });
}

function closeIf(state: State): void {
  const current = state.frames.pop();
  if (current === undefined) return;
  const branches = [
    ...current.branches,
    {
      condition: current.condition,
      commands: current.commands,
      bound: current.ended ? undefined : current.bound,
    },
  ];
  const at = source(state, current.source);
  let otherwise: Command | undefined;
  for (const { condition, commands } of branches.toReversed()) {
    const then: Command = { kind: "sequence", commands };
    const always = condition.kind === "literal" && condition.value === true;
    if (always) otherwise = then;
    else {
      const rest = otherwise === undefined ? {} : { otherwise };
      otherwise = { kind: "if", condition, then, ...rest, source: at };
    }
  }
  const outer = top(state);
  if (otherwise !== undefined) outer.commands.push(otherwise);
  outer.bound = mergeBound(branches, current);
}

/** A name is bound after an \if when every branch that goes on binds it. */
function mergeBound(branches: Frame["branches"], last: Frame): Map<string, Bound> {
  const complete = last.condition.kind === "literal" && last.condition.value === true;
  const going = branches.flatMap(({ bound }) => (bound === undefined ? [] : [bound]));
  const all = complete ? going : [...going, new Map(last.before)];
  const merged = new Map<string, Bound>();
  for (const bound of all) {
    for (const name of bound.keys()) {
      const always = all.every((other) => other.get(name) === "always");
      merged.set(name, always ? "always" : "maybe");
    }
  }
  return merged;
}

/** Variables that are read on a path that does not set them start with their value from outside. */
function initialisations(state: State): readonly Command[] {
  return [...state.initial].map((name) => ({
    kind: "assign",
    variable: name,
    value: outsideValue(state, name, state.environment),
    source: source(state, state.start),
  }));
}

/** The parameters that the transaction uses, in the order of their first use. */
function parametersOf(state: State, body: Command): readonly Parameter[] {
  const inferred = inferParameterTypes(body, state.context.table);
  const used = new Set<string>();
  const visitor = {
    expression: (expression: Expression) => {
      if (expression.kind === "parameter") used.add(expression.name);
    },
  };
  walkCommand(body, visitor);
  for (const condition of state.preconditions) walkExpression(condition, [], visitor);
  return [...state.parameters]
    .filter(([name]) => used.has(name))
    .map(([name, { type }]) => ({
      name,
      type: type ?? inferred.get(name) ?? "other",
      origin: "argument",
    }));
}

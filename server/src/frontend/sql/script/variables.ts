// Variables of a script: values from \set, \gset and outside, and their effect on conditions.
import type { Expression, ValueType } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { literal } from "../expressions";
import type { Span } from "../text/split";
import { typeOf, type TypeEnvironment } from "../types";
import type { Environment } from "./environment";
import { readScriptExpression } from "./expression";
import { source, top, type State } from "./state";

/** The meaning of a name here: a variable of this transaction, or its earlier definition. */
export function valueOf(state: State, name: string, type?: ValueType): Expression {
  const bound = top(state).bound.get(name);
  if (bound === undefined && name === "ROW_COUNT" && state.rowCount !== undefined) {
    return state.rowCount;
  }
  if (bound === undefined) return outsideValue(state, name, state.environment, type);
  if (bound === "maybe") state.initial.add(name);
  return { kind: "variable", name };
}

/** Longer chains of \set become external values. */
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

/** A random number is chosen by the client: an argument, within literal bounds. */
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

/** The expression of a \set of that name. */
export function expressionAt(state: State, at: Span, name: string): Expression {
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

/** The condition of \if: pgbench treats any number but 0 as true, psql requires a Boolean. */
export function conditionAt(state: State, at: Span): Expression {
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

/** Assigns a variable here. */
export function assign(state: State, name: string, value: Expression, at: Span): void {
  const current = top(state);
  current.commands.push({ kind: "assign", variable: name, value, source: source(state, at) });
  current.bound.set(name, "always");
  const type = typeOf(value, [], typesOf(state));
  if (type === undefined) state.variableTypes.delete(name);
  else state.variableTypes.set(name, type);
}

/** \gset: the columns of the last result as variables. */
export function bindResult(state: State, prefix: string, at: Span): void {
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

function typesOf(state: State): TypeEnvironment {
  const parameters = new Map<string, ValueType>();
  for (const [name, { type }] of state.parameters) {
    if (type !== undefined) parameters.set(name, type);
  }
  const { table } = state.context;
  return { table, parameters, variables: state.variableTypes, results: resultTypes(state) };
}

/** Only the last result's types matter: \gset directly follows its statement. */
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

/** Variables that are read on a path that does not set them start with an external value. */
export function initialisations(state: State): readonly Command[] {
  return [...state.initial].map((name) => ({
    kind: "assign",
    variable: name,
    value: outsideValue(state, name, state.environment),
    source: source(state, state.start),
  }));
}

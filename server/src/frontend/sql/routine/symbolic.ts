// Symbolic execution of commands without statements: the final value of each variable as one expression, and the conditions of failure.
import type { Expression } from "../../../program/expression";
import { mapParts } from "../../../program/operands";
import type { Command } from "../../../program/statement";
import { literal } from "../expressions";
import { connective } from "../terms";
import { decide } from "./decide";
import { hasQuery } from "./hoist";

export interface Failure {
  readonly condition: Expression;
  readonly rollback: Command;
}

export interface FoldResult {
  /** The values of the given and the assigned variables. */
  readonly values: ReadonlyMap<string, Expression>;
  /** The failures; the first one that holds occurs. */
  readonly failures: readonly Failure[];
  /** Values that are computed once, before their uses. */
  readonly before: readonly Command[];
}

/**
 * The values after the command, with `given` before it. Undefined if it does more than compute and fail, if a generated value would be
 * computed twice, or if the values become too large.
 */
export function fold(
  command: Command,
  given: ReadonlyMap<string, Expression>,
): FoldResult | undefined {
  const state: State = { failures: [], before: [], size: 0 };
  const values = new Map(given);
  const ended = run(command, values, [], state);
  if (ended === undefined) return undefined;
  return { values, failures: state.failures, before: state.before };
}

interface State {
  readonly failures: Failure[];
  readonly before: Command[];
  /** The size of the created expressions. */
  size: number;
}

/** The size limit. */
const LARGEST = 2000;

/** Runs a command: "fails", "goes on"; undefined if it cannot be folded. */
function run(
  command: Command,
  values: Map<string, Expression>,
  path: readonly Expression[],
  state: State,
): "fails" | "goes on" | undefined {
  switch (command.kind) {
    case "sequence":
      for (const each of command.commands) {
        const ended = run(each, values, path, state);
        if (ended !== "goes on") return ended;
      }
      return "goes on";
    case "assign": {
      const { variable, value, source } = command;
      if (value.kind === "fresh" && value.why === "now") {
        // The current time is the same throughout its transaction.
        state.before.push({ kind: "assign", variable, value, source });
        values.set(variable, { kind: "variable", name: variable });
        return "goes on";
      }
      const known = substituted(value, values, state);
      if (known === undefined) return undefined;
      values.set(variable, known);
      return "goes on";
    }
    case "if": {
      const condition = substituted(command.condition, values, state);
      if (condition === undefined) return undefined;
      const decided = decide(condition);
      const nothing: Command = { kind: "sequence", commands: [] };
      if (decided === true) return run(command.then, values, path, state);
      if (decided !== undefined) return run(command.otherwise ?? nothing, values, path, state);
      const then = new Map(values);
      const otherwise = new Map(values);
      const first = run(command.then, then, [...path, condition], state);
      const rest = [...path, negated(condition)];
      const second = run(command.otherwise ?? nothing, otherwise, rest, state);
      if (first === undefined || second === undefined) return undefined;
      for (const name of new Set([...then.keys(), ...otherwise.keys()])) {
        const one = then.get(name) ?? literal(null);
        const other = otherwise.get(name) ?? literal(null);
        if (second === "fails" || isSame(one, other)) values.set(name, one);
        else if (first === "fails") values.set(name, other);
        else values.set(name, { kind: "conditional", condition, then: one, otherwise: other });
      }
      return first === "fails" && second === "fails" ? "fails" : "goes on";
    }
    case "rollback":
      state.failures.push({ condition: connective("and", path), rollback: command });
      return "fails";
    default:
      return undefined;
  }
}

function isSame(one: Expression, other: Expression): boolean {
  if (one.kind === "literal" && other.kind === "literal") return one.value === other.value;
  return one === other;
}

/** NULL counts as false. */
function negated(condition: Expression): Expression {
  return { kind: "conditional", condition, then: literal(false), otherwise: literal(true) };
}

/** The expression with values for variables; a plain variable is its value, even if generated. */
function substituted(
  expression: Expression,
  values: ReadonlyMap<string, Expression>,
  state: State,
): Expression | undefined {
  if (expression.kind === "variable") return values.get(expression.name) ?? expression;
  let isKnown = !hasQuery(expression);
  const replace = (part: Expression): Expression => {
    state.size += 1;
    if (state.size > LARGEST) isKnown = false;
    if (!isKnown) return part;
    if (part.kind !== "variable") return mapParts(part, replace);
    const value = values.get(part.name) ?? part;
    if (isNew(value) || hasQuery(value)) isKnown = false;
    state.size += sizeOf(value);
    return value;
  };
  const result = replace(expression);
  return isKnown ? result : undefined;
}

/** True for a value that differs on each evaluation. */
function isNew(expression: Expression): boolean {
  let found = expression.kind === "fresh";
  mapParts(expression, (part) => {
    found ||= isNew(part);
    return part;
  });
  return found;
}

function sizeOf(expression: Expression): number {
  let size = 1;
  mapParts(expression, (part) => {
    size += sizeOf(part);
    return part;
  });
  return size;
}

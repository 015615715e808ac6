// Values that come from outside of the code (random numbers, clocks, what unknown functions give): what the code makes
// of them is as much an input of the transaction as they are.
import type { Expression } from "../../../../program/expression";
import { operandsOf } from "../../../../program/operands";
import type { SourceRange } from "../../../../protocol/source";
import { scalar, unknown, type Value } from "../../values";
import { TRUE } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import { emit, lose, type CallSite, type State } from "../state";
import { isInput } from "../../roots/provenance";
import { changedTo } from "./foreignValues";
import { expressionOf, propertyOfCall, readsOf } from "./convert";

/**
 * The result of a call from outside, a new value with each call: an input, in a loop that counts an element of one, in
 * other loops any value.
 */
export function valueFromOutside(state: State, name: string): Value {
  return givenByOutside(state, `${name}()`, name);
}

/** True if something outside of the code is so, decided anew each time, as `valueFromOutside`. */
export function truthFromOutside(state: State, what: string): Expression {
  const value = givenByOutside(state, what, what);
  return compare("=", expressionOf(state, value), TRUE);
}

function givenByOutside(state: State, what: string, name: string): Value {
  const path = newPath(state, what);
  const loops = state.loops.filter(
    ({ round, isSwitch }) => round === undefined && isSwitch !== true,
  );
  const [loop] = loops;
  if (!loop) return { kind: "input", path, origin: "argument" };
  if (loops.length === 1 && loop.index) {
    const element = { array: path, field: "", index: loop.index };
    return { kind: "input", path: `${path}[]`, origin: "argument", element };
  }
  const variable = state.ids.fresh("v");
  const value: Expression = {
    kind: "call",
    name: `code:${name}`,
    arguments: [],
    deterministic: false,
  };
  emit(state, { kind: "assign", variable, value, source: state.here });
  state.outside.add(variable);
  return scalar({ kind: "variable", name: variable });
}

/**
 * The list of an unknown function of inputs, where it is used as a list (`schema.parse(body).items`): an array among the
 * inputs, the same for the same call with the same arguments. Undefined for what is no such result, or is of a round of a loop.
 */
export function listFromCall(state: State, of: Value): Value | undefined {
  const value = changedTo(of) ?? of;
  const expression =
    value.kind === "scalar"
      ? value.expression
      : value.kind === "builtin"
        ? propertyOfCall(value)
        : undefined;
  if (expression?.kind !== "call" || !expression.name.startsWith("code:")) return undefined;
  // A value that differs from round to round of a loop gives a list for each.
  if (!isOfCode(state, expression) || leavesOf([expression]).some(isOfRound)) return undefined;
  const key = JSON.stringify(expression);
  const path = state.listsOfCalls.get(key) ?? newPath(state, expression.name.slice("code:".length));
  state.listsOfCalls.set(key, path);
  const isOnce = (of.kind === "scalar" || of.kind === "builtin") && of.isOnce === true;
  return { kind: "input", path, origin: "argument", ...(isOnce && { isOnce }) };
}

function newPath(state: State, name: string): string {
  const number = state.ids.fresh(name).slice(name.length);
  const rest = number.replace(/^1(?!\d) ?/u, "");
  return rest === "" ? name : `${name} ${rest}`;
}

/** Says that a call asks an AsyncLocalStorage: what another function put there, a transaction for one, is not followed. */
export function noteStorageRead(state: State, name: string, source: SourceRange): void {
  if (!/\.getStore$/u.test(name)) return;
  const reason = `what ${name}() holds is not known: statements may run in a transaction that began elsewhere`;
  lose(state, reason, source);
}

/** True if nothing of a value was read from the database. */
export function isFromCode(state: State, value: Value): boolean {
  return readsOf(value).every((each) => isOfCode(state, each));
}

/** Goes over what is shared once. */
function isOfCode(state: State, expression: Expression): boolean {
  const seen = new Set([expression]);
  for (const each of seen) {
    if (isOutside(state, each)) continue;
    const operands = operandsOf(each);
    if (each.kind === "variable" || (operands.length === 0 && !isInput(each))) return false;
    for (const part of operands) seen.add(part);
  }
  return true;
}

/**
 * The result of a function of the code that calculates with values from outside, as a value from outside: the calculation
 * (of a random number within bounds) says nothing that a statement needs. Texts keep what else they are made of.
 */
export function resultFromOutside(state: State, result: Value, name: string): Value {
  const reads = readsOf(result);
  const isText = result.kind !== "scalar" || !isNumeric(result.expression);
  const isPlain = result.kind === "input" || (result.kind === "scalar" && operandsOf(result.expression).length === 0); // prettier-ignore
  if (isPlain || reads.length === 0 || !CALCULATED.has(result.kind)) return result;
  if (!isFromCode(state, result)) return result;
  const leaves = leavesOf(reads);
  const outside = leaves.filter((each) => isOutside(state, each));
  const isMade = isText ? outside.length === leaves.length : outside.length > 0;
  return isMade && outside.length > 0 ? valueFromOutside(state, name) : result;
}

const CALCULATED: ReadonlySet<string> = new Set(["scalar", "text", "unknown"]);

/** A calculation, and not a choice between values that may be others. */
function isNumeric(expression: Expression): boolean {
  return (
    expression.kind === "negate" ||
    expression.kind === "call" ||
    (expression.kind === "arithmetic" && expression.operator !== "||")
  );
}

/** The parts that are no constants and have no parts, each once: what is shared is gone over once. */
function leavesOf(expressions: readonly Expression[]): readonly Expression[] {
  const seen = new Set(expressions);
  // Grows while it is gone over.
  for (const each of seen) for (const part of inner(each)) seen.add(part);
  return [...seen].filter((each) => each.kind !== "literal" && inner(each).length === 0);
}

function inner(expression: Expression): readonly Expression[] {
  return expression.kind === "element" ? [] : operandsOf(expression);
}

function isOfRound(leaf: Expression): boolean {
  return leaf.kind === "variable" || (leaf.kind === "element" && leaf.index.kind !== "literal");
}

function isOutside(state: State, leaf: Expression): boolean {
  switch (leaf.kind) {
    case "parameter":
      return isCall(leaf.name);
    case "element":
      return leaf.array.kind === "array" && isCall(leaf.array.parameter);
    case "variable":
      return state.outside.has(leaf.name);
    default:
      return false;
  }
}

/** True if an input is what a call gave. */
export function isCall(path: string): boolean {
  return /\(\)(?: \d+)?(?: of .*)?$/u.test(path);
}

/** The result of an unknown method of a scalar depends on that. */
export function dependentOnReads(
  { self }: Extract<Value, { kind: "builtin" }>,
  result: Value,
  { name }: CallSite,
): Value {
  const isFree = result.kind === "input" || result.kind === "scalar";
  if (self?.kind !== "scalar" || !isFree) return result;
  const reads = readsOf(self);
  return reads.every(isInput) ? result : unknown(`${name} is not known`, reads);
}

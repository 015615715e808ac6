// Functions that only calculate, as one expression: what they assign on their way is put into what they give.
import type { Expression } from "../../../../program/expression";
import { mapParts } from "../../../../program/operands";
import type { Command } from "../../../../program/statement";
import { literal } from "../../../sql/expressions";
import type { Cell, Value } from "../../values";
import { conditional, isTooLarge } from "../values/convert";
import { attempt, follow, savePath } from "../fork";
import { newCell, type State } from "../state";
import { traverse } from "../../traverse";

/** The condition that `run` makes, without variables of its own; undefined where it does more than to calculate. */
export function calculatedCondition(state: State, run: () => Expression): Expression | undefined {
  return calculated(state, run, substituted);
}

/** The same of a value; undefined as well for one of a kind that is not gone into. */
export function calculatedValue(state: State, run: () => Value): Value | undefined {
  return calculated(state, run, (value, known) => substitutedValue(state, value, known));
}

type Known = ReadonlyMap<string, Expression>;

/** Undoes what `run` wrote where it is not for calculation alone. */
function calculated<Result>(
  state: State,
  run: () => Result,
  put: (result: Result, known: Known) => Result | undefined,
): Result | undefined {
  const { births } = state.workspace.counts;
  const giveBack = savePath(state);
  const made: Result[] = [];
  const { commands, written, drop } = attempt(state, () => {
    made.push(run());
  });
  giveBack();
  const known = new Map<string, Expression>();
  const isQuiet =
    [...written.keys()].every(({ birth }) => birth > births) &&
    commands.every((each) => execute(each, known));
  if (isQuiet) follow(state, { commands: [], written });
  const result = made.at(0);
  const own = isQuiet && result !== undefined ? put(result, known) : undefined;
  if (own === undefined) drop();
  return own;
}

/** Notes what a command assigns; gives false for one that does anything else. */
function execute(command: Command, known: Map<string, Expression>): boolean {
  switch (command.kind) {
    case "sequence":
      return command.commands.every((each) => execute(each, known));
    case "assign": {
      const value = substituted(command.value, known);
      if (value === undefined) return false;
      known.set(command.variable, value);
      return true;
    }
    case "if": {
      const condition = substituted(command.condition, known);
      const [yes, no] = [new Map(known), new Map(known)];
      if (condition === undefined || !execute(command.then, yes)) return false;
      if (command.otherwise && !execute(command.otherwise, no)) return false;
      for (const name of new Set([...yes.keys(), ...no.keys()])) {
        const [then, otherwise] = [yes.get(name) ?? literal(null), no.get(name) ?? literal(null)];
        if (isTooLarge(condition, then, otherwise)) return false;
        known.set(name, conditional(condition, then, otherwise));
      }
      return true;
    }
    default:
      return false;
  }
}

/** With the values of variables in their place; undefined where that becomes too large. */
function substituted(expression: Expression, known: Known): Expression | undefined {
  if (known.size === 0) return expression;
  const done = new Map<Expression, Expression>();
  const go = (each: Expression): Expression => {
    if (each.kind === "variable") return known.get(each.name) ?? each;
    const before = done.get(each);
    if (before) return before;
    const made = mapParts(each, go);
    done.set(each, made);
    return made;
  };
  const result = go(expression);
  return isTooLarge(result) ? undefined : result;
}

function substitutedValue(state: State, value: Value, known: Known): Value | undefined {
  if (known.size === 0) return value;
  const go = (each: Value): Value | undefined => substitutedValue(state, each, known);
  switch (value.kind) {
    case "scalar": {
      const expression = substituted(value.expression, known);
      return expression && { ...value, expression };
    }
    case "object": {
      const fields = new Map<string, Cell>();
      for (const [name, cell] of value.fields) {
        const own = cell.value && go(cell.value);
        if (cell.value && !own) return undefined;
        fields.set(name, newCell(state, own));
      }
      return value.rest ? undefined : { ...value, fields };
    }
    case "choice": {
      const condition = substituted(value.condition, known);
      const [then, otherwise] = [go(value.then), go(value.otherwise)];
      return condition && then && otherwise && { ...value, condition, then, otherwise };
    }
    case "list": {
      if (value.grown.value) return undefined;
      const items = traverse(value.items, (cell) => cell.value && go(cell.value));
      return items && { ...value, items: items.map((each) => newCell(state, each)) };
    }
    case "text":
      return value.parts.every(({ kind }) => kind === "run") ? value : undefined;
    case "row":
    case "rows":
    case "input":
    case "undefined":
    case "derived":
      return value;
    default:
      return undefined;
  }
}

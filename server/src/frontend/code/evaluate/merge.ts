// Merge and summarise: where paths meet one state goes on, and a loop is summarised by the variables that go from round to
// round.
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import { literal } from "../../sql/expressions";
import { ABSENT, ageOf, type Cell, scalar, unknown, type Value } from "../values";
import { join, phi, sameValue } from "./lattice";
import { hasMethods } from "./values/subvalues";
import { askedSoFar, wasAskedSince } from "./lists/lastReads";
import { expressionOf, isLarge, negate, readsOf } from "./values/convert";
import { takeJumps } from "./jumpTargets";
import { isReplay } from "./lists/accumulation";
import { isNullish, oneClient } from "./values/operators";
import { foreignAs } from "./values/foreignValues";
import { grownOnPaths } from "./lists/conditionalAppend";
import { saveOutput, within, fork, type Path } from "./fork";
import { emit, write, type State, type Jump } from "./state";
import { canChoose, isTextual } from "./values/texts";

/**
 * Goes on behind a branch of which one of two paths was taken: cells hold what the path left in them. A path that was
 * left counts no more. Adds to the paths' commands what tells them apart afterwards; gives whether both were left.
 */
export function merge(
  state: State,
  condition: Expression,
  then: Path,
  otherwise: Path,
  source: SourceRange,
): boolean {
  if (then.left && otherwise.left) return true;
  if (then.left || otherwise.left) {
    const taken = then.left ? otherwise : then;
    for (const [cell, value] of taken.written) write(state, cell, value);
    return false;
  }
  const joining: Joining = { state, condition, then, otherwise, source };
  for (const cell of new Set([...then.written.keys(), ...otherwise.written.keys()])) {
    // Values that a path made for itself are not known on the other one.
    const values = [then, otherwise].map(({ written }) =>
      written.has(cell) ? written.get(cell) : cell.value,
    );
    // A field that only one of them wrote is on the other one what was read.
    const [a, b] = values.map((value) => value ?? readUnset(cell));
    write(state, cell, joined(joining, a, b));
  }
  return false;
}

/** Adds the branch of which one of two paths is taken, if they do anything. */
export function addIf(
  state: State,
  parts: Pick<Extract<Command, { kind: "if" }>, "condition" | "source"> & {
    readonly then: Path;
    readonly otherwise: Path;
  },
): void {
  const { condition, then, otherwise, source } = parts;
  if (then.commands.length + otherwise.commands.length === 0) return;
  const sequence = (commands: readonly Command[]): Command => ({ kind: "sequence", commands });
  emit(
    state,
    then.commands.length === 0
      ? { kind: "if", condition: negate(condition), then: sequence(otherwise.commands), source }
      : {
          kind: "if",
          condition,
          then: sequence(then.commands),
          ...(otherwise.commands.length > 0 && { otherwise: sequence(otherwise.commands) }),
          source,
        },
  );
}

/** True if the last command surely ends the function: a call that always throws. */
export function hasLeft(state: State): boolean {
  const last = state.commands.at(-1);
  return last?.kind === "rollback" && last.leaves === undefined;
}

/** The value of a field that was not written; undefined where its record has none then. */
function readUnset({ unset }: Cell): Value | undefined {
  return unset?.kind === "undefined" ? undefined : unset;
}

interface Joining {
  readonly state: State;
  readonly condition: Expression;
  readonly then: Path;
  readonly otherwise: Path;
  readonly source: SourceRange;
  flag?: Expression;
}

function joined(
  joining: Joining,
  then: Value | undefined,
  otherwise: Value | undefined,
): Value | undefined {
  if (then === undefined && otherwise === undefined) return undefined;
  const grown = grownOnPaths(joining.state, () => flagOf(joining), then, otherwise);
  if (grown) return grown;
  if (then === undefined) return joined(joining, ABSENT, otherwise);
  if (otherwise === undefined) return joined(joining, then, ABSENT);
  if (sameValue(then, otherwise)) return then;
  const { state, source } = joining;
  const client = oneClient(then, otherwise);
  if (client) return client;
  // Which text it is may decide what SQL runs.
  const isChoice = canChoose([then, otherwise]);
  if (!isChoice && isOneExpression(then) && isOneExpression(otherwise)) {
    const name = state.ids.fresh("v");
    const a = expressionOf(state, then);
    const b = expressionOf(state, otherwise);
    joining.then.commands.push({ kind: "assign", variable: name, value: a, source });
    joining.otherwise.commands.push({ kind: "assign", variable: name, value: b, source });
    const type = then.kind === "scalar" ? then.type : undefined;
    return foreignAs([then, otherwise], scalar({ kind: "variable", name }, type));
  }
  return phi(flagOf(joining), then, otherwise);
}

/** The condition by which the path is known afterwards: the condition itself where nothing can change it. */
function flagOf(joining: Joining): Expression {
  if (joining.flag) return joining.flag;
  const { state, condition, source } = joining;
  const isStable = state.loops.length === 0 && !isLarge(condition, 16);
  if (isStable) joining.flag = condition;
  else {
    const variable = state.ids.fresh("b");
    joining.then.commands.push({ kind: "assign", variable, value: literal(true), source });
    joining.otherwise.commands.push({ kind: "assign", variable, value: literal(false), source });
    joining.flag = { kind: "variable", name: variable };
  }
  return joining.flag;
}

/** True if a value is one expression of the AR. */
export function isScalar(value: Value): boolean {
  return value.kind === "scalar" || value.kind === "text" || value.kind === "input";
}

/** True if a value is one expression, be it a text of several. */
function isOneExpression(value: Value): boolean {
  return isScalar(value) || isTextual(value);
}

/** Effect of a loop: its commands, and whether it surely leaves more than the loop. */
export interface LoopBody {
  readonly commands: Command[];
  /** Every round leaves the loop: there is only one. */
  readonly isOnce: boolean;
}

/**
 * Evaluates a loop's body, at first as if it wrote nothing that is older. Where it does, it is evaluated once more: the
 * cells that it writes become variables of the AR, assigned before the loop, at the end of each round and where a round
 * is left. `body` gives whether every path left before the end.
 */
export function summariseLoop(
  state: State,
  source: SourceRange,
  id: string,
  body: (carried: ReadonlyMap<Cell, string>) => boolean,
): LoopBody {
  const before = state.workspace.counts.births;
  // A trial asks for what is written alone: what is inside of it needs none of its own.
  const moment = askedSoFar();
  const first = state.isTrial ? undefined : firstRound(state, id, () => body(new Map()), before);
  const carried = new Map<Cell, string>();
  for (const cell of first?.stands ? [] : (first?.changed ?? [])) {
    const isAsked = wasAskedSince(cell, moment);
    const value = cell.value ?? (isAsked ? cell.unset : undefined);
    const last = first?.path.written.get(cell);
    const isCarried =
      value !== undefined &&
      (last === undefined || (!hasMethods(last) && !COLLECTIONS.has(last.kind)));
    if (isCarried && (isOneExpression(value) || value.kind === "undefined")) {
      const variable = state.ids.fresh("v");
      const start = expressionOf(state, value);
      state.commands.push({ kind: "assign", variable, value: start, source });
      carried.set(cell, variable);
      const type = value.kind === "scalar" ? value.type : undefined;
      const held = scalar({ kind: "variable", name: variable }, type);
      const where = value.kind === "undefined" ? negate(isNullish(state, held)) : undefined;
      write(state, cell, { ...held, ...(where && { where }) });
    } else if (isAsked && cell.unset === undefined) {
      const why = "a list that a loop fills is asked for what it holds in the loop";
      write(state, cell, unknown(why, value ? readsOf(value) : []));
    } else if (value !== undefined && !isGrowing(cell, value)) {
      const why = "it changes from round to round of a loop";
      write(state, cell, join(unknownOf(value, why), last ?? value, why));
    }
  }
  const path = first?.stands ? first.path : fork(state, () => body(carried));
  if (!path.left) path.commands.push(...loopCarried(state, carried, source, path.written));
  for (const [cell, value] of path.written) {
    if (cell.birth <= before && !carried.has(cell)) write(state, cell, afterRounds(cell, value));
  }
  for (const { values } of first?.stands ? first.jumps : takeJumps(state, id)) {
    for (const [cell, value] of values) {
      if (cell.birth <= before && !carried.has(cell)) write(state, cell, inSomeRounds(cell, value));
    }
  }
  return { commands: path.commands, isOnce: path.left && !path.commands.some(mayGoOn) };
}

/** A value that is not known any more. */
function unknownOf(value: Value, why: string): Value {
  return join(value, unknown(why, readsOf(value)), why);
}

/** Values that no variable of the AR holds. */
const COLLECTIONS: ReadonlySet<Value["kind"]> = new Set(["joined", "list", "rows", "derived"]);

/** True if a command may go on with the next round, or behind the loop. */
export function mayGoOn(command: Command): boolean {
  switch (command.kind) {
    case "exit":
    case "continue":
      return true;
    case "sequence":
      return command.commands.some(mayGoOn);
    case "if":
      return (
        mayGoOn(command.then) || (command.otherwise !== undefined && mayGoOn(command.otherwise))
      );
    case "loop":
    case "atomic":
      return mayGoOn(command.body);
    case "try":
      return mayGoOn(command.body) || mayGoOn(command.handler);
    default:
      return false;
  }
}

/** Lists only grow: what a loop adds is kept as such. */
function isGrowing({ isGrown }: Cell, value: Value): boolean {
  return isGrown === true && (value.kind === "list" || isReplay(value));
}

function afterRounds(cell: Cell, value: Value | undefined): Value | undefined {
  if (value === undefined || isGrowing(cell, value)) return value;
  return join(cell.value ?? ABSENT, value, "it changes from round to round of a loop");
}

/** Some rounds end with one value, and others with another one. */
function inSomeRounds(cell: Cell, value: Value | undefined): Value | undefined {
  if (value === cell.value) return value;
  return join(cell.value ?? ABSENT, value ?? ABSENT, "it changes in some rounds of a loop");
}

interface FirstRound {
  readonly path: Path;
  readonly jumps: readonly Jump[];
  /** The older cells that it writes. */
  readonly changed: readonly Cell[];
  /** Every round is as this one; else all but its writes is undone. */
  readonly stands: boolean;
}

function firstRound(state: State, id: string, run: () => boolean, before: number): FirstRound {
  const takeBack = saveOutput(state);
  const moment = askedSoFar();
  const path = within(state, { tentative: before }, () => fork(state, run));
  const isWhole = !state.isTrial;
  const jumps = takeJumps(state, id);
  const written = [path.written, ...jumps.map(({ values }) => values)];
  const cells = new Set(written.flatMap((each) => [...each.keys()]));
  const changed = [...cells].filter((cell) => ageOf(cell) <= before);
  const stands =
    isWhole &&
    changed.every((cell) => {
      const { value } = cell;
      return (value === undefined || isGrowing(cell, value)) && !wasAskedSince(cell, moment);
    });
  if (!stands) takeBack();
  return { path, jumps, changed, stands };
}

/** Assigns the variables of a loop what its cells hold at the end of a round, all at once. */
export function loopCarried(
  state: State,
  carried: ReadonlyMap<Cell, string>,
  source: SourceRange,
  written?: ReadonlyMap<Cell, Value | undefined>,
): Command[] {
  const changes = [...carried].flatMap(([cell, variable]) => {
    const value = written?.has(cell) ? written.get(cell) : cell.value;
    if (value === undefined) return [];
    const expression = expressionOf(state, value);
    const isSame = expression.kind === "variable" && expression.name === variable;
    return isSame ? [] : [{ variable, expression }];
  });
  if (changes.length < 2) {
    return changes.map(({ variable, expression: value }) => ({
      kind: "assign",
      variable,
      value,
      source,
    }));
  }
  // One may need what another had before.
  const held = changes.map(({ expression: value }): Extract<Command, { kind: "assign" }> => {
    return { kind: "assign", variable: state.ids.fresh("v"), value, source };
  });
  const moved = changes.map(({ variable }, at): Command => {
    const name = held[at]?.variable ?? variable;
    return { kind: "assign", variable, value: { kind: "variable", name }, source };
  });
  return [...held, ...moved];
}

// The statements around FETCH in a loop, lowered with known values of the not-found flag.
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { collectCommands, emit, sourceAt } from "../routine/state";
import type { Span } from "../text/split";
import { find } from "../routine/names";
import { holds, type Constants } from "./fold";
import { conditionAt } from "./run";
import type { Run, State } from "./state";
import { assignedBy, someStatement, type RoutineStatement } from "./tree";

/** A statement, or the condition of the loop itself. */
export type Step =
  | RoutineStatement
  | { readonly kind: "check"; readonly condition: Span; readonly leavesWhen: boolean };

/** Lowers the steps; true if they are known to leave the loop. */
export function lowerSteps(
  state: State,
  steps: readonly Step[],
  known: Constants,
  run: Run,
): boolean {
  let current = known;
  for (const step of steps) {
    if (step.kind === "check") {
      if (lowerCheck(state, step, current)) return true;
      continue;
    }
    const chosen = step.kind === "if" ? branchOf(state, step, current) : undefined;
    if (chosen !== undefined) {
      if (lowerSteps(state, chosen, current, run)) return true;
    } else {
      run(state, [step]);
      if (step.kind === "leave" && leavesLoop(state, step.label)) return true;
    }
    current = without(state, current, step);
  }
  return false;
}

function leavesLoop(state: State, label: string | undefined): boolean {
  const loop = state.frames.findLast((frame) => frame.kind === "loop" || frame.isLoop === true);
  return label === undefined || loop?.label === label;
}

/** The loop's own condition: leaves it, does nothing, or is evaluated. */
function lowerCheck(
  state: State,
  check: Extract<Step, { readonly kind: "check" }>,
  known: Constants,
): boolean {
  const { condition: span, leavesWhen } = check;
  let condition: Expression | undefined;
  const before = collectCommands(state, () => {
    condition = conditionAt(state, span);
  });
  emit(state, before);
  if (condition === undefined) return false;
  const value = holds(condition, known);
  if (value !== undefined && value !== leavesWhen) return false;
  const leave = exitOf(state, span);
  if (leave === undefined) return false;
  if (value !== undefined) {
    // In the round after the last row nothing follows anyway.
    if (state.frames.at(-1)?.kind === "loop") emit(state, leave);
    return true;
  }
  const source = sourceAt(state, span);
  const nothing: Command = { kind: "sequence", commands: [] };
  const branches = leavesWhen ? { then: leave } : { then: nothing, otherwise: leave };
  emit(state, { kind: "if", condition, ...branches, source });
  return false;
}

/** The exit of the current loop. */
function exitOf(state: State, span: Span): Command | undefined {
  const frame = state.frames.findLast((each) => each.kind === "loop" || each.isLoop === true);
  if (frame === undefined) return undefined;
  const exit: Command = { kind: "exit", loop: frame.id, source: sourceAt(state, span) };
  if (frame.kind === "block") {
    frame.left = true;
    return exit;
  }
  if (frame.left === undefined) return exit;
  frame.left.used = true;
  const value: Expression = { kind: "literal", value: true, type: "bool" };
  const source = sourceAt(state, span);
  const mark: Command = { kind: "assign", variable: frame.left.variable, value, source };
  return { kind: "sequence", commands: [mark, exit] };
}

/** The branch of an IF that is known to be taken; undefined if unknown. */
function branchOf(
  state: State,
  statement: Extract<RoutineStatement, { readonly kind: "if" }>,
  known: Constants,
): readonly RoutineStatement[] | undefined {
  if (known.size === 0) return undefined;
  for (const { condition: span, body } of statement.branches) {
    let condition: Expression | undefined;
    const losses = state.taint.length;
    const before = collectCommands(state, () => {
      condition = conditionAt(state, span);
    });
    state.taint.length = losses;
    const asks = before.kind === "sequence" && before.commands.length > 0;
    const value = asks || condition === undefined ? undefined : holds(condition, known);
    if (value === undefined) return undefined;
    if (value) return body;
  }
  return statement.otherwise ?? [];
}

/** The facts that still hold after a statement. */
function without(state: State, known: Constants, step: RoutineStatement): Constants {
  if (known.size === 0) return known;
  const changed = new Set<string>();
  someStatement([step], (each) => {
    for (const name of assignedBy(each, state.body.text)) {
      const binding = find(state.names, [name])?.binding;
      if (binding?.kind === "variable") changed.add(binding.variable);
    }
    return false;
  });
  return new Map([...known].filter(([variable]) => !changed.has(variable)));
}

// The branches of \if: collected separately, combined at \endif.
import type { Command } from "../../../program/statement";
import { literal } from "../expressions";
import type { MetaCommand } from "./metaCommand";
import { conditionAt } from "./variables";
import { frame, source, top, type Binding, type Frame, type State } from "./state";

/** Ends a branch and starts the next one of the same \if. */
export function nextBranch(
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

/** Ends the innermost \if: its branches become one command. */
export function closeIf(state: State): void {
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

/** After an \if a name is bound if every branch that continues binds it. */
function mergeBound(branches: Frame["branches"], last: Frame): Map<string, Binding> {
  const complete = last.condition.kind === "literal" && last.condition.value === true;
  const going = branches.flatMap(({ bound }) => (bound === undefined ? [] : [bound]));
  const all = complete ? going : [...going, new Map(last.before)];
  const merged = new Map<string, Binding>();
  for (const bound of all) {
    for (const name of bound.keys()) {
      const always = all.every((other) => other.get(name) === "always");
      merged.set(name, always ? "always" : "maybe");
    }
  }
  return merged;
}

// Targets of jumps: followed functions, rounds, switches, loops; and the jumps that did.
import type { State, Target, Jump } from "./state";

/** Something that begins here, and that jumps may end. */
export function beginTarget(state: State, key: string, flag?: string): Target {
  const { trail, workspace, loops } = state;
  const own = { key, mark: trail.length, birth: workspace.counts.births, loops: loops.length };
  return flag === undefined ? own : { ...own, flag };
}

/** The jumps to a target, which is over. */
export function takeJumps(state: State, key: string): readonly Jump[] {
  const own = state.jumps.filter(({ target }) => target.key === key);
  if (own.length === 0) return own;
  const others = state.jumps.filter(({ target }) => target.key !== key);
  state.jumps.splice(0, state.jumps.length, ...others);
  return own;
}

// Targets of jumps: followed functions, rounds, switches, loops; and the jumps that did.
import type { Cell, Value } from "../values";
import type { HandedOn } from "./earlyExits";
import type { State } from "./state";

/** Cells with what they hold. */
export type CellValues = ReadonlyMap<Cell, Value | undefined>;

/** The target of jumps. */
export interface Target {
  readonly key: string;
  /** The AR's variable that takes the number of the jump; none where the AR's loop itself is left. */
  readonly flag?: string;
  /** Length of the trail, count of births and open loops where it begins. */
  readonly mark: number;
  readonly birth: number;
  readonly loops: number;
}

/** A path that ended its target early, with what older cells held there. */
export interface Jump {
  readonly target: Target;
  readonly number: number;
  /** This alone of what is younger than the target is seen behind it where the jump was taken. */
  readonly handedOn: HandedOn;
  readonly values: CellValues;
}

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

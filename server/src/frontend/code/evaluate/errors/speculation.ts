// Speculation: evaluation of which nothing stays.
import type { State } from "../state";

/** Runs something of which nothing stays: neither losses nor returns, notes and jumps. What it writes is its own to undo. */
export function speculate<Result>(state: State, run: () => Result): Result {
  const { taint, frame, notes, ids, emitted } = state;
  const [losses, returns, noted] = [taint.length, frame.returns.length, notes.length];
  const giveBack = ids.mark();
  const jumped = state.jumps.length;
  state.probes += 1;
  const result = run();
  state.probes -= 1;
  giveBack();
  taint.length = losses;
  frame.returns.length = returns;
  notes.length = noted;
  state.jumps.length = jumped;
  state.emitted = emitted;
  return result;
}

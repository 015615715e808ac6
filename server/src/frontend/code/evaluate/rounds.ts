// The ends of the rounds of loops, where libraries write what the code changed of what a round made.
import type { SourceRange } from "../../../protocol/source";
import type { OpenLoop, State } from "./state";

/** Lets libraries write at the end of a round of the innermost loop. */
export function endRound(state: State, source: SourceRange): void {
  const loop = state.loops.at(-1);
  if (loop) ended(state, loop, source);
}

/** The same where a jump ends a round of a loop, or the function that it stands in. */
export function endRounds(
  state: State,
  isEnded: (loop: OpenLoop) => boolean,
  source: SourceRange,
): void {
  for (const loop of state.loops.toReversed()) {
    if (isEnded(loop)) ended(state, loop, source);
  }
}

function ended(state: State, { start, row, isSwitch, round }: OpenLoop, source: SourceRange): void {
  if (start === undefined || isSwitch === true || round !== undefined) return;
  for (const library of state.workspace.libraries) {
    if (!library.rounded) continue;
    const of = { start, source, ...(row && { row }) };
    library.rounded(of, state.evaluator.tools(state, library));
  }
}

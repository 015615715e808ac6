// Explores levels with one copy of the database: a run is an order of steps (`sequences.ts`), each of which reads the current state. Of
// equivalent orders only the smallest is extended, and prefixes of smallest orders are smallest, so every history is met once without a
// memory of visited ones.
import type { Work } from "./exploration";
import { startAll } from "./ground";
import type { FinalRun, Ground, Steps } from "./ground";
import { isSmallest } from "./sequences";
import type { CopyRules } from "./copyRules";
import { Timeline } from "./timeline";
import type { Move } from "./moment";

/**
 * Runs the first history that extends these sessions' steps, and returns the prefixes of others. Undefined if all extensions were met
 * elsewhere. Among `n` steps of `s` sessions each costs at most `s` runs of a transaction, and as many searches for a smaller order.
 */
export function* runSteps(
  ground: Ground,
  rules: CopyRules,
  work: readonly number[],
  more: (work: Work) => void,
): Steps<FinalRun | undefined> {
  const timeline = new Timeline(ground, rules, yield* startAll(ground));
  const way: number[] = [];
  for (;;) {
    yield undefined;
    const given = work[way.length];
    const sessions = given === undefined ? timeline.waiting() : [given];
    const possible: Move[] = [];
    for (const session of sessions) {
      const move = yield* timeline.attempt(session);
      if (move === undefined) continue;
      if (given !== undefined || isSmallest(timeline.steps(move))) possible.push(move);
    }
    const [chosen, ...others] = possible;
    if (chosen === undefined) break;
    for (const { step } of others.reverse()) more({ kind: "steps", steps: [...way, step.session] });
    way.push(chosen.step.session);
    timeline.take(chosen);
  }
  if (timeline.waiting().length > 0 || !isSmallest(timeline.steps(), true)) return undefined;
  return timeline.finished();
}

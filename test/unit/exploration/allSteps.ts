// All histories at a level of one copy of the database, by trying every order of steps: nothing is left out as equal.
import type { StoreLevel } from "../../../server/src/exploration/exploration";
import { copyRules } from "../../../server/src/exploration/copyRules";
import { finishSync, groundOf, startAll } from "../../../server/src/exploration/ground";
import type { Steps } from "../../../server/src/exploration/ground";
import { Timeline } from "../../../server/src/exploration/timeline";
import type { Client } from "../../../server/src/exploration/client";
import { historyText } from "./keyPrograms";

/** As texts; undefined where there are more than so many orders. */
export function historiesOfAllSteps(
  client: Client,
  level: StoreLevel,
  most: number,
): ReadonlySet<string> | undefined {
  const known = copyRules(level);
  if (known === undefined) throw new Error(`${level} has no steps`);
  const rules = known;
  const ground = groundOf(client, {}, []);
  const found = new Set<string>();
  const waiting: number[][] = [[]];
  let tried = 0;
  function* follow(way: readonly number[]): Steps<void> {
    const timeline = new Timeline(ground, rules, yield* startAll(ground));
    for (const session of way) {
      const move = yield* timeline.attempt(session);
      if (move !== undefined) timeline.take(move);
    }
    if (timeline.waiting().length === 0) {
      found.add(historyText(timeline.finished().history));
      return;
    }
    for (const session of timeline.waiting())
      if ((yield* timeline.attempt(session)) !== undefined) waiting.push([...way, session]);
  }
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    if (++tried > most) return undefined;
    finishSync(follow(way));
  }
  return found;
}

// The random driver: one run at a time, determined by its seed (MonkeyDB; Biswas et al., OOPSLA 2021).
import type { Client } from "./client";
import { isWeakLevel } from "./commitOrder";
import type { RandomOptions, Run, StoreLevel, Strategy } from "./exploration";
import { copyRules, unsupportedLevel } from "./copyRules";
import type { CopyRules } from "./copyRules";
import { finalStatesOf } from "./finalStates";
import { finish, finishSync, groundOf, startAll } from "./ground";
import type { FinalRun, Ground, Steps } from "./ground";
import type { History } from "./history";
import { allows } from "./levels";
import { randomNumbers } from "./randomNumbers";
import type { Random } from "./randomNumbers";
import { runLog } from "./runLog";
import { Timeline } from "./timeline";
import { uniqueKeysHold } from "./uniqueKeys";
import type { Move } from "./moment";

export interface RandomRuns {
  /** The run of a seed; deterministic as long as the client does not change. */
  readonly run: (seed: number) => Promise<Run>;
  /** For clients whose sessions are all `sync`. */
  readonly runSync: (seed: number) => Run;
  /** Keys found so far. */
  readonly universe: () => readonly string[];
}

/**
 * Random runs of a client. The reads of predicates grow with the keys that earlier runs wrote, so a run whose predicates missed a key is
 * repeated.
 */
export function randomRuns(client: Client, options: RandomOptions): RandomRuns {
  let ground = groundOf(client, options, []);
  function* runOf(seed: number): Steps<Run> {
    for (;;) {
      const finished = yield* keysHeld(ground, options, randomNumbers(seed));
      if (ground.universe.missed.size === 0) {
        const problems = [...finished.problems, ...ground.unfolding.differences()];
        return publicRun(client, options.level, { ...finished, problems });
      }
      ground = groundOf(client, options, ground.universe.all());
    }
  }
  return {
    run: (seed) => finish(runOf(seed)),
    runSync: (seed) => finishSync(runOf(seed)),
    universe: () => ground.universe.all(),
  };
}

/** Keys created in random runs; none if the client has no predicates. */
export function* scout(
  client: Client,
  options: RandomOptions,
  runs: number,
): Steps<readonly string[]> {
  let ground = groundOf(client, options, []);
  // Keys do not depend on refused versions, and refusing takes time.
  const scouting = options.level === "parallel-snapshot-isolation" ? "causal" : options.level;
  for (let seed = 1; seed <= runs; seed++) {
    yield* randomRun(ground, { ...options, level: scouting }, randomNumbers(seed));
    if (!ground.universe.hasPredicates()) return [];
    if (ground.universe.missed.size > 0) ground = groundOf(client, options, ground.universe.all());
  }
  return ground.universe.all();
}

/** The public form of a run. */
export function publicRun(client: Client, level: StoreLevel, finished: FinalRun): Run {
  const { history, problems, steps } = finished;
  return { history, problems, finalStates: () => finalStatesOf(client, history, level, steps) };
}

/** Redraws runs in which two transactions took the same unique value; the last attempt is close to serial. */
function* keysHeld(ground: Ground, options: RandomOptions, random: Random): Steps<FinalRun> {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const finished = yield* randomRun(ground, options, random);
    if (uniqueKeysHold(ground.client, finished.history, options.level)) return finished;
    if (ground.universe.missed.size > 0) return finished;
  }
  return yield* randomRun(ground, { ...options, strategy: "latest" }, random);
}

const MOST_DRAWS = 50;

function* randomRun(
  ground: Ground,
  { level, strategy = "uniform" }: RandomOptions,
  random: Random,
): Steps<FinalRun> {
  const rules = copyRules(level);
  if (rules !== undefined) return yield* randomSteps(ground, rules, strategy, random);
  const parallel = level === "parallel-snapshot-isolation";
  if (!parallel && !isWeakLevel(level)) throw new Error(unsupportedLevel(level));
  return yield* runLog(
    ground,
    parallel ? "causal" : level,
    { transactions: [] },
    {
      nextSession: (waiting) => waiting[random(waiting.length)] ?? 0,
      read: (writers) => writers[preferred(strategy, writers.length, random)] ?? 0,
      ...(parallel && { admits: (history: History) => allows(history, level) === true }),
    },
  );
}

function preferred(strategy: Strategy, choices: number, random: Random): number {
  switch (strategy) {
    case "uniform":
      return random(choices);
    case "latest":
      return 0;
    case "stale":
      return choices - 1;
  }
}

/** Late commits make others read old versions. */
function* randomSteps(
  ground: Ground,
  rules: CopyRules,
  strategy: Strategy,
  random: Random,
): Steps<FinalRun> {
  const timeline = new Timeline(ground, rules, yield* startAll(ground));
  for (;;) {
    const moves: Move[] = [];
    for (const session of timeline.waiting()) {
      const move = yield* timeline.attempt(session);
      if (move !== undefined) moves.push(move);
    }
    if (moves.length === 0) return timeline.finished();
    const wanted = moves.filter(
      ({ step }) => strategy === "uniform" || step.first === (strategy === "stale"),
    );
    const from = wanted.length > 0 ? wanted : moves;
    const move = from[random(from.length)];
    if (move !== undefined) timeline.take(move);
  }
}

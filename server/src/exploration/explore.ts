// The exhaustive driver: every history of a client program at a level, once. Keeps a stack of history prefixes, which are plain data: they
// can be sent to workers or saved, and their number does not grow with that of histories.
import type { Client } from "./client";
import { isWeakLevel } from "./commitOrder";
import type { StoreLevel, ExploreEvent, ExploreOptions, ExploreSummary, Work } from "./exploration";
import { movesOf, runCausal, workOf } from "./exploreCausal";
import type { Branch, LaterMoves } from "./exploreCausal";
import { groundOf, awaitValue } from "./ground";
import type { FinalRun, Ground, Steps } from "./ground";
import { runSteps } from "./exploreSteps";
import { scout, publicRun } from "./randomRuns";
import { allows } from "./levels";
import { copyRules, unsupportedLevel } from "./copyRules";
import { uniqueKeysHold } from "./uniqueKeys";

/** Explores a client whose sessions are all `sync`. */
export function* exploreSync(
  client: Client,
  options: ExploreOptions,
): Generator<ExploreEvent, ExploreSummary> {
  const steps = exploration(client, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value instanceof Promise)
      throw new Error("a session is asynchronous: explore it with exploreAsync");
    yield step.value;
  }
}

/** Explores any client. */
export async function* exploreAsync(
  client: Client,
  options: ExploreOptions,
): AsyncGenerator<ExploreEvent, ExploreSummary> {
  const steps = exploration(client, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value instanceof Promise) await step.value;
    else yield step.value;
  }
}

/** The number of random runs that look for keys before a client with predicates is explored. */
const SCOUTS = 20;

function* exploration(
  client: Client,
  options: ExploreOptions,
): Generator<ExploreEvent | Promise<unknown>, ExploreSummary> {
  const scouted =
    options.universe ?? (yield* unlessStopped(scout(client, options, SCOUTS), options.stop));
  let known: readonly string[] = scouted === "stopped" ? [] : scouted;
  for (;;) {
    const ground = groundOf(client, options, known);
    const summary = yield* pass(ground, options, options.from ?? [ROOT]);
    if (ground.universe.missed.size === 0) return summary;
    known = ground.universe.all();
    yield { kind: "restart", keys: known };
    // The keys of this exploration are a part of the whole; all parts must restart with them.
    if (options.from !== undefined)
      return { ...summary, histories: 0, exhausted: false, remaining: [ROOT], universe: known };
  }
}

const ROOT: Work = { kind: "history", history: { transactions: [] } };

/** Processes the stack until it is empty, a predicate missed a key, or the caller stops it. */
function* pass(
  ground: Ground,
  options: ExploreOptions,
  from: readonly Work[],
): Generator<ExploreEvent | Promise<unknown>, ExploreSummary> {
  const { level, spread } = options;
  const { universe } = ground;
  const stack: (Work | Branch | LaterMoves)[] = [...from].reverse();
  let histories = 0;
  let runs = 0;
  let peakWork = stack.length;
  while (stack.length > 0 && universe.missed.size === 0) {
    if (options.stop?.() === true || (spread !== undefined && stack.length >= spread)) break;
    const next = spread === undefined ? stack.pop() : stack.shift();
    if (next === undefined) break;
    const work = workOf(next);
    if (work.kind === "moves") {
      const start = options.startLevel ?? startOf(level);
      if (isWeakLevel(start)) stack.push(...movesOf(work.history, start));
      continue;
    }
    const before = stack.length;
    const finished = yield* unlessStopped(
      run(ground, options, work, (more) => stack.push(more)),
      options.stop,
    );
    if (finished === "stopped") {
      stack.splice(before, stack.length, work);
      break;
    }
    runs++;
    peakWork = Math.max(peakWork, stack.length);
    if (finished === undefined || universe.missed.size > 0) continue;
    // Code runs once per sequence of answers; the first run checks that it is deterministic.
    if (histories++ === 0)
      for (const point of finished.points)
        yield* unlessStopped(awaitValue(ground.unfolding.repeat(point)), undefined);
    const problems = [...finished.problems, ...ground.unfolding.differences()];
    yield { kind: "run", run: publicRun(ground.client, level, { ...finished, problems }) };
  }
  return {
    histories,
    runs,
    blocked: runs - histories,
    exhausted: stack.length === 0,
    remaining: stack.reverse().map(workOf),
    universe: universe.all(),
    peakWork,
  };
}

/** Abandons a run half-way on a stop: some clients have long runs. */
function* unlessStopped<T>(
  steps: Steps<T>,
  stop: (() => boolean) | undefined,
): Generator<Promise<unknown>, T | "stopped"> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) yield step.value;
    // Polled after every answer to application code: a single transaction of it may take long.
    if (stop?.() === true) return "stopped";
  }
}

function* run(
  ground: Ground,
  { level, startLevel }: ExploreOptions,
  work: Work,
  more: (work: Work | Branch | LaterMoves) => void,
): Steps<FinalRun | undefined> {
  const start = startLevel ?? startOf(level);
  const finished = yield* runAt(ground, start, work, more);
  if (finished === undefined || !uniqueKeysHold(ground.client, finished.history, level))
    return undefined;
  return start === level || allows(finished.history, level) ? finished : undefined;
}

function* runAt(
  ground: Ground,
  level: StoreLevel,
  work: Work,
  more: (work: Work | Branch | LaterMoves) => void,
): Steps<FinalRun | undefined> {
  const rules = copyRules(level);
  if (rules !== undefined)
    return yield* runSteps(ground, rules, work.kind === "steps" ? work.steps : [], more);
  if (!isWeakLevel(level)) throw new Error(unsupportedLevel(level));
  const begun = work.kind === "history" ? work.history : { transactions: [] };
  return yield* runCausal(ground, level, begun, more);
}

/** The level at which histories are enumerated; those that the requested level forbids are dropped at their end. */
function startOf(level: StoreLevel): StoreLevel {
  return level === "parallel-snapshot-isolation" ? "causal" : level;
}

// The exhaustive driver: every history of a client program at a level, once. Keeps a stack of beginnings of histories,
// which are plain data: they can be handed to workers, kept for later, and do not grow with the number of histories.
import type { Client } from "./client";
import { isWeakLevel } from "./commitOrder";
import type {
  AxiomaticLevel,
  StoreLevel,
  ExploreEvent,
  ExploreOptions,
  ExploreSummary,
  Work,
} from "./exploration";
import { runCausal } from "./exploreCausal";
import type { Finished, Ground, Steps } from "./exploreCausal";
import { runSteps } from "./exploreSteps";
import { finalStatesOf } from "./finalStates";
import { allows } from "./levels";
import { isSnapshotLevel } from "./stepsOf";
import { unfold } from "./unfolding";
import { Universe } from "./universe";

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

function* exploration(
  client: Client,
  options: ExploreOptions,
): Generator<ExploreEvent | Promise<unknown>, ExploreSummary> {
  let known = options.universe ?? [];
  for (let from = options.from ?? [ROOT]; ; from = [ROOT]) {
    const universe = new Universe(client, known);
    const ground: Ground = { client, unfolding: unfold(client, options), universe };
    const summary = yield* pass(ground, options, from);
    if (universe.missed.size === 0) return summary;
    known = universe.all();
    yield { kind: "restart", keys: known };
  }
}

const ROOT: Work = { kind: "history", history: { transactions: [] } };

/** Works off the stack until it is empty, a predicate missed a key, or the caller stops it. */
function* pass(
  ground: Ground,
  options: ExploreOptions,
  from: readonly Work[],
): Generator<ExploreEvent | Promise<unknown>, ExploreSummary> {
  const stack = [...from].reverse();
  let histories = 0;
  let runs = 0;
  let blocked = 0;
  let peakWork = stack.length;
  let stopped = false;
  while (stack.length > 0 && ground.universe.missed.size === 0) {
    if (options.stop?.() === true) {
      stopped = true;
      break;
    }
    const work = stack.pop();
    if (work === undefined) break;
    runs++;
    const finished = yield* run(ground, options, work, (more) => stack.push(more));
    peakWork = Math.max(peakWork, stack.length);
    if (finished === undefined) {
      blocked++;
      continue;
    }
    if (ground.universe.missed.size > 0) break;
    histories++;
    yield {
      kind: "run",
      run: {
        history: finished.history,
        problems: finished.problems,
        finalStates: () => finalStatesOf(ground.client, finished.history, options.level),
      },
    };
  }
  return {
    histories,
    runs,
    blocked,
    exhausted: !stopped,
    remaining: stack.reverse(),
    universe: ground.universe.all(),
    peakWork,
  };
}

function* run(
  ground: Ground,
  { level, startLevel }: ExploreOptions,
  work: Work,
  more: (work: Work) => void,
): Steps<Finished | undefined> {
  const start = startLevel ?? startOf(level);
  if (isSnapshotLevel(start))
    return yield* runSteps(ground, start, work.kind === "steps" ? work.steps : [], more);
  if (!isWeakLevel(start)) throw new Error(`cannot explore at ${start}`);
  const begun = work.kind === "history" ? work.history : { transactions: [] };
  const finished = yield* runCausal(ground, start, begun, more);
  if (start === level || allows(finished.history, axiomatic(level))) return finished;
  return undefined;
}

/** The level at which histories are enumerated; those that the level itself forbids are left out at their end. */
function startOf(level: StoreLevel): StoreLevel {
  return level === "parallel-snapshot-isolation" ? "causal" : level;
}

function axiomatic(level: StoreLevel): AxiomaticLevel {
  if (level.includes(":")) throw new Error(`cannot explore at ${level}`);
  return level as AxiomaticLevel;
}

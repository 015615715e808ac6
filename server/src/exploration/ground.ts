// The shared context of a client's runs, and the handling of asynchronous code.
import type { Client } from "./client";
import type { RunLimits, RunProblem } from "./exploration";
import type { History } from "./history";
import type { Step } from "./sequences";
import { unfold } from "./unfolding";
import type { Point, Unfolding } from "./unfolding";
import { Universe } from "./universe";

export interface Ground {
  readonly client: Client;
  readonly unfolding: Unfolding;
  readonly universe: Universe;
}

/** The context of a client for which these keys are known beside the initial ones. */
export function groundOf(client: Client, limits: RunLimits, keys: readonly string[]): Ground {
  return { client, unfolding: unfold(client, limits), universe: new Universe(client, keys) };
}

/** A finished run. */
export interface FinalRun {
  readonly history: History;
  readonly problems: readonly RunProblem[];
  /** The final points of the sessions. */
  readonly points: readonly Point[];
  /** The steps of the run, at levels with one copy. */
  readonly steps?: readonly Step[];
}

/** A run that yields what it awaits, and occasionally nothing, where it may be abandoned. */
export type Steps<T> = Generator<Promise<unknown> | undefined, T, unknown>;

/** The first points of all sessions. */
export function* startAll({ client, unfolding }: Ground): Steps<Point[]> {
  const points: Point[] = [];
  for (let session = 0; session < client.sessions.length; session++)
    points.push(yield* awaitValue(unfolding.start(session)));
  return points;
}

/** The value, awaited if necessary. */
export function* awaitValue<T>(value: T | Promise<T>): Steps<T> {
  if (!(value instanceof Promise)) return value;
  let result: { readonly value: T } | undefined;
  yield value.then((got) => (result = { value: got }));
  if (result === undefined) throw new Error("went on before what was waited for was there");
  return result.value;
}

/** Takes the steps of a client whose sessions are all `sync`. */
export function finishSync<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined)
      throw new Error("a session is asynchronous: use the function that returns a promise");
  }
}

/** Takes the steps of any client. */
export async function finish<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await step.value;
  }
}

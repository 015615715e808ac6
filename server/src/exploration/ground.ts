// Ground of a client's runs, and how they wait for asynchronous code.
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

/** For a client of which these keys are known besides those that exist at the start. */
export function groundOf(client: Client, limits: RunLimits, keys: readonly string[]): Ground {
  return { client, unfolding: unfold(client, limits), universe: new Universe(client, keys) };
}

/** A run that came to its end. */
export interface FinalRun {
  readonly history: History;
  readonly problems: readonly RunProblem[];
  /** Where the sessions ended. */
  readonly points: readonly Point[];
  /** How it was run, at levels where all read from one copy. */
  readonly steps?: readonly Step[];
}

/** Yields what has to be awaited before it can go on, and nothing now and then, where it may be given up. */
export type Steps<T> = Generator<Promise<unknown> | undefined, T, unknown>;

/** The first points of all sessions. */
export function* startAll({ client, unfolding }: Ground): Steps<Point[]> {
  const points: Point[] = [];
  for (let session = 0; session < client.sessions.length; session++)
    points.push(yield* awaitValue(unfolding.start(session)));
  return points;
}

/** The value, awaited where it is not there yet. */
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

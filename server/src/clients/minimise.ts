// The smallest part of a client that violates an assertion at a level although its serial orders do not. Parts are explored afresh, so the
// shown execution was really run.
import type { StoreLevel } from "../exploration/exploration";
import type { Assertion } from "./assertions";
import {
  exploreClient,
  openJudge,
  type BrokenAssertion,
  type ExploreClientOptions,
} from "./exploreClient";
import type { ExplorableClient } from "./explorableClient";
import { serialOutcomes, type SerialOutcomes } from "./serialOutcomes";

export interface SmallestBreak {
  readonly client: ExplorableClient;
  readonly broken: BrokenAssertion;
  /** The serial outcomes of the part alone. */
  readonly serial: SerialOutcomes;
  /** Names of the removed transactions. */
  readonly leftOut: readonly string[];
}

export interface MinimiseOptions {
  readonly level: StoreLevel;
  readonly stop: () => boolean;
  readonly turn?: ExploreClientOptions["turn"];
  /** True to accept violations by serial orders: their shortest run is wanted. */
  readonly serial?: boolean;
}

/** Limit of tried parts. */
const MOST_PARTS = 400;
/** Limit of states in a part's serial orders. */
const SERIAL_STATES = 2000;

/**
 * Tries parts from small to large: fewest transactions, then fewest sessions. Undefined if none was found in time, so that the whole client
 * is the smallest known part.
 */
export async function smallestBreak(
  client: ExplorableClient,
  assertion: Assertion,
  options: MinimiseOptions,
): Promise<SmallestBreak | undefined> {
  // An invariant that the initial rows violate (such as a sum to be reached) says nothing about a part.
  if (options.serial === true && !(await holdsAtStart(client, assertion, options.stop)))
    return undefined;
  for (const part of partsOf(client, assertion)) {
    if (options.stop()) return undefined;
    const found = await breakOf(part, assertion, options);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function holdsAtStart(
  client: ExplorableClient,
  assertion: Assertion,
  stop: () => boolean,
): Promise<boolean> {
  const all = new Set(client.transactions.flat().map(({ name }) => name));
  const { outcomes } = await serialOutcomes(client.without(all), { states: 1, stop });
  const judge = openJudge([assertion]);
  for (const { history, state } of outcomes) await judge.takeOutcome(history, [state]);
  return judge.broken.size === 0;
}

/** The violation by this very client, with as few stale reads as possible. */
async function breakOf(
  { client, leftOut }: Part,
  assertion: Assertion,
  { level, stop, turn, serial: ofSerial }: MinimiseOptions,
): Promise<SmallestBreak | undefined> {
  const limits = { states: SERIAL_STATES, stop, ...(turn && { turn }) };
  const serial = await serialOutcomes(client, limits);
  if (!serial.exhausted || serial.problems.length > 0) return undefined;
  const judge = openJudge([assertion]);
  for (const { history, state } of serial.outcomes) await judge.takeOutcome(history, [state]);
  const inOrder = judge.broken.get(0);
  if (ofSerial === true)
    return inOrder && { client, broken: inOrder, serial, leftOut: [...leftOut] };
  if (inOrder !== undefined || judge.result().faults.size > 0) return undefined;
  const explored = await exploreClient(client, [assertion], { level, stop, ...(turn && { turn }) });
  const broken = explored.broken.get(0);
  if (broken === undefined || explored.problems.length > 0) return undefined;
  return { client, broken, serial, leftOut: [...leftOut] };
}

interface Part {
  readonly client: ExplorableClient;
  readonly leftOut: ReadonlySet<string>;
}

/** Proper parts of a client that contain everything that the assertion names. */
function* partsOf(client: ExplorableClient, assertion: Assertion): Generator<Part> {
  const { names } = assertion;
  // An assertion with unknown dependencies concerns all transactions.
  if (names === undefined) return;
  const all = client.transactions.flatMap((session, at) =>
    session.map(({ name }) => ({ name, session: at })),
  );
  const free = all.filter(({ name }) => !names.includes(name));
  const kept = all.length - free.length;
  let tried = 0;
  for (let size = Math.max(1, kept); size < all.length; size += 1) {
    const chosen = subsets(free, size - kept)
      .map((each) => {
        const keep = new Set([...names, ...each.map(({ name }) => name)]);
        const left = all.filter(({ name }) => !keep.has(name));
        const sessions = new Set(
          all.filter(({ name }) => keep.has(name)).map(({ session }) => session),
        );
        return { left, sessions: sessions.size };
      })
      .sort((a, b) => a.sessions - b.sessions);
    for (const { left } of chosen) {
      tried += 1;
      if (tried > MOST_PARTS) return;
      const leftOut = new Set(left.map(({ name }) => name));
      yield { client: client.without(leftOut), leftOut };
    }
  }
}

/** All subsets of a size, in item order; up to the limit of tried parts. */
function subsets<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  if (size <= 0) return [[]];
  const found: (readonly T[])[] = [];
  for (const [at, item] of items.entries()) {
    for (const rest of subsets(items.slice(at + 1), size - 1)) {
      found.push([item, ...rest]);
      if (found.length >= MOST_PARTS) return found;
    }
  }
  return found;
}

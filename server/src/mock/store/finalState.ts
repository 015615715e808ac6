// Final state of the mock database, for assertions: levels without a fixed order of commits leave it open in part.
import type { Key, Value } from "../../exploration/client";
import { versionsOf, type Database } from "./database";
import type { Policy } from "./policy";

/**
 * The last committed version of each key, in one order of the commits that agrees with what was read: as they came,
 * unless a read says otherwise. Takes time that is at worst cubic in the number of transactions.
 */
export function finalState(database: Database, policy: Policy): ReadonlyMap<Key, Value> {
  const state = new Map<Key, Value>();
  const { precedes } = policy;
  for (const key of database.keys("")) {
    const newest = database.newest(key);
    // Versions stand in the order of the commits.
    state.set(key, precedes ? versionsOf(newest)[0]?.value : newest.value);
  }
  for (const number of precedes ? ordered(database.commits, precedes) : [])
    for (const [key, value] of database.transactions.get(number)?.writes ?? [])
      state.set(key, value);
  return state;
}

/** Each after all that must precede it, and otherwise in the given order. */
function ordered(
  commits: readonly number[],
  precedes: NonNullable<Policy["precedes"]>,
): readonly number[] {
  const left = [...commits];
  const result: number[] = [];
  while (left.length > 0) {
    const at = left.findIndex((each) => !left.some((other) => precedes(other, each)));
    if (at < 0) throw new Error("the order of the commits has a cycle");
    result.push(...left.splice(at, 1));
  }
  return result;
}

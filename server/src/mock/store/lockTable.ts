// Locks of the mock database: on keys, and on all keys that begin in one way. Held until the transaction ends; who asks
// waits in turn, and who would wait for himself fails.
import type { Failure, Patience } from "./policy";

export type LockMode = "shared" | "exclusive";

export interface LockTable {
  /** Resolves when the lock is held; at once where nobody is in the way. A deadlock fails the one who closes it. */
  take(owner: number, name: string, mode: LockMode): Promise<Failure | undefined>;
  /** A shared lock on all keys that begin so, those included that do not exist: it waits for those who write one. */
  takePrefix(owner: number, prefix: string): Promise<Failure | undefined>;
  /** Waits until nobody else holds a lock on a prefix of the key: such a key may not come into being before. */
  enter(owner: number, key: string): Promise<Failure | undefined>;
  /** How long the owner waits from now on; also one that waits already. */
  patience(owner: number, patience: Patience | undefined): void;
  /** Gives back everything, and gives up waiting. */
  release(owner: number): void;
}

interface Waiting {
  readonly owner: number;
  readonly blockers: () => readonly number[];
  /** Takes what was waited for. */
  readonly grant: () => void;
  readonly done: (failure: Failure | undefined) => void;
  timer?: ReturnType<typeof setTimeout>;
}

const DEADLOCK: Failure = { code: "40P01", message: "deadlock detected" };
const GIVEN_UP: Failure = { code: "57014", message: "canceling statement due to user request" };

export function createLockTable(): LockTable {
  const held = new Map<string, Map<number, LockMode>>();
  const patience = new Map<number, Patience>();
  let waiting: Waiting[] = [];

  function startTimer(each: Waiting): void {
    clearTimeout(each.timer);
    const limit = patience.get(each.owner);
    if (!limit) return;
    each.timer = setTimeout(() => {
      waiting = waiting.filter((other) => other !== each);
      each.done(limit.failure);
    }, limit.milliseconds);
  }

  function othersOn(owner: number, name: string, mode: LockMode): number[] {
    return [...(held.get(name) ?? [])]
      .filter(
        ([holder, theirs]) => holder !== owner && (mode === "exclusive" || theirs === "exclusive"),
      )
      .map(([holder]) => holder);
  }

  function onKeysBelow(owner: number, prefix: string): number[] {
    return [...held.keys()].flatMap((name) =>
      name !== prefix && name.startsWith(prefix) ? othersOn(owner, name, "shared") : [],
    );
  }

  function onPrefixes(owner: number, key: string): number[] {
    return [...held].flatMap(([name, holders]) =>
      name !== key && key.startsWith(name)
        ? [...holders.keys()].filter((holder) => holder !== owner)
        : [],
    );
  }

  /** True if the owner waits, over others that wait, for himself. */
  function closesCircle(owner: number, blockers: readonly number[]): boolean {
    const seen = new Set<number>();
    const left = [...blockers];
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      if (each === owner) return true;
      if (seen.has(each)) continue;
      seen.add(each);
      for (const other of waiting) if (other.owner === each) left.push(...other.blockers());
    }
    return false;
  }

  function wait(
    owner: number,
    blockers: () => readonly number[],
    grant: () => void,
  ): Promise<Failure | undefined> {
    if (blockers().length === 0) {
      grant();
      return Promise.resolve(undefined);
    }
    if (closesCircle(owner, blockers())) return Promise.resolve(DEADLOCK);
    return new Promise((done) => {
      const each: Waiting = { owner, blockers, grant, done };
      waiting.push(each);
      startTimer(each);
    });
  }

  function hold(owner: number, name: string, mode: LockMode): void {
    const holders = held.get(name) ?? new Map<number, LockMode>();
    held.set(name, holders);
    if (holders.get(owner) !== "exclusive") holders.set(owner, mode);
  }

  return {
    take: (owner, name, mode) =>
      wait(
        owner,
        () => othersOn(owner, name, mode),
        () => {
          hold(owner, name, mode);
        },
      ),
    takePrefix: (owner, prefix) =>
      wait(
        owner,
        () => onKeysBelow(owner, prefix),
        () => {
          hold(owner, prefix, "shared");
        },
      ),
    enter: (owner, key) =>
      wait(
        owner,
        () => onPrefixes(owner, key),
        () => undefined,
      ),
    patience(owner, limit) {
      if (limit) patience.set(owner, limit);
      else patience.delete(owner);
      for (const each of waiting) if (each.owner === owner) startTimer(each);
    },
    release(owner) {
      patience.delete(owner);
      for (const [name, holders] of held) {
        holders.delete(owner);
        if (holders.size === 0) held.delete(name);
      }
      const before = waiting;
      waiting = before.filter((each) => each.owner !== owner);
      for (const each of before) {
        if (each.owner !== owner) continue;
        clearTimeout(each.timer);
        each.done(GIVEN_UP);
      }
      // First come, first served: each grant counts for those behind.
      for (const each of [...waiting]) {
        if (each.blockers().length > 0) continue;
        waiting = waiting.filter((other) => other !== each);
        clearTimeout(each.timer);
        each.grant();
        each.done(undefined);
      }
    },
  };
}

// Locks of the mock database: on keys, on all keys that begin in one way, and on all that a look-up is about. Held until
// the transaction ends; who asks waits in turn, and who would wait for himself fails.
import type { Lookup, Value } from "../../exploration/client";
import { isAbout } from "../../exploration/lookups";
import type { Failure, Patience, Waited } from "./policy";

export type LockMode = "shared" | "exclusive";

export interface LockTable {
  /** Takes the lock: at once where nobody is in the way. A deadlock fails the one who closes it. */
  take(owner: number, name: string, mode: LockMode): Waited;
  /** A shared lock on all keys that begin so, those included that do not exist: it waits for those who write one. */
  takePrefix(owner: number, prefix: string): Waited;
  /** A shared lock on versions that do not exist yet; those that do have locks of their own. */
  watch(owner: number, lookups: readonly Lookup[]): void;
  /** Waits until nobody else holds a lock on what that version would belong to: it may not come into being before. */
  enter(owner: number, key: string, version: Value): Waited;
  /** How long the owner waits from now on; also one that waits already. */
  patience(owner: number, patience: Patience | undefined): void;
  /** Gives back everything, and gives up waiting. */
  release(owner: number): void;
}

interface Holder {
  readonly owner: number;
  mode: LockMode;
}

/** One of few: it is looked for among all. */
interface Owner {
  readonly number: number;
  /** The names of its locks. */
  readonly names: string[];
  /** Its locks on prefixes. */
  readonly prefixes: string[];
  readonly watched: Lookup[];
  patience?: Patience | undefined;
}

interface Waiting {
  readonly owner: number;
  readonly blockers: () => readonly number[];
  /** Takes what was waited for. */
  readonly grant: () => void;
  readonly done: (failure: Failure | undefined) => void;
  timer?: ReturnType<typeof setTimeout>;
}

const NOBODY: readonly number[] = [];
const NO_NAMES: readonly string[] = [];
const DEADLOCK: Failure = { code: "40P01", message: "deadlock detected" };
const GIVEN_UP: Failure = { code: "57014", message: "canceling statement due to user request" };

export function createLockTable(): LockTable {
  const held = new Map<string, Holder[]>();
  const owners: Owner[] = [];
  let waiting: Waiting[] = [];

  function ownerOf(number: number): Owner {
    const known = owners.find((each) => each.number === number);
    if (known !== undefined) return known;
    const fresh: Owner = { number, names: [], prefixes: [], watched: [] };
    owners.push(fresh);
    return fresh;
  }

  function startTimer(each: Waiting): void {
    clearTimeout(each.timer);
    const limit = ownerOf(each.owner).patience;
    if (!limit) return;
    each.timer = setTimeout(() => {
      waiting = waiting.filter((other) => other !== each);
      each.done(limit.failure);
    }, limit.milliseconds);
  }

  function othersOn(owner: number, name: string, mode: LockMode): readonly number[] {
    const holders = held.get(name);
    if (holders === undefined) return NOBODY;
    return holders
      .filter((each) => each.owner !== owner && (mode === "exclusive" || each.mode === "exclusive"))
      .map((each) => each.owner);
  }

  function onKeysBelow(owner: number, prefix: string): number[] {
    return owners.flatMap((other) =>
      other.number !== owner && isWriterBelow(other, prefix) ? [other.number] : [],
    );
  }

  function isWriterBelow({ number, names }: Owner, prefix: string): boolean {
    return names.some(
      (name) => name.startsWith(prefix) && holderOf(number, name)?.mode === "exclusive",
    );
  }

  function holderOf(owner: number, name: string): Holder | undefined {
    return held.get(name)?.find((each) => each.owner === owner);
  }

  function onPredicates(owner: number, key: string, version: Value): readonly number[] {
    const found: number[] = [];
    for (const { number, prefixes, watched } of owners) {
      if (number === owner) continue;
      const holds =
        prefixes.some((prefix) => key.startsWith(prefix)) ||
        watched.some((each) => key.startsWith(each.prefix) && isAbout(each, version));
      if (holds) found.push(number);
    }
    return found;
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

  function wait(owner: number, blockers: () => readonly number[], grant: () => void): Waited {
    if (blockers().length === 0) {
      grant();
      return undefined;
    }
    if (closesCircle(owner, blockers())) return DEADLOCK;
    return new Promise((done) => {
      const each: Waiting = { owner, blockers, grant, done };
      waiting.push(each);
      startTimer(each);
    });
  }

  function hold(owner: number, name: string, mode: LockMode): void {
    const holders = held.get(name);
    const own = holderOf(owner, name);
    if (own !== undefined) {
      if (mode === "exclusive") own.mode = mode;
      return;
    }
    if (holders === undefined) held.set(name, [{ owner, mode }]);
    else holders.push({ owner, mode });
    ownerOf(owner).names.push(name);
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
          const { prefixes } = ownerOf(owner);
          if (!prefixes.includes(prefix)) prefixes.push(prefix);
        },
      ),
    watch(owner, lookups) {
      if (lookups.length > 0) ownerOf(owner).watched.push(...lookups);
    },
    enter: (owner, key, version) =>
      wait(
        owner,
        () => onPredicates(owner, key, version),
        () => undefined,
      ),
    patience(owner, limit) {
      ownerOf(owner).patience = limit;
      for (const each of waiting) if (each.owner === owner) startTimer(each);
    },
    release(owner) {
      const place = owners.findIndex((each) => each.number === owner);
      for (const name of place < 0 ? NO_NAMES : (owners[place]?.names ?? NO_NAMES)) {
        const others = (held.get(name) ?? []).filter((each) => each.owner !== owner);
        if (others.length === 0) held.delete(name);
        else held.set(name, others);
      }
      if (place >= 0) owners.splice(place, 1);
      if (waiting.length === 0) return;
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

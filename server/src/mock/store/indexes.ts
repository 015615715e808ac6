// Which keys hold, or have held, which values: made when it is first asked for, and kept from then on. It says only which
// keys a predicate can be about; which of their versions is read is the level's business.
import type {
  Key,
  Lookup,
  LookupIndex,
  LookupRange,
  RangeLimit,
  RangePart,
  Value,
} from "../../exploration/client";
import { partOf } from "./keyOrder";

export interface Indexes {
  /**
   * Makes the index of a look-up where there is none, of all versions of keys that begin as it says, first those that are
   * not committed: a step ends wherever others may have their turn.
   */
  make(
    lookup: LookupIndex,
    valuesBelow: (prefix: string) => Iterable<readonly [Key, Value]>,
  ): Generator<undefined, void, undefined> | undefined;
  /** Sorted; some may hold the value no more. */
  keys(lookup: Lookup): readonly Key[];
  /** The part of a look-up of so many keys that they are. */
  part(lookup: Lookup): RangePart | undefined;
  /** A version of the key may come into being. */
  note(key: Key, value: Value): void;
  /** Those of them that are made, for a store that begins with what is there. */
  whole(): Indexes;
}

interface Index {
  readonly prefix: string;
  readonly valueOf: Lookup["valueOf"];
  readonly orderOf: LookupRange["orderOf"] | undefined;
  readonly entries: Map<string, Entry>;
  /** All versions that were there are in it: false while it is being made. */
  isWhole: boolean;
}

/** Most values have one key. */
type Entry = Key | Set<Key> | Ordered;

/** Keys by their places in an order. */
interface Ordered {
  readonly keys: Map<number, Set<Key>>;
  readonly places: number[];
  isSorted: boolean;
}

/** Versions that go into a new index in one step. */
const STEP = 2000;

export function createIndexes(known: Iterable<readonly [string, Index]> = []): Indexes {
  const indexes = new Map<string, Index>();
  const byPart = new Map<string, Index[]>();

  function add(name: string, index: Index): void {
    indexes.set(name, index);
    const part = partOf(index.prefix);
    byPart.set(part, [...(byPart.get(part) ?? []), index]);
  }

  function put({ entries, valueOf, orderOf }: Index, key: Key, version: Value): void {
    const value = valueOf(version);
    if (value === undefined) return;
    const known = entries.get(value);
    if (orderOf !== undefined) {
      const place = orderOf(version);
      if (place === undefined) return;
      const ordered =
        known === undefined || typeof known === "string" || known instanceof Set
          ? { keys: new Map(), places: [], isSorted: true }
          : known;
      if (known !== ordered) entries.set(value, ordered);
      putAt(ordered, place, key);
    } else if (known === undefined) entries.set(value, key);
    else if (known instanceof Set) known.add(key);
    else if (typeof known === "string" && known !== key) entries.set(value, new Set([known, key]));
  }

  for (const [name, index] of known) add(name, index);

  function* made(
    lookup: LookupIndex,
    valuesBelow: (prefix: string) => Iterable<readonly [Key, Value]>,
  ): Generator<undefined, void, undefined> {
    const { index, prefix, valueOf, range } = lookup;
    const fresh: Index = {
      prefix,
      valueOf,
      orderOf: range?.orderOf,
      entries: new Map(),
      isWhole: false,
    };
    add(index, fresh);
    let count = 0;
    for (const [key, value] of valuesBelow(prefix)) {
      put(fresh, key, value);
      if (++count % STEP === 0) yield;
    }
    fresh.isWhole = true;
  }

  return {
    make: (lookup, valuesBelow) =>
      indexes.has(lookup.index) ? undefined : made(lookup, valuesBelow),
    keys({ index, value, range }) {
      const found = indexes.get(index)?.entries.get(value);
      if (found === undefined) return [];
      if (typeof found === "string") return [found];
      if (found instanceof Set) return [...found].sort();
      return range === undefined ? [] : [...keysWithin(found, range)].sort();
    },
    part({ index, value, range }) {
      if (range?.most === undefined) return undefined;
      const { from, to, most } = range;
      const found = indexes.get(index)?.entries.get(value);
      const isOrdered = found !== undefined && typeof found !== "string" && !(found instanceof Set);
      const end = isOrdered ? lastPlace(found, { from, to }, most) : undefined;
      if (end === undefined) return { from, to, isLast: true };
      return most.side === "low"
        ? { from, to: end, isLast: false }
        : { from: end, to, isLast: false };
    },
    whole: () => createIndexes([...indexes].filter(([, { isWhole }]) => isWhole)),
    note(key, value) {
      if (indexes.size === 0) return;
      for (const each of byPart.get(partOf(key)) ?? [])
        if (key.startsWith(each.prefix)) put(each, key, value);
    },
  };
}

function putAt(ordered: Ordered, place: number, key: Key): void {
  const { keys, places } = ordered;
  const known = keys.get(place);
  if (known !== undefined) {
    known.add(key);
    return;
  }
  keys.set(place, new Set([key]));
  ordered.isSorted &&= places.length === 0 || (places.at(-1) ?? 0) < place;
  places.push(place);
}

/** The place from which on, counted from that side, no more keys are wanted; undefined where the range ends before. */
function lastPlace(
  ordered: Ordered,
  { from, to }: Pick<LookupRange, "from" | "to">,
  { count, side }: RangeLimit,
): number | undefined {
  const { keys } = ordered;
  const places = sorted(ordered);
  const step = side === "low" ? 1 : -1;
  let left = count;
  for (
    let at = side === "low" ? firstFrom(places, from) : firstBehind(places, to) - 1;
    ;
    at += step
  ) {
    const place = places[at];
    if (place === undefined || place < from || place > to) return undefined;
    left -= keys.get(place)?.size ?? 0;
    if (left <= 0) return place;
  }
}

function sorted(ordered: Ordered): readonly number[] {
  if (!ordered.isSorted) ordered.places.sort((left, right) => left - right);
  ordered.isSorted = true;
  return ordered.places;
}

/** The index of the first that is not smaller. */
function firstFrom(places: readonly number[], from: number): number {
  let low = 0;
  for (let high = places.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first that is greater. */
function firstBehind(places: readonly number[], to: number): number {
  let at = firstFrom(places, to);
  while (places[at] === to) at++;
  return at;
}

function keysWithin(ordered: Ordered, { from, to }: LookupRange): ReadonlySet<Key> {
  const { keys } = ordered;
  const places = sorted(ordered);
  let low = firstFrom(places, from);
  const found = new Set<Key>();
  for (; low < places.length && (places[low] ?? 0) <= to; low++)
    for (const key of keys.get(places[low] ?? 0) ?? []) found.add(key);
  return found;
}

// All keys in their order, so that those below a prefix are found without going over the others. New ones wait in a
// short list of their own until they are many.
import type { Key } from "../../exploration/client";

export interface KeyOrder {
  /** A key that is not there yet. */
  add(key: Key): void;
  /** The keys that begin so, sorted. */
  below(prefix: string): readonly Key[];
  /** The keys that begin so, in any order. */
  each(prefix: string): Iterable<Key>;
}

/** New keys of a table that are looked through one by one. */
const MOST_RECENT = 256;

interface Part {
  sorted: Key[];
  recent: Key[];
}

export function createKeyOrder(): KeyOrder {
  const parts = new Map<string, Part>();

  function belowIn(part: Part, prefix: string): readonly Key[] {
    if (part.recent.length > MOST_RECENT) {
      part.sorted = [...part.sorted, ...part.recent].sort();
      part.recent = [];
    }
    const { sorted, recent } = part;
    const from = firstFrom(sorted, prefix);
    const to = prefix === "" ? sorted.length : firstFrom(sorted, successor(prefix));
    const own = recent.filter((key) => key.startsWith(prefix));
    const found = sorted.slice(from, to);
    return own.length === 0 ? found : [...found, ...own].sort();
  }

  return {
    add(key) {
      const name = partOf(key);
      const part = parts.get(name);
      if (part === undefined) parts.set(name, { sorted: [], recent: [key] });
      else part.recent.push(key);
    },
    *each(prefix) {
      for (const [own, { sorted, recent }] of parts) {
        if (!own.startsWith(prefix) && !prefix.startsWith(own)) continue;
        for (const keys of [sorted, recent])
          for (const key of keys) if (key.startsWith(prefix)) yield key;
      }
    },
    below(prefix) {
      const name = partOf(prefix);
      const part = parts.get(name);
      if (name !== "") return part === undefined ? [] : belowIn(part, prefix);
      return [...parts]
        .flatMap(([own, each]) => {
          if (own.startsWith(prefix)) return belowIn(each, "");
          return prefix.startsWith(own) ? belowIn(each, prefix) : [];
        })
        .sort();
    },
  };
}

/** Up to the first slash or number sign, that sign included: the rows or the entries of one table begin so. */
export function partOf(key: Key): string {
  const row = key.indexOf("/");
  const entry = key.indexOf("#");
  const end = row < 0 || (entry >= 0 && entry < row) ? entry : row;
  return key.slice(0, end + 1);
}

/** The smallest text that is greater than all that begin so. */
function successor(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/** The place of the first that is not smaller. */
function firstFrom(sorted: readonly Key[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

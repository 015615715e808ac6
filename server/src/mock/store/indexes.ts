// Which keys hold, or have held, which values: made when it is first asked for, and kept from then on. It says only which
// keys a predicate can be about; which of their versions is read is the level's business.
import type { Key, Lookup, Value } from "../../exploration/client";

export interface Indexes {
  /** Sorted; some may hold the value no more. */
  keys(lookup: Lookup): readonly Key[];
  /** A version of the key may come into being. */
  note(key: Key, value: Value): void;
}

interface Index {
  readonly prefix: string;
  readonly valueOf: Lookup["valueOf"];
  readonly keys: Map<string, Set<Key>>;
}

/** `valuesBelow` gives all versions of keys that begin so. */
export function createIndexes(
  valuesBelow: (prefix: string) => Iterable<readonly [Key, Value]>,
): Indexes {
  const indexes = new Map<string, Index>();

  function put({ keys, valueOf }: Index, key: Key, value: Value): void {
    const held = valueOf(value);
    if (held === undefined) return;
    const known = keys.get(held);
    if (known === undefined) keys.set(held, new Set([key]));
    else known.add(key);
  }

  function made({ index, prefix, valueOf }: Lookup): Index {
    const fresh: Index = { prefix, valueOf, keys: new Map() };
    for (const [key, value] of valuesBelow(prefix)) put(fresh, key, value);
    indexes.set(index, fresh);
    return fresh;
  }

  return {
    keys(lookup) {
      const { keys } = indexes.get(lookup.index) ?? made(lookup);
      return [...(keys.get(lookup.value) ?? [])].sort();
    },
    note(key, value) {
      for (const each of indexes.values()) if (key.startsWith(each.prefix)) put(each, key, value);
    },
  };
}

// Values by text that are kept from one reading of a workspace to the next, and no longer.

export interface Memo<Value> {
  /** The value that `make` gave for this key in this reading or the last one. */
  get(key: string, make: () => Value): Value;
  /** Starts a reading: what the one before the last used and nobody asked for since is forgotten. */
  nextReading(): void;
}

/** An empty memo. */
export function createMemo<Value>(): Memo<Value> {
  let last = new Map<string, Value>();
  let current = new Map<string, Value>();
  return {
    get(key, make) {
      const known = current.get(key);
      if (known !== undefined) return known;
      const value = last.get(key) ?? make();
      current.set(key, value);
      return value;
    },
    nextReading() {
      last = current;
      current = new Map();
    },
  };
}

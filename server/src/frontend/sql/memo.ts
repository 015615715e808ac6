// A memo of values by text that lasts from one reading of a workspace to the next.

export interface Memo<Value> {
  /** The value for this key, from this reading or the last one, or made now. */
  get(key: string, make: () => Value): Value;
  /** Starts a reading: values unused since the previous reading began are dropped. */
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

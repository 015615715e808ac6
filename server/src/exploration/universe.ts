// Which keys there are. A predicate reads all keys of its table, those included that come into being in other histories
// only; so keys are collected, and an exploration that met a predicate too early starts again.
import type { Client, Key, ReadRequest } from "./client";

export class Universe {
  private readonly keys: Set<Key>;
  private readonly scanned = new Set<string>();
  private sorted: readonly Key[] | undefined;
  /** Keys that turned up after a predicate had missed them. */
  readonly missed = new Set<Key>();

  constructor(client: Client, more: Iterable<Key> = []) {
    this.keys = new Set([...client.initial.keys(), ...more]);
  }

  /** All keys that the request reads, each once: those it names, then those of its scans in order. */
  keysOf(request: ReadRequest): readonly Key[] {
    const { keys, scans } = request;
    if (scans === undefined || scans.length === 0)
      return keys.length > 1 ? [...new Set(keys)] : keys;
    const all = new Set(keys);
    this.sorted ??= [...this.keys].sort();
    for (const scan of scans) {
      this.scanned.add(scan);
      for (const key of this.sorted) if (key.startsWith(scan)) all.add(key);
    }
    return [...all];
  }

  /** Some request so far was a predicate. */
  hasPredicates(): boolean {
    return this.scanned.size > 0;
  }

  /** Told of each key that is written. */
  wrote(key: Key): void {
    if (this.keys.has(key) || this.missed.has(key)) return;
    for (const scan of this.scanned)
      if (key.startsWith(scan)) {
        this.missed.add(key);
        return;
      }
    this.keys.add(key);
    this.sorted = undefined;
  }

  /** All keys known by now. */
  all(): readonly Key[] {
    return [...new Set([...this.keys, ...this.missed])].sort();
  }
}

// The set of known keys. A predicate reads all keys of its table, including those created only in other histories; so keys are collected,
// and an exploration that met a predicate too early restarts.
import type { Client, Key, ReadRequest } from "./client";

export class Universe {
  private readonly keys: Set<Key>;
  private readonly scanned = new Set<string>();
  private sorted: readonly Key[] | undefined;
  /** Keys found after a predicate had missed them. */
  readonly missed = new Set<Key>();

  constructor(client: Client, more: Iterable<Key> = []) {
    this.keys = new Set([...client.initial.keys(), ...more]);
  }

  /** All keys that the request reads, each once: the named ones, then those of its scans in order. */
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

  /** True if some request so far was a predicate. */
  hasPredicates(): boolean {
    return this.scanned.size > 0;
  }

  /** Called for each written key. */
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

  /** All keys known so far. */
  all(): readonly Key[] {
    return [...new Set([...this.keys, ...this.missed])].sort();
  }
}

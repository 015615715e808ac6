// A store of one version per key: for rows at the start, for assertions over a final state, and for tests.
import type { Key, Reply, Request, Value } from "../exploration/client";
import type { Sequences } from "./session";

export interface MemoryStore {
  readonly answer: (request: Request) => Reply;
  /** All keys with their versions. */
  readonly state: () => ReadonlyMap<Key, Value>;
}

/** A store for one session at a time; a transaction's writes are undone when it is aborted. */
export function createMemoryStore(initial: ReadonlyMap<Key, Value> = new Map()): MemoryStore {
  const versions = new Map(initial);
  const undo: (readonly [Key, Value, boolean])[] = [];
  return {
    state: () => versions,
    answer(request) {
      switch (request.kind) {
        case "begin":
        case "commit":
          undo.length = 0;
          return { kind: "done" };
        case "abort":
          for (const [key, value, existed] of undo.reverse()) {
            if (existed) versions.set(key, value);
            else versions.delete(key);
          }
          undo.length = 0;
          return { kind: "done" };
        case "write":
          undo.push([request.key, versions.get(request.key), versions.has(request.key)]);
          if (request.value === undefined) versions.delete(request.key);
          else versions.set(request.key, request.value);
          return { kind: "done" };
        case "read": {
          const values = new Map(request.keys.map((key) => [key, versions.get(key)]));
          for (const prefix of request.scans ?? []) {
            for (const [key, value] of versions) if (key.startsWith(prefix)) values.set(key, value);
          }
          return { kind: "values", values };
        }
        default:
          return request satisfies never;
      }
    },
  };
}

export interface CountedSequences extends Sequences {
  /** Others that go on from where these are. */
  readonly copy: () => CountedSequences;
}

/** Sequences that count from their start, in steps: sessions that run side by side get numbers of their own. */
export function createSequences(
  offset = 0,
  step = 1,
  before: ReadonlyMap<string, number> = new Map(),
): CountedSequences {
  const counts = new Map(before);
  return {
    ...(step === 1 && {
      set: (name: string, next: number | undefined) => {
        const before = counts.get(name);
        if (next === undefined) counts.delete(name);
        else counts.set(name, next);
        return before;
      },
    }),
    copy: () => createSequences(offset, step, counts),
    next(name, start, increment = 1) {
      const value = counts.get(name) ?? start + offset * increment;
      counts.set(name, value + step * increment);
      return value;
    },
    reached(name, value) {
      const next = counts.get(name);
      const behind = value + 1;
      if (next !== undefined && next >= behind) return;
      const from = next ?? 1 + offset;
      const rounds = Math.max(0, Math.ceil((behind - from) / step));
      counts.set(name, from + rounds * step);
    },
  };
}

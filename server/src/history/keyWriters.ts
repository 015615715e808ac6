// The writers of each key, by chain.
import type { Arrangement } from "./arrange";

export interface KeyWriters {
  /** The writers of key `k`, ascending, are `writer[keyFrom[k]]` up to `writer[keyFrom[k + 1]]`. */
  readonly keyFrom: Int32Array;
  readonly writer: Int32Array;
  /** The writers in one chain form a run. The runs of key `k` are `runFrom[k]` up to `runFrom[k + 1]`. */
  readonly runFrom: Int32Array;
  readonly runChain: Int32Array;
  /** Run `r` consists of the writers numbered `runStart[r]` up to `runStart[r + 1]`. */
  readonly runStart: Int32Array;
}

/** Linear in the number of writes. */
export function keyWriters(arranged: Arrangement): KeyWriters {
  const { count, writeFrom, writeKey, chainOf } = arranged;
  const keys = arranged.history.keys;
  const keyFrom = new Int32Array(keys + 1);
  for (const key of writeKey) keyFrom[key + 1] = (keyFrom[key + 1] ?? 0) + 1;
  for (let k = 0; k < keys; k++) keyFrom[k + 1] = (keyFrom[k] ?? 0) + (keyFrom[k + 1] ?? 0);
  const next = keyFrom.slice(0, keys);
  const writer = new Int32Array(writeKey.length);
  for (let t = 1; t < count; t++)
    for (let at = writeFrom[t] ?? 0; at < (writeFrom[t + 1] ?? 0); at++) {
      const key = writeKey[at] ?? 0;
      const slot = next[key] ?? 0;
      next[key] = slot + 1;
      writer[slot] = t;
    }
  let runs = 0;
  const runFrom = new Int32Array(keys + 1);
  const chainAt = (at: number) => chainOf[writer[at] ?? 0] ?? 0;
  const startsRun = (key: number, at: number) =>
    at === keyFrom[key] || chainAt(at) !== chainAt(at - 1);
  for (let k = 0; k < keys; k++) {
    for (let at = keyFrom[k] ?? 0; at < (keyFrom[k + 1] ?? 0); at++) if (startsRun(k, at)) runs++;
    runFrom[k + 1] = runs;
  }
  const runChain = new Int32Array(runs);
  const runStart = new Int32Array(runs + 1);
  runs = 0;
  for (let k = 0; k < keys; k++)
    for (let at = keyFrom[k] ?? 0; at < (keyFrom[k + 1] ?? 0); at++)
      if (startsRun(k, at)) {
        runChain[runs] = chainAt(at);
        runStart[runs++] = at;
      }
  runStart[runs] = writer.length;
  return { keyFrom, writer, runFrom, runChain, runStart };
}

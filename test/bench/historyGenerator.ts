// Makes large histories for the measures: clients with one open transaction each run on a simulated store with snapshots,
// in a random interleaving that a seed fixes. Written as text of PolySI.
import { closeSync, openSync, writeSync } from "node:fs";

export interface Workload {
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  readonly keys: number;
  /** Share of reads, from 0 to 1. */
  readonly reads: number;
  /** Zipf with exponent 0.99 makes few keys hot. */
  readonly keysAre: "uniform" | "zipf";
  /** `snapshot`: the first committer wins. `serializable`: what was read must still be the newest as well. */
  readonly store: "snapshot" | "serializable";
  readonly seed: number;
}

const LINES_BYTES = 1 << 20;

/** Writes a history of exactly `transactions` committed transactions; attempts that fail leave no trace. */
export function writeHistory(file: string, workload: Workload): void {
  const { sessions, transactions, operations, keys, store } = workload;
  const random = xorshift(workload.seed);
  const chooseKey = workload.keysAre === "zipf" ? zipf(keys, random) : () => (random() * keys) | 0;
  const value = new Int32Array(keys);
  const last = new Int32Array(keys);
  const counter = new Int32Array(keys);
  const started = new Int32Array(sessions).fill(-1);
  const chosenKeys = new Int32Array(sessions * operations);
  const isWrite = new Uint8Array(sessions * operations);
  const seen = new Int32Array(sessions * operations);
  const output = openSync(file, "w");
  const lines = Buffer.allocUnsafe(LINES_BYTES + operations * 64);
  let filled = 0;
  let time = 0;

  function begin(session: number): void {
    started[session] = time;
    for (let at = session * operations; at < (session + 1) * operations; at += 1) {
      const key = chooseKey();
      chosenKeys[at] = key;
      isWrite[at] = random() < workload.reads ? 0 : 1;
      seen[at] = value[key] ?? 0;
    }
  }

  function conflicts(session: number): boolean {
    const snapshot = started[session] ?? 0;
    for (let at = session * operations; at < (session + 1) * operations; at += 1) {
      const checked = isWrite[at] === 1 || store === "serializable";
      if (checked && (last[chosenKeys[at] ?? 0] ?? 0) > snapshot) return true;
    }
    return false;
  }

  function commit(session: number): void {
    time += 1;
    const own = new Map<number, number>();
    for (let at = session * operations; at < (session + 1) * operations; at += 1) {
      const key = chosenKeys[at] ?? 0;
      let shown = own.get(key) ?? seen[at] ?? 0;
      if (isWrite[at] === 1) {
        shown = (counter[key] ?? 0) + 1;
        counter[key] = shown;
        own.set(key, shown);
      }
      const operation = isWrite[at] === 1 ? "w" : "r";
      filled += lines.write(
        `${operation}(${key},${shown},${session + 1},${time})\n`,
        filled,
        "latin1",
      );
    }
    for (const [key, written] of own) {
      value[key] = written;
      last[key] = time;
    }
    if (filled < LINES_BYTES) return;
    writeSync(output, lines, 0, filled);
    filled = 0;
  }

  while (time < transactions) {
    const session = (random() * sessions) | 0;
    if (started[session] === -1) begin(session);
    else {
      if (!conflicts(session)) commit(session);
      started[session] = -1;
    }
  }
  writeSync(output, lines, 0, filled);
  closeSync(output);
}

/** Numbers from 0 to below 1, the same for the same seed. */
function xorshift(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

function zipf(keys: number, random: () => number): () => number {
  const below = new Float64Array(keys);
  let sum = 0;
  for (let key = 0; key < keys; key += 1) {
    sum += 1 / (key + 1) ** 0.99;
    below[key] = sum;
  }
  return () => {
    const point = random() * sum;
    let [low, high] = [0, keys - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((below[middle] ?? 0) < point) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

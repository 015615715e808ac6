// The levels without search: read committed, read atomic and causal consistency. Each derives edges that every commit order must contain
// (Biswas and Enea, OOPSLA 2019; Møldrup and Pavlogiannis, AWDIT, PLDI 2025) and looks for a cycle.
import type { Arrangement } from "./arrange";
import { addListOrder, knownEdges, nodeCount } from "./arrange";
import type { Adjacency, Order } from "./graph";
import {
  EdgeList,
  shortCycle,
  shortestPath,
  successors,
  topologicalOrder,
  transpose,
} from "./graph";
import { grownInts } from "./intern";
import { keyWriters } from "./keyWriters";
import type { Poll } from "./limits";

/** Shared parts of the weak levels. */
export interface WeakBase {
  readonly arranged: Arrangement;
  readonly nodes: number;
  /** Session order, reads and time. */
  readonly happensBefore: Adjacency;
  readonly order: Order;
  /** The version order that lists show. */
  readonly lists: Adjacency;
}

/** `undefined` if the level holds. Otherwise transactions (resolved numbers) that are likely to violate it alone. */
export type Suspects = readonly number[] | undefined;

export function weakBase(arranged: Arrangement): WeakBase {
  const nodes = nodeCount(arranged, false);
  const happensBefore = successors(nodes, knownEdges(arranged, false));
  const lists = new EdgeList();
  addListOrder(lists, arranged, false);
  return {
    arranged,
    nodes,
    happensBefore,
    order: topologicalOrder(nodes, [happensBefore]),
    lists: successors(nodes, lists),
  };
}

/** An edge of the commit order, and the transaction whose reads require it. */
class CommitEdges extends EdgeList {
  because: Int32Array = new Int32Array(1024);

  demand(from: number, to: number, because: number): void {
    if (from === to) return;
    if (this.count >= this.because.length) this.because = grownInts(this.because, this.count + 1);
    this.because[this.count] = because;
    this.add(from, to);
  }
}

/**
 * Read committed: once a transaction has read from `t2`, it reads no version that `t2` overwrites. The reads of each transaction are walked
 * backwards, with the two earliest writers still to be read of each key (O(n^1.5)).
 */
export function checkReadCommitted(base: WeakBase, poll: Poll): Suspects {
  const { arranged } = base;
  const { count, readFrom, readKey, readWriter, writeFrom, writeKey } = arranged;
  const edges = new CommitEdges();
  const keys = arranged.history.keys;
  const stamp = new Int32Array(keys);
  const earliest = new Int32Array(keys);
  const second = new Int32Array(keys);
  const touched = new Int32Array(keys);
  const firstRead = new Int32Array(count);
  const firstReader = new Int32Array(count);
  const demand = (key: number, writer: number, reader: number) => {
    const first = earliest[key] ?? -1;
    const other = first !== writer ? first : (second[key] ?? -1);
    if (other >= 0) edges.demand(writer, other, reader);
  };
  for (let t = 1; t < count; t++) {
    const from = readFrom[t] ?? 0;
    const to = readFrom[t + 1] ?? 0;
    if (to - from < 2) continue;
    if ((t & 1023) === 0) poll();
    for (let at = from; at < to; at++) {
      const writer = readWriter[at] ?? 0;
      if (firstReader[writer] !== t) {
        firstReader[writer] = t;
        firstRead[writer] = at;
      }
    }
    let known = 0;
    for (let at = to - 1; at >= from; at--) {
      const writer = readWriter[at] ?? 0;
      const key = readKey[at] ?? 0;
      if (firstRead[writer] === at && known > 0 && writer !== 0) {
        const start = writeFrom[writer] ?? 0;
        const end = writeFrom[writer + 1] ?? 0;
        if (end - start <= known) {
          for (let w = start; w < end; w++) {
            const written = writeKey[w] ?? 0;
            if (stamp[written] === t) demand(written, writer, t);
          }
        } else {
          for (let k = 0; k < known; k++) {
            const read = touched[k] ?? 0;
            if (writes(arranged, writer, read)) demand(read, writer, t);
          }
        }
      }
      if (stamp[key] !== t) {
        stamp[key] = t;
        earliest[key] = writer;
        second[key] = -1;
        touched[known++] = key;
      } else if (earliest[key] !== writer) {
        second[key] = earliest[key] ?? 0;
        earliest[key] = writer;
      }
    }
  }
  return cycleOf(base, edges, false);
}

/** Read atomic: a transaction reads no version overwritten by a predecessor in its session (or in time), or by one that it read from. */
export function checkReadAtomic(base: WeakBase, poll: Poll): Suspects {
  const { arranged } = base;
  const { count, readFrom, readKey, readWriter, writeFrom, writeKey, bySession, sessionOf } =
    arranged;
  const edges = new CommitEdges();
  const keys = arranged.history.keys;
  const stamp = new Int32Array(keys);
  const readOf = new Int32Array(keys);
  const lastSession = new Int32Array(keys).fill(-1);
  const lastWriter = new Int32Array(keys);
  const seen = new Int32Array(count);
  const touched = new Int32Array(keys);
  let writers = new Int32Array(64);
  const inTime = arranged.time === undefined ? undefined : endedBefore(arranged);
  for (const t of bySession) {
    if ((t & 1023) === 0) poll();
    const session = sessionOf[t] ?? 0;
    let known = 0;
    let written = 0;
    for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++) {
      const key = readKey[at] ?? 0;
      const writer = readWriter[at] ?? 0;
      inTime?.(key, t, (ended) => {
        edges.demand(ended, writer, t);
      });
      if (stamp[key] !== t) {
        stamp[key] = t;
        readOf[key] = writer;
        touched[known++] = key;
      } else if (readOf[key] !== writer) {
        // Two versions of one key: each writer would have to be the later one.
        const other = readOf[key] ?? 0;
        edges.demand(other, writer, t);
        edges.demand(writer, other, t);
      }
      if (lastSession[key] === session) edges.demand(lastWriter[key] ?? 0, writer, t);
      if (seen[writer] === t) continue;
      seen[writer] = t;
      if (written >= writers.length) {
        const grown = new Int32Array(writers.length * 2);
        grown.set(writers);
        writers = grown;
      }
      writers[written++] = writer;
    }
    for (let w = 0; w < written; w++) {
      const writer = writers[w] ?? 0;
      if (writer === 0) continue;
      const start = writeFrom[writer] ?? 0;
      const end = writeFrom[writer + 1] ?? 0;
      if (end - start <= known) {
        for (let at = start; at < end; at++) {
          const key = writeKey[at] ?? 0;
          if (stamp[key] === t) edges.demand(writer, readOf[key] ?? 0, t);
        }
      } else {
        for (let k = 0; k < known; k++) {
          const key = touched[k] ?? 0;
          if (writes(arranged, writer, key)) edges.demand(writer, readOf[key] ?? 0, t);
        }
      }
    }
    for (let at = writeFrom[t] ?? 0; at < (writeFrom[t + 1] ?? 0); at++) {
      const key = writeKey[at] ?? 0;
      lastSession[key] = session;
      lastWriter[key] = t;
    }
  }
  return cycleOf(base, edges, false);
}

/**
 * Causal consistency: a transaction reads no version overwritten by a transaction that happened before it. Vector clocks over chains
 * represent happens-before; they are kept only while others still have to merge them. O(n * chains).
 */
export function checkCausal(base: WeakBase, poll: Poll): Suspects {
  const { arranged, nodes, order } = base;
  const { count, chains, chainOf, chainFirst, readFrom, readKey, readWriter } = arranged;
  const into = transpose(base.happensBefore);
  const { runFrom, runChain, runStart, writer: writerAt } = keyWriters(arranged);
  const pending = new Int32Array(nodes);
  const crosses = (from: number, to: number) =>
    from !== 0 && (to >= count || from !== to - 1 || chainOf[from] !== chainOf[to]);
  for (let n = 0; n < nodes; n++)
    for (let at = into.first[n] ?? 0; at < (into.first[n + 1] ?? 0); at++) {
      const from = into.target[at] ?? 0;
      if (crosses(from, n)) pending[from] = (pending[from] ?? 0) + 1;
    }
  const current = Array.from({ length: chains }, () => new Int32Array(chains).fill(-1));
  // Live clocks share one array, at `slotOf` times the number of chains; 0 is none.
  let kept: Int32Array = new Int32Array(chains * 64);
  const slotOf = new Int32Array(nodes);
  const free: number[] = [];
  let slots = 1;
  const blank = new Int32Array(chains);
  const edges = new CommitEdges();
  let steps = 0;
  for (const n of order.order.subarray(0, order.length)) {
    if (n === 0) continue;
    if ((++steps & 255) === 0) poll();
    const chain = n < count ? (chainOf[n] ?? 0) : -1;
    const clock = chain >= 0 ? (current[chain] ?? blank) : blank;
    if (chain < 0) clock.fill(-1);
    else if (n > (chainFirst[chain] ?? 0)) clock[chain] = n - 1;
    for (let at = into.first[n] ?? 0; at < (into.first[n + 1] ?? 0); at++) {
      const from = into.target[at] ?? 0;
      if (!crosses(from, n)) continue;
      const other = from < count ? (chainOf[from] ?? 0) : -1;
      const slot = slotOf[from] ?? 0;
      if (slot > 0 && (other < 0 || (clock[other] ?? 0) < from)) {
        const theirs = slot * chains;
        for (let c = 0; c < chains; c++) {
          const far = kept[theirs + c] ?? 0;
          if (far > (clock[c] ?? 0)) clock[c] = far;
        }
        if (other >= 0 && (clock[other] ?? 0) < from) clock[other] = from;
      }
      const left = (pending[from] ?? 0) - 1;
      pending[from] = left;
      if (left === 0 && slot > 0) {
        free.push(slot);
        slotOf[from] = 0;
      }
    }
    if (chain >= 0) {
      for (let at = readFrom[n] ?? 0; at < (readFrom[n + 1] ?? 0); at++) {
        const key = readKey[at] ?? 0;
        const from = readWriter[at] ?? 0;
        for (let run = runFrom[key] ?? 0; run < (runFrom[key + 1] ?? 0); run++) {
          const bound = clock[runChain[run] ?? 0] ?? 0;
          let low = runStart[run] ?? 0;
          if (bound < (writerAt[low] ?? 0)) continue;
          let high = (runStart[run + 1] ?? 0) - 1;
          if ((writerAt[high] ?? 0) <= bound) low = high;
          else
            while (low < high) {
              const middle = (low + high + 1) >> 1;
              if ((writerAt[middle] ?? 0) <= bound) low = middle;
              else high = middle - 1;
            }
          // The order within a chain is known.
          const before = writerAt[low] ?? 0;
          if (before > from || chainOf[before] !== chainOf[from]) edges.demand(before, from, n);
        }
      }
    }
    if ((pending[n] ?? 0) > 0) {
      const slot = free.pop() ?? slots++;
      kept = grownInts(kept, (slot + 1) * chains);
      kept.set(clock, slot * chains);
      slotOf[n] = slot;
    }
  }
  return cycleOf(base, edges, true);
}

/** True if a transaction wrote a key; transaction 0 wrote all. */
function writes(arranged: Arrangement, transaction: number, key: number): boolean {
  if (transaction === 0) return true;
  const { writeFrom, writeKey } = arranged;
  let low = writeFrom[transaction] ?? 0;
  let high = (writeFrom[transaction + 1] ?? 0) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = writeKey[middle] ?? 0;
    if (found === key) return true;
    if (found < key) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Calls back with the last writer of the key in each chain that ended before the transaction began. */
function endedBefore(arranged: Arrangement) {
  const { time, chainOf } = arranged;
  const { keyFrom, writer } = keyWriters(arranged);
  return (key: number, reader: number, each: (ended: number) => void) => {
    const bound = time?.before[reader] ?? -1;
    for (let at = keyFrom[key] ?? 0; at < (keyFrom[key + 1] ?? 0); at++) {
      const candidate = writer[at] ?? 0;
      const point = time?.after[candidate] ?? -1;
      const next = writer[at + 1] ?? 0;
      const nextPoint = time?.after[next] ?? -1;
      const sameChain = at + 1 < (keyFrom[key + 1] ?? 0) && chainOf[next] === chainOf[candidate];
      if (point < 0 || point > bound) continue;
      if (sameChain && nextPoint >= 0 && nextPoint <= bound) continue;
      each(candidate);
    }
  };
}

function cycleOf(base: WeakBase, edges: CommitEdges, transitive: boolean): Suspects {
  const { nodes, happensBefore, lists, arranged } = base;
  const graphs = [happensBefore, lists, successors(nodes, edges)];
  const order = topologicalOrder(nodes, graphs);
  if (order.length === nodes) return undefined;
  const cycle = shortCycle(graphs, order);
  const blamed = new Set(cycle);
  const onCycle = new Map(cycle.map((node, at) => [node, cycle[(at + 1) % cycle.length] ?? 0]));
  for (let e = 0; e < edges.count; e++) {
    const from = edges.from[e] ?? 0;
    if (onCycle.get(from) !== edges.to[e]) continue;
    const reader = edges.because[e] ?? 0;
    blamed.add(reader);
    if (!transitive) continue;
    for (const node of shortestPath([happensBefore], from, reader) ?? []) blamed.add(node);
  }
  for (const { before, after } of arranged.ordered)
    if (onCycle.get(before) === after) blamed.add(before);
  return [...blamed].filter((node) => node < arranged.count);
}

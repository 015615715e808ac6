// Consequences for the version order at a strong level, without search: per writer of a key and chain, the preceding writers of that chain
// form a prefix, found by binary search in vector clocks (after Zhang et al., PolySI, VLDB 2023, whose constraints are pairs of
// transactions; prefixes of chains avoid enumerating pairs).
import type { Arrangement } from "./arrange";
import { addListOrder, knownEdges, nodeCount } from "./arrange";
import type { Adjacency } from "./graph";
import { EdgeList, shortCycle, successors, topologicalOrder } from "./graph";
import { grownInts } from "./intern";
import type { KeyWriters } from "./keyWriters";
import { keyWriters } from "./keyWriters";
import type { Limits, Poll } from "./limits";
import { refuseAbove } from "./limits";

/**
 * `serializable`: one node per transaction, all dependencies are edges. `snapshot`: a begin node and a commit node per transaction, so that
 * a cycle with two adjacent anti-dependencies disappears. `parallel`: one node, and anti-dependencies are not edges: none may lead back to
 * something that happened before.
 */
export type Mode = "serializable" | "snapshot" | "parallel";

/** Edges of the version order, with their key and the round in which they were found. */
export class InferredEdges extends EdgeList {
  key: Int32Array = new Int32Array(1024);
  /** The number of the first edge of each round. */
  readonly rounds: number[] = [];

  infer(from: number, to: number, key: number): void {
    if (this.count >= this.key.length) this.key = grownInts(this.key, this.count + 1);
    this.key[this.count] = key;
    this.add(from, to);
  }
}

export interface Pruning {
  readonly arranged: Arrangement;
  readonly mode: Mode;
  readonly nodes: number;
  readonly writers: KeyWriters;
  /** The readers of a version: those of writer number `w` are `reader[readerFrom[w]]` up to the next. */
  readonly readerFrom: Int32Array;
  readonly reader: Int32Array;
  readonly known: Adjacency;
  readonly inferred: InferredEdges;
  /** `clock[node * chains + c]`: the last node of chain `c` from which a path leads to the node, or -1. */
  readonly clock: Int32Array;
  /** `prefix[prefixFrom[key] + (w - keyFrom[key]) * runs + run]`: the last writer of the run that precedes `w`, or -1. */
  readonly prefix: Int32Array;
  readonly prefixFrom: Int32Array;
  readonly order: Int32Array;
  /** A cycle of nodes: the level is violated. */
  readonly cycle?: readonly number[];
}

export function beginNode(mode: Mode, transaction: number): number {
  return mode === "snapshot" ? 2 * transaction : transaction;
}

export function commitNode(mode: Mode, transaction: number): number {
  return mode === "snapshot" ? 2 * transaction + 1 : transaction;
}

/** The transaction of a node, or -1 for a point of time. */
export function transactionOf(mode: Mode, count: number, node: number): number {
  const transaction = mode === "snapshot" ? node >> 1 : node;
  return transaction < count ? transaction : -1;
}

/** Infers to a fixpoint, or until a cycle appears. Each round is near-linear times the number of chains. */
export function prune(arranged: Arrangement, mode: Mode, limits: Limits, poll: Poll): Pruning {
  const split = mode === "snapshot";
  const { count, chains, chainOf, readFrom, readKey, readWriter, writeFrom, writeKey } = arranged;
  const nodes = nodeCount(arranged, split);
  const writers = keyWriters(arranged);
  const { keyFrom, writer, runFrom, runChain, runStart } = writers;
  const { prefixFrom, size } = prefixLayout(writers, arranged.history.keys);
  refuseAbove(limits, nodes * chains * 4 + size * 4);

  // The positions of each read's version and each write among the writers of their key.
  const instances = writer.length;
  const readInstance = new Int32Array(readKey.length);
  const readerFrom = new Int32Array(instances + 1);
  const instanceOf = (key: number, transaction: number) => {
    let low = keyFrom[key] ?? 0;
    let high = (keyFrom[key + 1] ?? 0) - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((writer[middle] ?? 0) < transaction) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  for (let at = 0; at < readKey.length; at++) {
    const from = readWriter[at] ?? 0;
    const instance = from === 0 ? -1 : instanceOf(readKey[at] ?? 0, from);
    readInstance[at] = instance;
    if (instance >= 0) readerFrom[instance + 1] = (readerFrom[instance + 1] ?? 0) + 1;
  }
  for (let w = 0; w < instances; w++)
    readerFrom[w + 1] = (readerFrom[w] ?? 0) + (readerFrom[w + 1] ?? 0);
  const nextReader = readerFrom.slice(0, instances);
  const reader = new Int32Array(readerFrom[instances] ?? 0);
  for (let t = 1; t < count; t++)
    for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++) {
      const instance = readInstance[at] ?? -1;
      if (instance < 0) continue;
      const slot = nextReader[instance] ?? 0;
      nextReader[instance] = slot + 1;
      reader[slot] = t;
    }
  const writeInstance = new Int32Array(writeKey.length);
  const nextInstance = keyFrom.slice(0, arranged.history.keys);
  for (let at = 0; at < writeKey.length; at++) {
    const key = writeKey[at] ?? 0;
    const slot = nextInstance[key] ?? 0;
    nextInstance[key] = slot + 1;
    writeInstance[at] = slot;
  }

  const edges = knownEdges(arranged, split);
  addListOrder(edges, arranged, split);
  const known = successors(nodes, edges);
  const inferred = new InferredEdges(1024);
  const clock = new Int32Array(nodes * chains).fill(-1);
  const prefix = new Int32Array(size).fill(-1);
  const changed = new Uint8Array(nodes).fill(1);
  const dirty = new Uint8Array(instances).fill(1);
  let order: Int32Array = new Int32Array(0);
  const result = (cycle?: readonly number[]): Pruning => ({
    arranged,
    mode,
    nodes,
    writers,
    readerFrom,
    reader,
    known,
    inferred,
    clock,
    prefix,
    prefixFrom,
    order,
    ...(cycle !== undefined && { cycle }),
  });

  inferred.rounds.push(0);
  if (mode !== "parallel") readsOfInitial();
  for (let done = 0; ;) {
    poll();
    const fresh = successors(nodes, inferred, done);
    if (order.length === 0 || !follows(order, inferred, done, nodes)) {
      const graphs = [known, successors(nodes, inferred)];
      const next = topologicalOrder(nodes, graphs);
      if (next.length < nodes) return result(shortCycle(graphs, next));
      order = next.order;
    }
    const all = done === 0 ? undefined : successors(nodes, inferred);
    done = inferred.count;
    advanceClocks(all ?? fresh, fresh);
    inferred.rounds.push(done);
    markDirty();
    for (let key = 0; key + 1 < keyFrom.length; key++) {
      if ((key & 4095) === 0) poll();
      const first = keyFrom[key] ?? 0;
      const end = keyFrom[key + 1] ?? 0;
      for (let w = first; w < end; w++)
        if (dirty[w] === 1) {
          dirty[w] = 0;
          if (end - first > 1) extendPrefixes(key, w);
        }
    }
    if (inferred.count === done) return result();
  }

  /** Readers of a key's initial version precede all of its writers: the first of each chain suffices. */
  function readsOfInitial(): void {
    for (let t = 1; t < count; t++)
      for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++) {
        if (readWriter[at] !== 0) continue;
        const key = readKey[at] ?? 0;
        for (let run = runFrom[key] ?? 0; run < (runFrom[key + 1] ?? 0); run++) {
          const first = writer[runStart[run] ?? 0] ?? 0;
          if (first !== t && !(chainOf[first] === chainOf[t] && first > t))
            inferred.infer(beginNode(mode, t), commitNode(mode, first), key);
        }
      }
  }

  /** Propagates clocks along the order: over all edges of a changed node, else only over new ones. */
  function advanceClocks(all: Adjacency, fresh: Adjacency): void {
    for (let at = 0; at < nodes; at++) {
      if ((at & 65535) === 0) poll();
      const n = order[at] ?? 0;
      const row = n * chains;
      const transaction = split ? n >> 1 : n;
      const chain = transaction < count ? (chainOf[transaction] ?? -1) : -1;
      const own = chain >= 0 ? (clock[row + chain] ?? -1) : -1;
      if (chain >= 0) clock[row + chain] = n;
      if (changed[n] === 1) {
        handOn(known, n, row);
        handOn(all, n, row);
      } else handOn(fresh, n, row);
      if (chain >= 0) clock[row + chain] = own;
    }
  }

  function handOn(graph: Adjacency, n: number, row: number): void {
    const { first, target } = graph;
    const end = first[n + 1] ?? 0;
    for (let at = first[n] ?? 0; at < end; at++) {
      const node = target[at] ?? 0;
      const other = node * chains;
      let grew = 0;
      for (let c = 0; c < chains; c++) {
        const theirs = clock[row + c] ?? 0;
        if (theirs > (clock[other + c] ?? 0)) {
          clock[other + c] = theirs;
          grew = 1;
        }
      }
      if (grew === 1) changed[node] = 1;
    }
  }

  /** A version must be revisited if its writer's or a reader's clock changed. */
  function markDirty(): void {
    for (let t = 1; t < count; t++) {
      if (changed[commitNode(mode, t)] === 1)
        for (let at = writeFrom[t] ?? 0; at < (writeFrom[t + 1] ?? 0); at++)
          dirty[writeInstance[at] ?? 0] = 1;
      if (changed[beginNode(mode, t)] === 1)
        for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++) {
          const instance = readInstance[at] ?? -1;
          if (instance >= 0) dirty[instance] = 1;
        }
    }
    changed.fill(0);
  }

  /**
   * The writers of each chain that must precede writer number `w`: those whose placement after it would close a cycle, through the version
   * order or a reader of this version.
   */
  function extendPrefixes(key: number, w: number): void {
    const t = writer[w] ?? 0;
    const chain = chainOf[t] ?? 0;
    const firstRun = runFrom[key] ?? 0;
    const runs = (runFrom[key + 1] ?? 0) - firstRun;
    const row = (prefixFrom[key] ?? 0) + (w - (keyFrom[key] ?? 0)) * runs - firstRun;
    const commitRow = commitNode(mode, t) * chains;
    const beginRow = beginNode(mode, t) * chains;
    const readers = readerFrom[w] ?? 0;
    const readersEnd = readerFrom[w + 1] ?? 0;
    for (let run = firstRun; run < firstRun + runs; run++) {
      const best = prefix[row + run] ?? -1;
      const start = runStart[run] ?? 0;
      const other = runChain[run] ?? 0;
      if (other === chain) {
        const before = w > start ? w - 1 : -1;
        if (before === best) continue;
        prefix[row + run] = before;
        addReaders(before, t, key);
        continue;
      }
      const reached = clock[commitRow + other] ?? -1;
      let throughReader = -1;
      for (let at = readers; at < readersEnd; at++) {
        const far = clock[beginNode(mode, reader[at] ?? 0) * chains + other] ?? -1;
        if (far > throughReader) throughReader = far;
      }
      const bound = split
        ? Math.max(reached >> 1, (throughReader - 1) >> 1)
        : Math.max(reached, throughReader);
      let low = best >= 0 ? best : start;
      if (bound < (writer[low] ?? 0)) continue;
      let high = (runStart[run + 1] ?? 0) - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((writer[middle] ?? 0) <= bound) low = middle;
        else high = middle - 1;
      }
      if (low <= best) continue;
      prefix[row + run] = low;
      // An order implied by a path needs no edge.
      const before = commitNode(mode, writer[low] ?? 0);
      if ((clock[beginRow + other] ?? -1) < before) inferred.infer(before, beginNode(mode, t), key);
      addReaders(low, t, key);
    }
  }

  /** Readers of a version precede the transaction that overwrites it. */
  function addReaders(version: number, t: number, key: number): void {
    if (mode === "parallel" || version < 0) return;
    const row = commitNode(mode, t) * chains;
    const end = readerFrom[version + 1] ?? 0;
    for (let at = readerFrom[version] ?? 0; at < end; at++) {
      const from = reader[at] ?? 0;
      if (from === t) continue;
      const begins = beginNode(mode, from);
      if ((clock[row + (chainOf[from] ?? 0)] ?? -1) < begins)
        inferred.infer(begins, commitNode(mode, t), key);
    }
  }
}

function prefixLayout(
  writers: KeyWriters,
  keys: number,
): { readonly prefixFrom: Int32Array; readonly size: number } {
  const { keyFrom, runFrom } = writers;
  const prefixFrom = new Int32Array(keys + 1);
  let size = 0;
  for (let k = 0; k < keys; k++) {
    prefixFrom[k] = size;
    size +=
      ((keyFrom[k + 1] ?? 0) - (keyFrom[k] ?? 0)) * ((runFrom[k + 1] ?? 0) - (runFrom[k] ?? 0));
  }
  return { prefixFrom, size };
}

/** True if the edges from number `start` on agree with the order. */
function follows(order: Int32Array, edges: EdgeList, start: number, nodes: number): boolean {
  const position = new Int32Array(nodes);
  order.forEach((node, at) => {
    position[node] = at;
  });
  for (let e = start; e < edges.count; e++)
    if ((position[edges.from[e] ?? 0] ?? 0) > (position[edges.to[e] ?? 0] ?? 0)) return false;
  return true;
}

// Numbers transactions along chains and collects the orders that hold at every level: session order, reads, lists and, if requested, real
// time. A chain is a sequence of transactions each of which is ordered before the next, so "which transactions precede this one" is one
// number per chain.
import { EdgeList, successors, topologicalOrder } from "./graph";
import type { Resolved } from "./readResolution";

export interface Arrangement extends Resolved {
  /** Chain `c` consists of transactions `chainFirst[c]` up to `chainFirst[c + 1]`, each before the next. */
  readonly chains: number;
  readonly chainFirst: Int32Array;
  /** The chain of each transaction; -1 for transaction 0, which precedes everything. */
  readonly chainOf: Int32Array;
  /** The previous transaction of the session, 0 for the first. */
  readonly previous: Int32Array;
  /** Transactions session by session, in session order. */
  readonly bySession: Int32Array;
  readonly time: TimeLine | undefined;
}

/**
 * Real-time order by a line of points: transaction `t` leads to point `after[t]`, points lead to the next one, and point `before[t]` leads
 * to `t`; -1 if a time is unknown. So `t` precedes `u` exactly if `end(t) < begin(u)`.
 */
export interface TimeLine {
  readonly points: number;
  readonly after: Int32Array;
  readonly before: Int32Array;
}

/** Above this number of sessions, fewer chains are sought along reads. */
const SESSIONS_AS_CHAINS = 64;

/** Linear, apart from sorting times. */
export function arrange(resolved: Resolved, strict: boolean): Arrangement {
  const time = strict ? timeLine(resolved) : undefined;
  const { count, sessionOf } = resolved;
  const previous = new Int32Array(count);
  const firsts: number[] = [];
  for (let t = 1; t < count; t++)
    if (t > 1 && sessionOf[t] === sessionOf[t - 1]) previous[t] = t - 1;
    else firsts.push(t);
  const chainFirst = Int32Array.from([...firsts, count]);
  const arranged: Arrangement = {
    ...resolved,
    chains: firsts.length,
    chainFirst,
    chainOf: chainsOf(chainFirst, count),
    previous,
    bySession: ascending(count),
    time,
  };
  return firsts.length > SESSIONS_AS_CHAINS ? coverByChains(arranged) : arranged;
}

/** 1 up to `count - 1`. */
function ascending(count: number): Int32Array {
  const numbers = new Int32Array(count - 1);
  for (let at = 0; at < numbers.length; at++) numbers[at] = at + 1;
  return numbers;
}

/**
 * Session order, reads and time as edges over one node per transaction, followed by the time points. Given `split`, a transaction has two
 * nodes, `2t` for its begin and `2t + 1` for its commit (the graph of Zhang et al., Viper, EuroSys 2023), and a dependency leads from
 * commit to begin.
 */
export function knownEdges(arranged: Arrangement, split: boolean): EdgeList {
  const { count, previous, readFrom, readWriter, time } = arranged;
  const edges = new EdgeList(count * 2 + arranged.readWriter.length);
  const begin = split ? (t: number) => 2 * t : (t: number) => t;
  const commit = split ? (t: number) => 2 * t + 1 : (t: number) => t;
  const seen = new Int32Array(count);
  if (split) edges.add(0, 1);
  for (let t = 1; t < count; t++) {
    if (split) edges.add(begin(t), commit(t));
    const before = previous[t] ?? 0;
    edges.add(commit(before), begin(t));
    seen[0] = t;
    seen[before] = t;
    for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++) {
      const writer = readWriter[at] ?? 0;
      if (seen[writer] === t) continue;
      seen[writer] = t;
      edges.add(commit(writer), begin(t));
    }
  }
  if (time !== undefined) {
    const point = (index: number) => (split ? 2 * count : count) + index;
    for (let p = 1; p < time.points; p++) edges.add(point(p - 1), point(p));
    for (let t = 1; t < count; t++) {
      const after = time.after[t] ?? -1;
      if (after >= 0) edges.add(commit(t), point(after));
      const before = time.before[t] ?? -1;
      if (before >= 0) edges.add(point(before), begin(t));
    }
  }
  return edges;
}

/** Adds the version order that lists show. A transaction need not see it, but it holds at every level. */
export function addListOrder(edges: EdgeList, arranged: Arrangement, split: boolean): void {
  for (const { before, after } of arranged.ordered)
    if (split) edges.add(2 * before + 1, 2 * after);
    else edges.add(before, after);
}

export function nodeCount(arranged: Arrangement, split: boolean): number {
  return (split ? 2 : 1) * arranged.count + (arranged.time?.points ?? 0);
}

function timeLine(resolved: Resolved): TimeLine | undefined {
  const { history, count, original, sessionOf } = resolved;
  const { begin, end } = history;
  if (begin === undefined || end === undefined) return undefined;
  // A predecessor of an ended transaction in its session has ended too; a successor of one that began began later.
  const ends = new Float64Array(count).fill(Number.NaN);
  const begins = new Float64Array(count).fill(Number.NaN);
  for (let t = 1; t < count; t++) {
    const earlier = sessionOf[t] === sessionOf[t - 1] ? (begins[t - 1] ?? Number.NaN) : Number.NaN;
    begins[t] = known(begin[original[t] ?? 0] ?? Number.NaN, earlier, Math.max);
  }
  for (let t = count - 1; t > 0; t--) {
    const later = sessionOf[t] === sessionOf[t + 1] ? (ends[t + 1] ?? Number.NaN) : Number.NaN;
    ends[t] = known(end[original[t] ?? 0] ?? Number.NaN, later, Math.min);
  }
  const endOf = (t: number) => ends[t] ?? Number.NaN;
  const beginOf = (t: number) => begins[t] ?? Number.NaN;
  const ended: number[] = [];
  for (let t = 1; t < count; t++) if (!Number.isNaN(endOf(t))) ended.push(t);
  ended.sort((a, b) => endOf(a) - endOf(b));
  const after = new Int32Array(count).fill(-1);
  const before = new Int32Array(count).fill(-1);
  const times = Float64Array.from(ended, endOf);
  ended.forEach((t, point) => {
    after[t] = point;
  });
  for (let t = 1; t < count; t++) {
    const started = beginOf(t);
    if (!Number.isNaN(started)) before[t] = countBelow(times, started) - 1;
  }
  return { points: ended.length, after, before };
}

function known(one: number, other: number, choose: (one: number, other: number) => number): number {
  if (Number.isNaN(one)) return other;
  return Number.isNaN(other) ? one : choose(one, other);
}

function countBelow(sorted: Float64Array, bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function chainsOf(chainFirst: Int32Array, count: number): Int32Array {
  const chainOf = new Int32Array(count).fill(-1);
  for (let c = 0; c + 1 < chainFirst.length; c++)
    chainOf.fill(c, chainFirst[c] ?? 0, chainFirst[c + 1] ?? 0);
  return chainOf;
}

/**
 * Renumbers along fewer chains: in topological order each transaction joins the chain whose last transaction it follows directly, in its
 * session, by a read, by a list, or in time. A cyclic history is unchanged.
 */
function coverByChains(arranged: Arrangement): Arrangement {
  const { count, time } = arranged;
  const nodes = nodeCount(arranged, false);
  const out = successors(nodes, knownEdges(arranged, false));
  const { order, length } = topologicalOrder(nodes, [out]);
  if (length < nodes) return arranged;
  const chainOf = new Int32Array(count).fill(-1);
  const tails: number[] = [];
  const inTime = time === undefined ? undefined : chainsInTime(time);
  for (const t of order) {
    if (t === 0 || t >= count) continue;
    const chain = chainToJoin(arranged, t, chainOf, tails) ?? inTime?.(t, tails) ?? tails.length;
    chainOf[t] = chain;
    tails[chain] = t;
  }
  return renumberAlong(arranged, chainOf, tails.length, order);
}

function chainToJoin(
  arranged: Arrangement,
  t: number,
  chainOf: Int32Array,
  tails: readonly number[],
): number | undefined {
  const { previous, readFrom, readWriter } = arranged;
  const endsChain = (before: number) => before > 0 && tails[chainOf[before] ?? -1] === before;
  const before = previous[t] ?? 0;
  if (endsChain(before)) return chainOf[before];
  for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++) {
    const writer = readWriter[at] ?? 0;
    if (endsChain(writer)) return chainOf[writer];
  }
  return undefined;
}

/** Chooses the chain whose last transaction ended last before this one began. */
function chainsInTime(time: TimeLine) {
  return (transaction: number, tails: readonly number[]): number | undefined => {
    const bound = time.before[transaction] ?? -1;
    let best: number | undefined;
    let latest = -1;
    tails.forEach((tail, chain) => {
      const point = time.after[tail] ?? -1;
      if (point > bound || point <= latest) return;
      latest = point;
      best = chain;
    });
    return best;
  };
}

function renumberAlong(
  arranged: Arrangement,
  chainOf: Int32Array,
  chains: number,
  order: Int32Array,
): Arrangement {
  const { count } = arranged;
  const chainFirst = new Int32Array(chains + 1);
  for (let t = 1; t < count; t++) {
    const at = (chainOf[t] ?? 0) + 1;
    chainFirst[at] = (chainFirst[at] ?? 0) + 1;
  }
  chainFirst[0] = 1;
  for (let c = 0; c < chains; c++)
    chainFirst[c + 1] = (chainFirst[c] ?? 0) + (chainFirst[c + 1] ?? 0);
  const next = chainFirst.slice();
  const renumbered = new Int32Array(count);
  const old = new Int32Array(count);
  for (const t of order) {
    if (t === 0 || t >= count) continue;
    const c = chainOf[t] ?? 0;
    const at = next[c] ?? 0;
    next[c] = at + 1;
    renumbered[t] = at;
    old[at] = t;
  }
  const moved = (column: Int32Array) => old.map((t) => column[t] ?? 0);
  const to = (t: number) => renumbered[t] ?? 0;
  const reads = regroup(arranged.readFrom, old, [
    arranged.readKey,
    arranged.readWriter,
    arranged.readOperation,
  ]);
  const writes = regroup(arranged.writeFrom, old, [arranged.writeKey]);
  const { time } = arranged;
  return {
    ...arranged,
    original: moved(arranged.original),
    sessionOf: moved(arranged.sessionOf),
    readFrom: reads.first,
    readKey: reads.columns[0] ?? new Int32Array(0),
    readWriter: (reads.columns[1] ?? new Int32Array(0)).map(to),
    readOperation: reads.columns[2] ?? new Int32Array(0),
    writeFrom: writes.first,
    writeKey: writes.columns[0] ?? new Int32Array(0),
    ordered: arranged.ordered.map((each) => ({
      ...each,
      before: to(each.before),
      after: to(each.after),
    })),
    chains,
    chainFirst,
    chainOf: chainsOf(chainFirst, count),
    previous: moved(arranged.previous).map(to),
    bySession: arranged.bySession.map(to),
    time: time && {
      points: time.points,
      after: moved(time.after),
      before: moved(time.before),
    },
  };
}

function regroup(
  first: Int32Array,
  old: Int32Array,
  columns: readonly Int32Array[],
): { readonly first: Int32Array; readonly columns: readonly Int32Array[] } {
  const count = old.length;
  const moved = new Int32Array(count + 1);
  for (let t = 0; t < count; t++) {
    const was = old[t] ?? 0;
    moved[t + 1] = (moved[t] ?? 0) + (first[was + 1] ?? 0) - (first[was] ?? 0);
  }
  const filled = columns.map((column) => {
    const result = new Int32Array(column.length);
    for (let t = 0; t < count; t++) {
      const was = old[t] ?? 0;
      result.set(column.subarray(first[was] ?? 0, first[was + 1] ?? 0), moved[t] ?? 0);
    }
    return result;
  });
  return { first: moved, columns: filled };
}

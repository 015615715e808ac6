// Directed graphs as columns of integers: lists of edges, adjacency, topological order.
import { grownInts } from "./intern";

/** Edge `e` leads from `from[e]` to `to[e]`. */
export interface Edges {
  readonly count: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** A growing list of edges. */
export class EdgeList implements Edges {
  count = 0;
  from: Int32Array;
  to: Int32Array;

  constructor(expected = 1024) {
    this.from = new Int32Array(expected);
    this.to = new Int32Array(expected);
  }

  add(from: number, to: number): void {
    const at = this.count++;
    if (at >= this.from.length) {
      this.from = grownInts(this.from, at + 1);
      this.to = grownInts(this.to, at + 1);
    }
    this.from[at] = from;
    this.to[at] = to;
  }
}

/** The neighbours of node `n` are `target[first[n]]` up to `target[first[n + 1]]`. */
export interface Adjacency {
  readonly nodes: number;
  readonly first: Int32Array;
  readonly target: Int32Array;
}

/** Adjacency of the edges from number `start` on. Linear. */
export function successors(nodes: number, edges: Edges, start = 0): Adjacency {
  return adjacency(nodes, edges.from, edges.to, start, edges.count);
}

export function predecessors(nodes: number, edges: Edges, start = 0): Adjacency {
  return adjacency(nodes, edges.to, edges.from, start, edges.count);
}

/** The same edges the other way round. */
export function transpose({ nodes, first, target }: Adjacency): Adjacency {
  const back = new Int32Array(nodes + 1);
  for (const node of target) back[node + 1] = (back[node + 1] ?? 0) + 1;
  for (let n = 0; n < nodes; n++) back[n + 1] = (back[n] ?? 0) + (back[n + 1] ?? 0);
  const next = back.slice(0, nodes);
  const source = new Int32Array(target.length);
  for (let n = 0; n < nodes; n++)
    for (let at = first[n] ?? 0; at < (first[n + 1] ?? 0); at++) {
      const node = target[at] ?? 0;
      const slot = next[node] ?? 0;
      next[node] = slot + 1;
      source[slot] = n;
    }
  return { nodes, first: back, target: source };
}

function adjacency(
  nodes: number,
  source: Int32Array,
  goal: Int32Array,
  start: number,
  end: number,
): Adjacency {
  const first = new Int32Array(nodes + 1);
  for (let e = start; e < end; e++) {
    const at = (source[e] ?? 0) + 1;
    first[at] = (first[at] ?? 0) + 1;
  }
  for (let n = 0; n < nodes; n++) first[n + 1] = (first[n] ?? 0) + (first[n + 1] ?? 0);
  const next = first.slice(0, nodes);
  const target = new Int32Array(end - start);
  for (let e = start; e < end; e++) {
    const n = source[e] ?? 0;
    const at = next[n] ?? 0;
    next[n] = at + 1;
    target[at] = goal[e] ?? 0;
  }
  return { nodes, first, target };
}

export interface Order {
  /** Nodes in an order in which every edge points forward; incomplete if there is a cycle. */
  readonly order: Int32Array;
  readonly length: number;
  /** The number of remaining predecessors: positive for nodes on or after a cycle. */
  readonly degree: Int32Array;
}

/** Topological order of the union of graphs over the same nodes (Kahn). Linear. */
export function topologicalOrder(nodes: number, graphs: readonly Adjacency[]): Order {
  const degree = new Int32Array(nodes);
  for (const { target } of graphs)
    for (const node of target) degree[node] = (degree[node] ?? 0) + 1;
  const order = new Int32Array(nodes);
  let length = 0;
  for (let n = 0; n < nodes; n++) if (degree[n] === 0) order[length++] = n;
  for (let head = 0; head < length; head++) {
    const n = order[head] ?? 0;
    for (const { first, target } of graphs) {
      const end = first[n + 1] ?? 0;
      for (let at = first[n] ?? 0; at < end; at++) {
        const node = target[at] ?? 0;
        const left = (degree[node] ?? 0) - 1;
        degree[node] = left;
        if (left === 0) order[length++] = node;
      }
    }
  }
  return { order, length, degree };
}

/**
 * The nodes of a shortest path from `start` to `goal`, both included, or undefined. `admits` may exclude nodes. A path from a node to
 * itself has at least one edge. Longer paths than `longest` edges are not searched.
 */
export function shortestPath(
  graphs: readonly Adjacency[],
  start: number,
  goal: number,
  admits: (node: number) => boolean = () => true,
  longest = Number.POSITIVE_INFINITY,
): readonly number[] | undefined {
  const parent = new Map<number, number>();
  let layer = [start];
  for (let length = 1; layer.length > 0 && length <= longest; length++) {
    const next: number[] = [];
    for (const n of layer)
      for (const { first, target } of graphs)
        for (let at = first[n] ?? 0; at < (first[n + 1] ?? 0); at++) {
          const node = target[at] ?? 0;
          if (parent.has(node) || (node !== goal && !admits(node))) continue;
          parent.set(node, n);
          if (node === goal) return pathTo(parent, start, goal);
          next.push(node);
        }
    layer = next;
  }
  return undefined;
}

function pathTo(parent: ReadonlyMap<number, number>, start: number, goal: number): number[] {
  const path = [goal];
  for (let n = parent.get(goal); n !== undefined; n = n === start ? undefined : parent.get(n))
    path.unshift(n);
  return path;
}

/** A short cycle (nodes, the first not repeated) among nodes outside of a topological order. */
export function shortCycle(graphs: readonly Adjacency[], order: Order): readonly number[] {
  // Walking backwards along remaining predecessors ends in a cycle; forwards could leave it.
  const left = (node: number) => (order.degree[node] ?? 0) > 0;
  const onCycle = cycleNode(graphs, left, order.degree.length);
  let best: readonly number[] | undefined;
  const starts = [onCycle];
  for (let at = 0; at < starts.length && at < 16; at++) {
    const start = starts[at] ?? 0;
    // A path of n nodes has n - 1 edges; only shorter ones matter.
    const path = shortestPath(graphs, start, start, left, (best?.length ?? Infinity) - 2);
    if (path === undefined) continue;
    best = path;
    if (at === 0) starts.push(...path.slice(1, -1));
  }
  return (best ?? [onCycle]).slice(0, -1);
}

/** A node on some cycle: the target of a back edge of a depth-first search. */
function cycleNode(
  graphs: readonly Adjacency[],
  left: (node: number) => boolean,
  nodes: number,
): number {
  const state = new Uint8Array(nodes);
  for (let root = 0; root < nodes; root++) {
    if (!left(root) || state[root] !== 0) continue;
    const path = [root];
    const edge = [0];
    state[root] = 1;
    while (path.length > 0) {
      const n = path[path.length - 1] ?? 0;
      const next = nthTarget(graphs, n, edge[edge.length - 1] ?? 0);
      if (next === undefined) {
        state[n] = 2;
        path.pop();
        edge.pop();
        continue;
      }
      edge[edge.length - 1] = (edge[edge.length - 1] ?? 0) + 1;
      if (!left(next)) continue;
      if (state[next] === 1) return next;
      if (state[next] !== 0) continue;
      state[next] = 1;
      path.push(next);
      edge.push(0);
    }
  }
  return 0;
}

function nthTarget(graphs: readonly Adjacency[], node: number, index: number): number | undefined {
  let rest = index;
  for (const { first, target } of graphs) {
    const size = (first[node + 1] ?? 0) - (first[node] ?? 0);
    if (rest < size) return target[(first[node] ?? 0) + rest];
    rest -= size;
  }
  return undefined;
}

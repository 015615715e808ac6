// A dynamic topological order (Pearce and Kelly, JEA 2006): adding an edge only searches the part of the order between its ends, and finds
// the cycle if there is one.
import type { Adjacency } from "./graph";

/** Removable edges are named by numbers; `from` and `to` give their ends. */
export interface DynamicEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** The path that an edge would close to a cycle: its nodes, and its removable edges. */
export interface ClosingPath {
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

export interface DynamicOrder {
  readonly position: Int32Array;
  /** Adds a removable edge. If that would close a cycle the edge is not added, and the path from its end to its start is returned. */
  add(edge: number): ClosingPath | undefined;
  /** Removes an edge; edges are removed in reverse order of insertion. */
  remove(edge: number): void;
}

/** `order` must be a topological order of the fixed edges. */
export function dynamicOrder(
  order: Int32Array,
  after: readonly Adjacency[],
  before: readonly Adjacency[],
  { from, to }: DynamicEdges,
): DynamicOrder {
  const nodes = order.length;
  const position = new Int32Array(nodes);
  order.forEach((node, at) => {
    position[node] = at;
  });
  // Lists of removable edges per node; 0 ends a list, edge e stands as e + 1.
  const outHead = new Int32Array(nodes);
  const outNext = new Int32Array(from.length);
  const inHead = new Int32Array(nodes);
  const inNext = new Int32Array(from.length);
  const mark = new Int32Array(nodes);
  const parent = new Int32Array(nodes);
  const parentEdge = new Int32Array(nodes);
  let stamp = 0;

  return { position, add, remove };

  function add(edge: number): ClosingPath | undefined {
    const a = from[edge] ?? 0;
    const b = to[edge] ?? 0;
    if ((position[a] ?? 0) > (position[b] ?? 0) || a === b) {
      const ahead = forwards(b, a);
      if (ahead === undefined) return closingPath(b, a);
      reorder(ahead, backwards(a, position[b] ?? 0));
    }
    outNext[edge] = outHead[a] ?? 0;
    outHead[a] = edge + 1;
    inNext[edge] = inHead[b] ?? 0;
    inHead[b] = edge + 1;
    return undefined;
  }

  function remove(edge: number): void {
    outHead[from[edge] ?? 0] = outNext[edge] ?? 0;
    inHead[to[edge] ?? 0] = inNext[edge] ?? 0;
  }

  /**
   * Everything reachable from `start` up to the position of `goal`; undefined if that includes `goal`. Paths with few removable edges are
   * found first, which keeps conflicts short.
   */
  function forwards(start: number, goal: number): number[] | undefined {
    stamp++;
    const bound = position[goal] ?? 0;
    const found: number[] = [];
    // Node, the node before it, and the removable edge between them plus one.
    let layer = [start, -1, 0];
    while (layer.length > 0) {
      const next: number[] = [];
      while (layer.length > 0) {
        const edge = layer.pop() ?? 0;
        const previous = layer.pop() ?? 0;
        const n = layer.pop() ?? 0;
        if (mark[n] === stamp) continue;
        mark[n] = stamp;
        parent[n] = previous;
        parentEdge[n] = edge;
        if (n === goal) return undefined;
        found.push(n);
        for (const { first, target } of after) {
          const end = first[n + 1] ?? 0;
          for (let at = first[n] ?? 0; at < end; at++) {
            const node = target[at] ?? 0;
            if (mark[node] !== stamp && (position[node] ?? 0) <= bound) layer.push(node, n, 0);
          }
        }
        for (let e = outHead[n] ?? 0; e !== 0; e = outNext[e - 1] ?? 0) {
          const node = to[e - 1] ?? 0;
          if (mark[node] !== stamp && (position[node] ?? 0) <= bound) next.push(node, n, e);
        }
      }
      layer = next;
    }
    return found;
  }

  function backwards(start: number, bound: number): number[] {
    stamp++;
    const found = [start];
    mark[start] = stamp;
    for (let head = 0; head < found.length; head++) {
      const n = found[head] ?? 0;
      for (const { first, target } of before) {
        const end = first[n + 1] ?? 0;
        for (let at = first[n] ?? 0; at < end; at++) visit(target[at] ?? 0);
      }
      for (let e = inHead[n] ?? 0; e !== 0; e = inNext[e - 1] ?? 0) visit(from[e - 1] ?? 0);
    }
    return found;

    function visit(node: number): void {
      if (mark[node] === stamp || (position[node] ?? 0) < bound) return;
      mark[node] = stamp;
      found.push(node);
    }
  }

  /** Moves the nodes that reach the edge before those reachable from it, within the positions of both. */
  function reorder(ahead: number[], behind: number[]): void {
    const byPosition = (one: number, other: number) =>
      (position[one] ?? 0) - (position[other] ?? 0);
    ahead.sort(byPosition);
    behind.sort(byPosition);
    const moved = [...behind, ...ahead];
    const places = Int32Array.from(moved, (node) => position[node] ?? 0).sort();
    moved.forEach((node, at) => {
      position[node] = places[at] ?? 0;
    });
  }

  function closingPath(start: number, goal: number): ClosingPath {
    const path = [goal];
    const edges: number[] = [];
    for (let n = goal; n !== start; n = parent[n] ?? start) {
      const edge = parentEdge[n] ?? 0;
      if (edge !== 0) edges.push(edge - 1);
      path.unshift(parent[n] ?? start);
    }
    return { nodes: path, edges };
  }
}

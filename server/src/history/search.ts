// Search for an order of the pairs that pruning left undecided, with a dynamic topological order that detects cycles immediately.
import type { Literal, Theory } from "./cdcl";
import { createSolver } from "./cdcl";
import { dynamicOrder } from "./dynamicOrder";
import { EdgeList, predecessors, shortestPath, successors, topologicalOrder } from "./graph";
import type { Adjacency } from "./graph";
import { addListOrder, knownEdges } from "./arrange";
import type { Limits, Poll } from "./limits";
import { refuseAbove } from "./limits";
import type { Pairs } from "./pairs";
import { leftPairs } from "./pairs";
import type { Pruning } from "./prune";
import { transactionOf } from "./prune";

/** The reasons of conflicts: pairs, and the nodes on the closed cycles. */
export interface Conflicts {
  readonly transactions: ReadonlySet<number>;
  readonly paths: readonly (readonly number[])[];
}

export interface SearchResult {
  /** Undefined if an order exists. Otherwise the conflicts together exclude every order. */
  readonly conflicts: Conflicts | undefined;
  readonly pairs: number;
}

/** Limit of conflicts that are kept for the explanation. */
const CONFLICTS_KEPT = 4000;

/** Decides what pruning left open. `pruning` must be acyclic. */
export function search(pruning: Pruning, limits: Limits, poll: Poll): SearchResult {
  const { arranged, mode, nodes, known, inferred } = pruning;
  const pairs = leftPairs(pruning, poll);
  const kept = keptConflicts(pruning);
  const anti = mode === "parallel" ? antiDependencies(pruning, pairs, limits) : undefined;
  if (pairs.count === 0) {
    const broken = anti?.broken(() => false) ?? [];
    for (const each of broken) kept.keep(each.nodes, each.transactions);
    return { conflicts: broken.length > 0 ? kept.conflicts() : undefined, pairs: 0 };
  }

  const after = [known, successors(nodes, inferred)];
  const edges = knownEdges(arranged, mode === "snapshot");
  addListOrder(edges, arranged, mode === "snapshot");
  const before = [predecessors(nodes, edges), predecessors(nodes, inferred)];
  const order = dynamicOrder(likelyOrder(pruning), after, before, pairs);
  const { position } = order;
  const literalOf = new Int32Array(pairs.from.length);
  for (let l = 0; l < 2 * pairs.count; l++)
    literalOf.fill(l, pairs.edgeFrom[l] ?? 0, pairs.edgeFrom[l + 1] ?? 0);

  const theory: Theory = {
    assert(literal) {
      const first = pairs.edgeFrom[literal] ?? 0;
      const end = pairs.edgeFrom[literal + 1] ?? 0;
      for (let e = first; e < end; e++) {
        const path = order.add(e);
        if (path === undefined) continue;
        for (let undone = e - 1; undone >= first; undone--) order.remove(undone);
        const literals = new Set([literal, ...path.edges.map((edge) => literalOf[edge] ?? 0)]);
        kept.keep([...path.nodes, pairs.to[e] ?? 0], concerned(pairs, literals));
        return [...literals];
      }
      return undefined;
    },
    retract(literal) {
      const first = pairs.edgeFrom[literal] ?? 0;
      for (let e = (pairs.edgeFrom[literal + 1] ?? 0) - 1; e >= first; e--) order.remove(e);
    },
    prefer(pair) {
      const against = (literal: Literal) => {
        let count = 0;
        for (let e = pairs.edgeFrom[literal] ?? 0; e < (pairs.edgeFrom[literal + 1] ?? 0); e++)
          if ((position[pairs.from[e] ?? 0] ?? 0) > (position[pairs.to[e] ?? 0] ?? 0)) count++;
        return count;
      };
      return against(2 * pair) <= against(2 * pair + 1) ? 2 * pair : 2 * pair + 1;
    },
  };
  const solver = createSolver(pairs.count, theory, poll);
  for (;;) {
    if (!solver.solve()) return { conflicts: kept.conflicts(), pairs: pairs.count };
    const broken = anti?.broken(solver.isTrue) ?? [];
    if (broken.length === 0) return { conflicts: undefined, pairs: pairs.count };
    for (const { nodes: path, transactions, literals } of broken) {
      kept.keep(path, transactions);
      solver.add(literals.map((literal) => literal ^ 1));
    }
  }
}

function concerned(pairs: Pairs, literals: Iterable<Literal>): number[] {
  return [...literals].flatMap((literal) => {
    const pair = literal & ~1;
    return [pairs.transactions[pair] ?? 0, pairs.transactions[pair + 1] ?? 0];
  });
}

function keptConflicts({ mode, arranged }: Pruning) {
  const transactions = new Set<number>();
  const paths: (readonly number[])[] = [];
  return {
    keep(nodes: readonly number[], others: readonly number[]): void {
      if (paths.length >= CONFLICTS_KEPT) return;
      paths.push(nodes);
      for (const each of others) transactions.add(each);
      for (const node of nodes) {
        const transaction = transactionOf(mode, arranged.count, node);
        if (transaction > 0) transactions.add(transaction);
      }
    },
    conflicts: (): Conflicts => ({ transactions, paths }),
  };
}

/**
 * An order of the nodes that is probably close to the real one: by the number of nodes that must come before. Each node has more of them
 * than its predecessors, so the order is topological.
 */
function likelyOrder({ order, clock, arranged, mode }: Pruning): Int32Array {
  const { chains, chainFirst } = arranged;
  const scale = mode === "snapshot" ? 2 : 1;
  const weight = new Float64Array(order.length);
  for (let at = 0; at < order.length; at++) {
    const row = (order[at] ?? 0) * chains;
    let past = 0;
    for (let c = 0; c < chains; c++) {
      const last = clock[row + c] ?? -1;
      if (last >= 0) past += last - scale * (chainFirst[c] ?? 0) + 1;
    }
    weight[at] = past;
  }
  // Equal weights keep their position, so sorting by (weight, position) as one number is stable.
  const keys = weight.map((past, at) => past * order.length + at).sort();
  return Int32Array.from(keys, (key) => order[key % order.length] ?? 0);
}

interface BrokenPath {
  readonly nodes: readonly number[];
  readonly transactions: readonly number[];
  readonly literals: readonly Literal[];
}

/** The number of violated anti-dependencies that are passed to the solver at once. */
const BROKEN_AT_ONCE = 64;

/**
 * Parallel snapshot isolation: no anti-dependency may lead from a transaction to one that happened before it. Finds those that do under the
 * chosen orders, with the choices that they depend on.
 */
function antiDependencies(pruning: Pruning, pairs: Pairs, limits: Limits) {
  const { arranged, nodes, known, inferred } = pruning;
  const { chains, chainOf } = arranged;
  refuseAbove(limits, 2 * nodes * chains * 4);
  return { broken };

  function broken(isTrue: (literal: Literal) => boolean): readonly BrokenPath[] {
    const chosen = new EdgeList();
    const literals: Literal[] = [];
    for (let literal = 0; literal < 2 * pairs.count; literal++)
      if (isTrue(literal))
        for (let e = pairs.edgeFrom[literal] ?? 0; e < (pairs.edgeFrom[literal + 1] ?? 0); e++) {
          chosen.add(pairs.from[e] ?? 0, pairs.to[e] ?? 0);
          literals.push(literal);
        }
    const graphs = [known, successors(nodes, inferred), successors(nodes, chosen)];
    const clock = chosen.count === 0 ? pruning.clock : clocksOf(arranged, nodes, graphs);
    const precedes = (before: number, after: number) =>
      (clock[after * chains + (chainOf[before] ?? 0)] ?? -1) >= before;
    const found: BrokenPath[] = [];
    const literalOfEdge = new Map<number, Literal>();
    literals.forEach((literal, e) =>
      literalOfEdge.set((chosen.from[e] ?? 0) * nodes + (chosen.to[e] ?? 0), literal),
    );
    const check = (reader: number, writer: number, version: number, literal?: Literal) => {
      if (reader === writer || found.length >= BROKEN_AT_ONCE || !precedes(writer, reader)) return;
      const path =
        shortestPath(
          graphs,
          writer,
          reader,
          (node) => node >= arranged.count || precedes(node, reader),
        ) ?? [];
      const used = new Set(literal === undefined ? [] : [literal]);
      path.forEach((node, at) => {
        const chosenHere = literalOfEdge.get((path[at - 1] ?? 0) * nodes + node);
        if (chosenHere !== undefined) used.add(chosenHere);
      });
      found.push({
        nodes: path,
        transactions: [reader, writer, version, ...concerned(pairs, used)].filter((t) => t > 0),
        literals: [...used],
      });
    };
    for (let at = 0; at < pairs.antiLiteral.length; at++) {
      const literal = pairs.antiLiteral[at] ?? 0;
      if (isTrue(literal)) check(pairs.antiReader[at] ?? 0, pairs.antiWriter[at] ?? 0, 0, literal);
    }
    knownAntiDependencies(pruning, check);
    return found;
  }
}

/** The anti-dependencies that hold under every choice; of those into one chain, the one to its first writer. */
function knownAntiDependencies(
  { arranged, writers, prefix, prefixFrom, readerFrom, reader }: Pruning,
  each: (reader: number, writer: number, version: number) => void,
): void {
  const { keyFrom, writer, runFrom, runStart } = writers;
  for (let key = 0; key + 1 < keyFrom.length; key++) {
    const first = runFrom[key] ?? 0;
    const runs = (runFrom[key + 1] ?? 0) - first;
    for (let w = keyFrom[key] ?? 0; w < (keyFrom[key + 1] ?? 0); w++) {
      const row = (prefixFrom[key] ?? 0) + (w - (keyFrom[key] ?? 0)) * runs;
      for (let run = 0; run < runs; run++) {
        const before = prefix[row + run] ?? -1;
        if (before < 0) continue;
        for (let at = readerFrom[before] ?? 0; at < (readerFrom[before + 1] ?? 0); at++)
          each(reader[at] ?? 0, writer[w] ?? 0, writer[before] ?? 0);
      }
    }
  }
  const { count, readFrom, readKey, readWriter } = arranged;
  for (let t = 1; t < count; t++)
    for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++) {
      if (readWriter[at] !== 0) continue;
      const key = readKey[at] ?? 0;
      for (let run = runFrom[key] ?? 0; run < (runFrom[key + 1] ?? 0); run++)
        each(t, writer[runStart[run] ?? 0] ?? 0, 0);
    }
}

/** Clocks of acyclic graphs, as `Pruning.clock`, one node per transaction. */
function clocksOf(
  { chains, chainOf, count }: Pruning["arranged"],
  nodes: number,
  graphs: readonly Adjacency[],
): Int32Array {
  const clock = new Int32Array(nodes * chains).fill(-1);
  const { order } = topologicalOrder(nodes, graphs);
  for (const n of order) {
    const row = n * chains;
    const chain = n < count ? (chainOf[n] ?? -1) : -1;
    for (const { first, target } of graphs)
      for (let at = first[n] ?? 0; at < (first[n + 1] ?? 0); at++) {
        const other = (target[at] ?? 0) * chains;
        for (let c = 0; c < chains; c++) {
          const theirs = c === chain ? n : (clock[row + c] ?? 0);
          if (theirs > (clock[other + c] ?? 0)) clock[other + c] = theirs;
        }
      }
  }
  return clock;
}

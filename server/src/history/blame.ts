// Transactions that are likely to violate a strong level alone: those on the found cycle, and those that each inferred edge on it depends
// on. A guess, confirmed by checking the part; it makes counterexamples of large histories quick to find.
import type { Adjacency } from "./graph";
import { shortestPath, successors } from "./graph";
import type { Pruning } from "./prune";
import { beginNode, commitNode, transactionOf } from "./prune";
import type { Conflicts } from "./search";

/** Limit of expanded edges; a wider search finds what is then missing. */
const EDGES_LIMIT = 3000;

/** The transactions (resolved numbers, without 0) behind the cycle. */
export function blameCycle(pruning: Pruning, cycle: readonly number[]): readonly number[] {
  return blame(pruning, [[...cycle, cycle[0] ?? 0]], []);
}

/** The transactions behind all conflicts of a search. */
export function blameConflicts(pruning: Pruning, conflicts: Conflicts): readonly number[] {
  return blame(pruning, conflicts.paths, [...conflicts.transactions]);
}

function blame(
  pruning: Pruning,
  paths: readonly (readonly number[])[],
  others: readonly number[],
): readonly number[] {
  const { arranged, mode, nodes, known, inferred, clock, writers, readerFrom, reader } = pruning;
  const { chains, chainOf, count } = arranged;
  const found = new Set<number>(others);
  const done = new Set<number>();
  const graphsBefore = new Map<number, readonly Adjacency[]>();
  const waiting: { readonly path: readonly number[]; readonly before: number }[] = paths.map(
    (path) => ({ path, before: inferred.count }),
  );
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, before } = next;
    for (let at = 0; at < path.length; at++) {
      const node = path[at] ?? 0;
      const transaction = transactionOf(mode, count, node);
      if (transaction > 0) found.add(transaction);
      if (at > 0) followEdge(path[at - 1] ?? 0, node, before);
    }
  }
  return [...found];

  function followEdge(from: number, to: number, before: number): void {
    if (hasEdge(known, from, to)) {
      followList(from, to);
      return;
    }
    const edge = inferredEdge(from, to, before);
    if (edge === undefined || done.has(edge) || done.size > EDGES_LIMIT) return;
    done.add(edge);
    const key = inferred.key[edge] ?? 0;
    const source = transactionOf(mode, count, from);
    const target = transactionOf(mode, count, to);
    const isAnti = mode === "snapshot" ? (from & 1) === 0 : readsKey(source, key, edge);
    if (isAnti) justifyAnti(source, target, key, edge);
    else justifyOrder(source, target, key, edge);
  }

  /** The transaction whose list shows an order. */
  function followList(from: number, to: number): void {
    const before = transactionOf(mode, count, from);
    const after = transactionOf(mode, count, to);
    for (const each of arranged.ordered)
      if (each.before === before && each.after === after) {
        const at = arranged.original.findIndex(
          (t) =>
            t >= 0 &&
            (arranged.history.from[t] ?? 0) <= each.operation &&
            each.operation < (arranged.history.to[t] ?? 0),
        );
        if (at > 0) found.add(at);
        return;
      }
  }

  /** In graphs of one node per transaction an edge of a key is an anti-dependency if its source read the key. */
  function readsKey(transaction: number, key: number, edge: number): boolean {
    if (mode === "parallel") return false;
    if (edge < (inferred.rounds[1] ?? 0)) return true;
    return versionsRead(transaction, key).length > 0;
  }

  function versionsRead(transaction: number, key: number): readonly number[] {
    const read: number[] = [];
    const end = arranged.readFrom[transaction + 1] ?? 0;
    for (let at = arranged.readFrom[transaction] ?? 0; at < end; at++)
      if (arranged.readKey[at] === key) read.push(arranged.readWriter[at] ?? 0);
    return read;
  }

  function justifyAnti(source: number, target: number, key: number, edge: number): void {
    const start = roundOf(edge);
    for (const version of versionsRead(source, key)) {
      if (version === 0 || version === target) continue;
      found.add(version);
      const path = pathBefore(commitNode(mode, version), beginNode(mode, target), start);
      if (path !== undefined) waiting.push({ path, before: start });
      else justifyOrder(version, target, key, edge);
    }
    // With one node per transaction the same edge may be the order of two versions.
    if (mode === "serializable") justifyOrder(source, target, key, edge);
  }

  /** The opposite order would close a cycle, directly or through a reader of the later version. */
  function justifyOrder(source: number, target: number, key: number, edge: number): void {
    const start = roundOf(edge);
    const direct = pathBefore(beginNode(mode, source), commitNode(mode, target), start);
    if (direct !== undefined) {
      waiting.push({ path: direct, before: start });
      return;
    }
    const version = instanceOf(key, target);
    for (let at = readerFrom[version] ?? 0; at < (readerFrom[version + 1] ?? 0); at++) {
      const by = reader[at] ?? 0;
      const path = pathBefore(commitNode(mode, source), beginNode(mode, by), start);
      if (path === undefined) continue;
      found.add(by);
      waiting.push({ path, before: start });
      return;
    }
  }

  function instanceOf(key: number, transaction: number): number {
    const { keyFrom, writer } = writers;
    return writer.indexOf(transaction, keyFrom[key] ?? 0);
  }

  function roundOf(edge: number): number {
    let start = 0;
    for (const first of inferred.rounds) if (first <= edge) start = first;
    return start;
  }

  /** A shortest path that uses only edges inferred before the edge with this number. */
  function pathBefore(from: number, to: number, before: number): readonly number[] | undefined {
    if (from === to) return [from];
    const reaches = (node: number) => {
      const transaction = transactionOf(mode, count, node);
      if (transaction <= 0) return transaction < 0;
      return (clock[to * chains + (chainOf[transaction] ?? 0)] ?? -1) >= node;
    };
    if (!reaches(from)) return undefined;
    return shortestPath(graphsUpTo(before), from, to, reaches);
  }

  function graphsUpTo(before: number): readonly Adjacency[] {
    const cached = graphsBefore.get(before);
    if (cached !== undefined) return cached;
    const part = {
      count: before,
      from: inferred.from,
      to: inferred.to,
    };
    const graphs = [known, successors(nodes, part)];
    graphsBefore.set(before, graphs);
    return graphs;
  }

  function inferredEdge(from: number, to: number, before: number): number | undefined {
    for (let e = 0; e < before; e++)
      if (inferred.from[e] === from && inferred.to[e] === to) return e;
    return undefined;
  }
}

function hasEdge({ first, target }: Adjacency, from: number, to: number): boolean {
  for (let at = first[from] ?? 0; at < (first[from + 1] ?? 0); at++)
    if (target[at] === to) return true;
  return false;
}

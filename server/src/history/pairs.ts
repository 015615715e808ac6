// The choices that pruning leaves: pairs of transactions that write a common key in an undecided order.
import { EdgeList } from "./graph";
import { TripleTable, grownInts } from "./intern";
import type { Poll } from "./limits";
import type { Pruning } from "./prune";
import { beginNode, commitNode } from "./prune";

/**
 * Pair `v` is decided by one of two literals: `2v` puts its first transaction first, `2v + 1` the second. Pairs over
 * several keys are one choice, since transactions are ordered as a whole.
 */
export interface Pairs {
  readonly count: number;
  /** Two transactions per pair. */
  readonly transactions: Int32Array;
  /** The edges of literal `l` are numbered `edgeFrom[l]` up to `edgeFrom[l + 1]`. */
  readonly edgeFrom: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** At parallel snapshot isolation: anti-dependencies of literals, from a reader to the writer that comes later. */
  readonly antiLiteral: Int32Array;
  readonly antiReader: Int32Array;
  readonly antiWriter: Int32Array;
}

/** Enumerates the pairs of which neither is in the other's prefix. */
export function leftPairs(pruning: Pruning, poll: Poll): Pairs {
  const { writers, prefix, prefixFrom, readerFrom, reader, mode } = pruning;
  const { keyFrom, writer, runFrom, runStart } = writers;
  const table = new TripleTable(1024);
  // Three integers per common key of a pair: pair, first writer's number, second one's.
  let meetings: Int32Array = new Int32Array(3 * 1024);
  let met = 0;
  const meet = (one: number, other: number) => {
    const pair = table.number(writer[one] ?? 0, writer[other] ?? 0, 0);
    meetings = grownInts(meetings, met + 3);
    meetings[met] = pair;
    meetings[met + 1] = one;
    meetings[met + 2] = other;
    met += 3;
  };
  for (let key = 0; key + 1 < keyFrom.length; key++) {
    if ((key & 1023) === 0) poll();
    const first = runFrom[key] ?? 0;
    const end = runFrom[key + 1] ?? 0;
    const runs = end - first;
    const row = (w: number) => (prefixFrom[key] ?? 0) + (w - (keyFrom[key] ?? 0)) * runs - first;
    for (let run = first; run < end; run++)
      for (let w = runStart[run] ?? 0; w < (runStart[run + 1] ?? 0); w++)
        for (let later = run + 1; later < end; later++) {
          const before = prefix[row(w) + later] ?? -1;
          let other = before < 0 ? (runStart[later] ?? 0) : before + 1;
          const last = runStart[later + 1] ?? 0;
          while (other < last && (prefix[row(other) + run] ?? -1) < w) meet(w, other++);
        }
  }

  const count = table.count;
  const transactions = new Int32Array(2 * count);
  for (let pair = 0; pair < count; pair++) {
    transactions[2 * pair] = table.entries[3 * pair] ?? 0;
    transactions[2 * pair + 1] = table.entries[3 * pair + 1] ?? 0;
  }
  const edges = new EdgeList();
  let literalOf: Int32Array = new Int32Array(1024);
  const guard = (literal: number, from: number, to: number) => {
    literalOf = grownInts(literalOf, edges.count + 1);
    literalOf[edges.count] = literal;
    edges.add(from, to);
  };
  const anti = { literal: [] as number[], reader: [] as number[], writer: [] as number[] };
  const overwrite = (literal: number, version: number, t: number) => {
    for (let at = readerFrom[version] ?? 0; at < (readerFrom[version + 1] ?? 0); at++) {
      const from = reader[at] ?? 0;
      if (from === t) continue;
      if (mode === "parallel") {
        anti.literal.push(literal);
        anti.reader.push(from);
        anti.writer.push(t);
      } else guard(literal, beginNode(mode, from), commitNode(mode, t));
    }
  };
  for (let pair = 0; pair < count; pair++) {
    const one = transactions[2 * pair] ?? 0;
    const other = transactions[2 * pair + 1] ?? 0;
    guard(2 * pair, commitNode(mode, one), beginNode(mode, other));
    guard(2 * pair + 1, commitNode(mode, other), beginNode(mode, one));
  }
  for (let at = 0; at < met; at += 3) {
    const pair = meetings[at] ?? 0;
    overwrite(2 * pair, meetings[at + 1] ?? 0, transactions[2 * pair + 1] ?? 0);
    overwrite(2 * pair + 1, meetings[at + 2] ?? 0, transactions[2 * pair] ?? 0);
  }
  return {
    count,
    transactions,
    ...byLiteral(2 * count, literalOf, edges),
    antiLiteral: Int32Array.from(anti.literal),
    antiReader: Int32Array.from(anti.reader),
    antiWriter: Int32Array.from(anti.writer),
  };
}

function byLiteral(literals: number, literalOf: Int32Array, edges: EdgeList) {
  const edgeFrom = new Int32Array(literals + 1);
  for (let e = 0; e < edges.count; e++) {
    const at = (literalOf[e] ?? 0) + 1;
    edgeFrom[at] = (edgeFrom[at] ?? 0) + 1;
  }
  for (let l = 0; l < literals; l++) edgeFrom[l + 1] = (edgeFrom[l] ?? 0) + (edgeFrom[l + 1] ?? 0);
  const next = edgeFrom.slice();
  const from = new Int32Array(edges.count);
  const to = new Int32Array(edges.count);
  for (let e = 0; e < edges.count; e++) {
    const literal = literalOf[e] ?? 0;
    const slot = next[literal] ?? 0;
    next[literal] = slot + 1;
    from[slot] = edges.from[e] ?? 0;
    to[slot] = edges.to[e] ?? 0;
  }
  return { edgeFrom, from, to };
}

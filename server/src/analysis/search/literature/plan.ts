// The tuples to search at a papers' level: necklaces whose static dependencies allow a cycle that the level does not exclude.
import type { PaperLevel } from "../../../isolation/levels";
import { staticEdges } from "../../encoding/relational/edges";
import { makeInstances } from "../../encoding/relational/instances";
import type { FlatProgram } from "../../operations/operation";
import { likelihood } from "../likelihood";
import type { Unit } from "../unit";
import type { AnyAxiom } from "./levels";

/**
 * The necklaces of `size` transactions (cyclic sequences, least rotation first) that may have a cycle at the level, likeliest first. A
 * reversed necklace is another cycle, hence another unit. O(n^size) for n transactions.
 */
export function planPapers(flat: FlatProgram, base: PaperLevel, size: number): readonly Unit[] {
  if (size < 2) return [];
  const edges = edgeCache(flat);
  const isUnit = flat.transactions.map(({ parts }) => parts !== undefined);
  if (base.axioms.includes("total") && !isUnit.includes(true)) return [];
  return necklaces(flat.transactions.length, size)
    .map((transactions) => ({
      transactions,
      score: score(
        edges,
        transactions.some((each) => isUnit[each]) ? [] : base.axioms,
        transactions,
      ),
      likely: likelihood(flat, transactions),
    }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.likely - a.likely || b.score - a.score)
    .map(({ transactions }) => ({ transactions }));
}

interface EdgeKinds {
  readonly any: boolean;
  readonly rw: boolean;
  /** The number of static dependencies. */
  readonly count: number;
}

/** Memoised static dependencies between two transactions; apart from existence, they do not depend on the rest of the tuple. */
function edgeCache(flat: FlatProgram): (from: number, to: number) => EdgeKinds {
  const known = new Map<string, EdgeKinds>();
  return (from, to) => {
    const key = `${String(from)} ${String(to)}`;
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const [first, second] = makeInstances(flat, [from, to]);
    const edges = first === undefined || second === undefined ? [] : staticEdges(first, second);
    const kinds = {
      any: edges.length > 0,
      rw: edges.some((edge) => edge.dependency === "rw"),
      count: edges.length,
    };
    known.set(key, kinds);
    return kinds;
  };
}

/**
 * 0 if the axioms (which do not keep a unit's transactions together) exclude every cycle over these transactions; else larger for likelier
 * ones.
 */
function score(
  edges: (from: number, to: number) => EdgeKinds,
  axioms: readonly AnyAxiom[],
  transactions: readonly number[],
): number {
  if (axioms.includes("total")) return 0;
  const steps = transactions.map((from, at) =>
    edges(from, transactions[(at + 1) % transactions.length] ?? from),
  );
  if (steps.some((step) => !step.any)) return 0;
  const reversing = steps.map((step) => step.rw);
  if (!mayReverse(axioms, reversing)) return 0;
  const missed = reversing.filter((each) => each).length;
  // Lost updates have two reads that miss writes, so these come early. Short transactions come before long ones.
  return missed + 1 / (1 + steps.reduce((sum, step) => sum + step.count, 0));
}

/**
 * Necessary conditions on the anti-dependencies (rw) of a cycle, the only edges that may run against arbitration for atomic transactions:
 * one; two with causal visibility and no conflicts (PSI); two adjacent ones if visibility is also a prefix (SI). With visibility per
 * statement there is no condition. What user-written axioms exclude is left to the solver.
 */
export function mayReverse(axioms: readonly AnyAxiom[], reversing: readonly boolean[]): boolean {
  const has = new Set(axioms);
  if (!has.has("atomicArbitration")) return true;
  const count = reversing.filter((each) => each).length;
  if (has.has("noConflict") && has.has("prefix")) {
    return reversing.some((each, at) => each && reversing[(at + 1) % reversing.length] === true);
  }
  return count >= (has.has("noConflict") && has.has("causal") ? 2 : 1);
}

/** Sequences over 0..n-1 that are least among their rotations, in lexicographic order. */
function necklaces(n: number, size: number): readonly (readonly number[])[] {
  const found: (readonly number[])[] = [];
  const extend = (prefix: readonly number[]): void => {
    if (prefix.length === size) {
      if (isLeastRotation(prefix)) found.push(prefix);
      return;
    }
    for (let next = prefix[0] ?? 0; next < n; next += 1) extend([...prefix, next]);
  };
  extend([]);
  return found;
}

function isLeastRotation(sequence: readonly number[]): boolean {
  return sequence.every((_, by) => {
    for (let at = 0; at < sequence.length; at += 1) {
      const [own, rotated] = [sequence[at] ?? 0, sequence[(at + by) % sequence.length] ?? 0];
      if (own !== rotated) return own < rotated;
    }
    return true;
  });
}

// Cycles of dependencies over instances.
import type { ExecutedDependency } from "./execution";
import { permutations } from "./permutations";

type Counts = (dependency: ExecutedDependency) => boolean;

/**
 * Indexes of dependencies that form a shortest cycle over instances, in order; empty without a cycle. Among shortest cycles the most
 * significant one by Adya's phenomena is taken: fewer anti-dependencies first (G0, G1c, G-single, G2), then lost updates, then rows that
 * were used before predicates; vacuous dependencies last. `instanceAt` names the instance of a step; other dependencies are ignored.
 */
export function cycleThrough(
  dependencies: readonly ExecutedDependency[],
  instanceAt: (step: number) => string,
  counts: Counts = () => true,
): readonly number[] {
  const edges = bestEdges(dependencies, instanceAt, counts);
  const names = [...new Set([...edges.values()].flatMap((edge) => [edge.from, edge.to]))].sort();
  let best: Cycle | undefined;
  for (const start of names) {
    const found = shortestFrom(start, names, edges);
    if (found === undefined) continue;
    if (best === undefined || better(found, best)) best = found;
  }
  if (best === undefined) return [];
  const antiDependencies = best.edges.filter(
    ({ index }) => dependencies[index]?.dependency === "rw",
  );
  const lost =
    best.edges.length === 2 && antiDependencies.length > 0
      ? lostUpdate(dependencies, instanceAt, counts)
      : undefined;
  return fromFirst(lost ?? best.edges).map((edge) => edge.index);
}

/** As `cycleThrough`, but through all of the named instances; empty if there is none. Factorial in their number. */
export function cycleThroughAll(
  dependencies: readonly ExecutedDependency[],
  instanceAt: (step: number) => string,
  names: readonly string[],
  counts: Counts = () => true,
): readonly number[] {
  const edges = bestEdges(dependencies, instanceAt, counts);
  const [first = "", ...others] = [...names].sort();
  const cycles = permutations(others).flatMap((order): Cycle[] => {
    const path = [first, ...order];
    const found = path.flatMap((from, at) => edges.get(`${from} ${path[at + 1] ?? first}`) ?? []);
    if (found.length < path.length) return [];
    return [{ edges: found, cost: found.reduce((sum, { cost }) => sum + cost, 0) }];
  });
  const [best] = cycles.sort((a, b) => a.cost - b.cost);
  return best?.edges.map((edge) => edge.index) ?? [];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly index: number;
  readonly cost: number;
}

interface Cycle {
  readonly edges: readonly Edge[];
  readonly cost: number;
}

/** True if the first instance overwrites a row that it read before the second changed it, without seeing the change. */
function lostUpdate(
  dependencies: readonly ExecutedDependency[],
  instanceAt: (step: number) => string,
  counts: Counts,
): readonly Edge[] | undefined {
  const edges = dependencies.flatMap((each, index) =>
    counts(each) ? [{ ...each, index, from: instanceAt(each.from), to: instanceAt(each.to) }] : [],
  );
  for (const read of edges) {
    if (read.dependency !== "rw" || read.predicate) continue;
    // Deleting and reinserting a row loses no value.
    if (read.columns.every((column) => column === "@")) continue;
    const back = edges.filter(
      (each) =>
        each.from === read.to &&
        each.to === read.from &&
        each.table === read.table &&
        each.key === read.key,
    );
    const over = back.find((each) => each.dependency === "ww");
    if (over === undefined) continue;
    const columns = [...read.columns, ...over.columns].filter((column) => column !== "@");
    const met = back.some(
      (each) => each.dependency === "wr" && each.columns.some((column) => columns.includes(column)),
    );
    if (!met) return [read, over].map(({ from, to, index }) => ({ from, to, index, cost: 0 }));
  }
  return undefined;
}

/** The most significant dependency of each ordered pair of instances. */
function bestEdges(
  dependencies: readonly ExecutedDependency[],
  instanceAt: (step: number) => string,
  counts: Counts,
): ReadonlyMap<string, Edge> {
  const edges = new Map<string, Edge>();
  for (const [index, each] of dependencies.entries()) {
    const from = instanceAt(each.from);
    const to = instanceAt(each.to);
    if (from === to || !counts(each)) continue;
    const edge = { from, to, index, cost: costOf(each) };
    const known = edges.get(`${from} ${to}`);
    if (known === undefined || edge.cost < known.cost) edges.set(`${from} ${to}`, edge);
  }
  return edges;
}

const COST = { wr: 0, ww: 1, so: 0, rw: 3 } as const;

/** Above the cost of any significant dependency. */
const VACUOUS = 10;

function costOf(dependency: ExecutedDependency): number {
  const existence = dependency.columns.every((column) => column === "@") ? 1 : 0;
  const vacuous = dependency.isVacuous === true ? VACUOUS : 0;
  return COST[dependency.dependency] + (dependency.predicate ? 2 : 0) + existence + vacuous;
}

/** A shortest, then cheapest, cycle through `start`: dynamic programming over path lengths. */
function shortestFrom(
  start: string,
  names: readonly string[],
  edges: ReadonlyMap<string, Edge>,
): Cycle | undefined {
  let reached = new Map<string, Cycle>([[start, { edges: [], cost: 0 }]]);
  for (let length = 1; length <= names.length; length += 1) {
    const next = new Map<string, Cycle>();
    for (const [at, path] of reached)
      for (const to of names) {
        const edge = edges.get(`${at} ${to}`);
        if (edge === undefined) continue;
        const longer = { edges: [...path.edges, edge], cost: path.cost + edge.cost };
        const known = next.get(to);
        if (known === undefined || longer.cost < known.cost) next.set(to, longer);
      }
    const closed = next.get(start);
    if (closed !== undefined) return closed;
    reached = next;
  }
  return undefined;
}

function better(a: Cycle, b: Cycle): boolean {
  return a.edges.length !== b.edges.length ? a.edges.length < b.edges.length : a.cost < b.cost;
}

/** The cycle rotated to its least instance. */
function fromFirst(cycle: readonly Edge[]): readonly Edge[] {
  const least = [...cycle].sort((a, b) => (a.from < b.from ? -1 : 1))[0];
  const index = least === undefined ? 0 : cycle.indexOf(least);
  return [...cycle.slice(index), ...cycle.slice(0, index)];
}

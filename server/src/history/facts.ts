// Dependencies of a small history, each with its reason, and the cycles among them that a level forbids.
import type { HistoryLevel } from "./levels";

export type FactType = "so" | "rt" | "wr" | "ww" | "rw";

/** A dependency between transactions, by resolved numbers of the part. */
export interface Fact {
  readonly type: FactType;
  /** The key of wr, ww and rw; -1 for so and rt. */
  readonly key: number;
  readonly from: number;
  readonly to: number;
  /** For wr and rw the read (an operation of the part), for ww the read of the list that shows it. */
  readonly read?: number;
  readonly reason: FactReason;
}

export type FactReason =
  /** Recorded: session, time, a read, a list. */
  | { readonly kind: "recorded" }
  /** rw: the initial version was read. */
  | { readonly kind: "initial" }
  /** ww: assumed for the sake of a contradiction. */
  | { readonly kind: "supposed" }
  /** rw: the version that was read precedes the other one. */
  | { readonly kind: "overwritten"; readonly order: Fact }
  /** ww: the opposite order would close this cycle, which this level (and stronger ones) forbids. */
  | { readonly kind: "excluded"; readonly level: HistoryLevel; readonly cycle: readonly Fact[] };

const COST: Readonly<Record<FactType, number>> = { so: 1.05, wr: 1, rt: 1.1, ww: 1.5, rw: 50 };

/**
 * The cheapest forbidden cycle through a fact: few anti-dependencies first, then few edges. All levels forbid cycles without
 * anti-dependencies. Read committed, read atomic, causal and parallel snapshot isolation forbid one anti-dependency back to something that
 * the reader saw: by an earlier read, directly, by reads and sessions, and by any dependencies, respectively. Snapshot isolation forbids
 * cycles without two adjacent anti-dependencies, serializability all.
 */
export function forbiddenCycle(
  level: HistoryLevel,
  facts: readonly Fact[],
  through: Fact,
): readonly Fact[] | undefined {
  const candidates: (readonly Fact[])[] = [];
  const offer = (path: readonly Fact[] | undefined) => {
    if (path !== undefined) candidates.push([through, ...path]);
  };
  const isAnti = through.type === "rw";
  const { from: goal, to: start } = through;
  if (!isAnti) offer(path(facts, start, goal, { anti: 0, admits: () => true }));
  switch (level) {
    case "read-committed":
    case "read-atomic":
      for (const anti of isAnti ? [through] : facts.filter((each) => each.type === "rw")) {
        for (const seen of isAnti ? facts : [through])
          if (seen.from === anti.to && seen.to === anti.from && isSeen(level, seen, anti))
            candidates.push([seen, anti]);
        if (level === "read-committed" || !(isAnti || isGiven(through))) continue;
        const before = path(facts, anti.to, anti.from, { anti: 0, admits: isGiven });
        if (before !== undefined && (isAnti || before.includes(through)))
          candidates.push([...before, anti]);
      }
      break;
    case "causal":
      if (isAnti)
        offer(path(facts, start, goal, { anti: 0, admits: (fact) => fact.type !== "ww" }));
      else if (through.type !== "ww")
        offer(path(facts, start, goal, { anti: 1, admits: (fact) => fact.type !== "ww" }));
      break;
    case "parallel-snapshot-isolation":
      offer(path(facts, start, goal, { anti: isAnti ? 0 : 1, admits: () => true }));
      break;
    case "snapshot-isolation":
      offer(path(facts, start, goal, { anti: Infinity, apart: isAnti, admits: () => true }));
      break;
    case "serializable":
      offer(path(facts, start, goal, { anti: Infinity, admits: () => true }));
      break;
  }
  return candidates.reduce<readonly Fact[] | undefined>(
    (best, each) => (best === undefined || costOf(each) < costOf(best) ? each : best),
    undefined,
  );
}

/** The extra cost of inferred version orders: recorded dependencies explain more. */
const INFERRED_COST = 30;

export function costOf(cycle: readonly Fact[]): number {
  return cycle.reduce(
    (sum, fact) => sum + (fact.reason.kind === "excluded" ? INFERRED_COST : COST[fact.type]),
    0,
  );
}

/** True if a reader had already seen a transaction by this read when it read a version older than it. */
function isSeen(level: HistoryLevel, seen: Fact, anti: Fact): boolean {
  if (seen.type !== "wr") return false;
  return level === "read-atomic" || (seen.read ?? 0) < (anti.read ?? 0);
}

/** True for orders by session or time, independent of reads. */
function isGiven(fact: Fact): boolean {
  return fact.type === "so" || fact.type === "rt";
}

interface PathOptions {
  /** The maximal number of anti-dependencies on the path. */
  readonly anti: number;
  /** If set, no two anti-dependencies may be adjacent on the cycle; the value says whether the closing fact is one. */
  readonly apart?: boolean;
  readonly admits: (fact: Fact) => boolean;
}

interface Reached {
  readonly node: number;
  readonly cost: number;
  readonly anti: number;
  readonly lastAnti: boolean;
  readonly fact?: Fact;
  readonly before?: Reached;
}

/** Dijkstra over (node, anti-dependencies used up to one, whether the last was one); the histories are small. */
function path(
  facts: readonly Fact[],
  start: number,
  goal: number,
  { anti, apart, admits }: PathOptions,
): readonly Fact[] | undefined {
  const open: Reached[] = [{ node: start, cost: 0, anti: 0, lastAnti: apart ?? false }];
  const done = new Set<string>();
  for (;;) {
    const next = takeCheapest(open);
    if (next === undefined) return undefined;
    if (next.node === goal && next.fact !== undefined && !(apart === true && next.lastAnti))
      return factsTo(next);
    const state = `${next.node} ${Math.min(next.anti, 1)} ${next.lastAnti}`;
    if (done.has(state)) continue;
    done.add(state);
    for (const fact of facts) {
      if (fact.from !== next.node || !admits(fact)) continue;
      const isAnti = fact.type === "rw";
      if (isAnti && (next.anti >= anti || (apart !== undefined && next.lastAnti))) continue;
      open.push({
        node: fact.to,
        cost: next.cost + COST[fact.type],
        anti: next.anti + (isAnti ? 1 : 0),
        lastAnti: isAnti,
        fact,
        before: next,
      });
    }
  }
}

function takeCheapest(open: Reached[]): Reached | undefined {
  let best = 0;
  open.forEach((each, index) => {
    if (each.cost < (open[best]?.cost ?? Infinity)) best = index;
  });
  return open.splice(best, 1)[0];
}

function factsTo(end: Reached): readonly Fact[] {
  const found: Fact[] = [];
  for (let at: Reached | undefined = end; at?.fact !== undefined; at = at.before)
    found.unshift(at.fact);
  return found;
}

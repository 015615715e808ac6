// Derives, for a small history that violates a level, a forbidden cycle with the reason of each dependency: recorded facts, and version
// orders whose opposite is impossible.
import type { Fact } from "./facts";
import { costOf, forbiddenCycle } from "./facts";
import { HISTORY_LEVELS, type HistoryLevel } from "./levels";
import type { Poll } from "./limits";
import type { Resolved } from "./readResolution";

/** The cheapest forbidden cycle, or undefined if the level is not violated. For histories of some dozen transactions. */
export function deriveCycle(
  resolved: Resolved,
  level: HistoryLevel,
  strict: boolean,
  poll: Poll,
): readonly Fact[] | undefined {
  const versions = versionsOf(resolved);
  return saturate(versions, level, recordedFacts(resolved, versions, strict), poll);
}

interface Versions {
  /** The writers of each key. */
  readonly writers: ReadonlyMap<number, readonly number[]>;
  readonly reads: readonly ReadFact[];
}

interface ReadFact {
  readonly by: number;
  readonly key: number;
  readonly from: number;
  readonly operation: number;
}

/** Adds consequences until a forbidden cycle appears; returns the cheapest one. */
function saturate(
  versions: Versions,
  level: HistoryLevel,
  given: readonly Fact[],
  poll: Poll,
): readonly Fact[] | undefined {
  const facts: Fact[] = [];
  const ordered = new Set<string>();
  let broken = false;
  const learn = (fact: Fact) => {
    facts.push(fact);
    broken ||= forbiddenCycle(level, facts, fact) !== undefined;
    if (fact.type !== "ww") return;
    ordered.add(orderName(fact.key, fact.from, fact.to));
    for (const anti of antiFacts(versions, fact)) {
      if (isKnown(facts, anti)) continue;
      facts.push(anti);
      broken ||= forbiddenCycle(level, facts, anti) !== undefined;
    }
  };
  for (const fact of given) if (!isKnown(facts, fact)) learn(fact);
  while (!broken) {
    poll();
    const next = nextOrder(versions, level, facts, ordered);
    if (next === undefined) break;
    learn(next);
  }
  if (broken) return cheapest(level, facts);
  return bySupposing(versions, level, facts, ordered, poll);
}

/** A version order that follows: at the weakest level that requires it, so that names and reasons are as strong as possible. */
function nextOrder(
  versions: Versions,
  level: HistoryLevel,
  facts: readonly Fact[],
  ordered: ReadonlySet<string>,
): Fact | undefined {
  const open = openPairs(versions, ordered);
  for (const stage of HISTORY_LEVELS.slice(0, HISTORY_LEVELS.indexOf(level) + 1))
    for (const [key, one, other] of open)
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        const cycle = refutation(versions, stage, facts, { key, before: to, after: from });
        if (cycle !== undefined)
          return { type: "ww", key, from, to, reason: { kind: "excluded", level: stage, cycle } };
      }
  return undefined;
}

/** If nothing follows directly: assumes an order and derives a contradiction, which proves the opposite. */
function bySupposing(
  versions: Versions,
  level: HistoryLevel,
  facts: readonly Fact[],
  ordered: ReadonlySet<string>,
  poll: Poll,
): readonly Fact[] | undefined {
  for (const [key, one, other] of openPairs(versions, ordered)) {
    const supposed: Fact = {
      type: "ww",
      key,
      from: other,
      to: one,
      reason: { kind: "supposed" },
    };
    const cycle = saturate(versions, level, [...facts, supposed], poll);
    if (cycle === undefined) continue;
    const learnt: Fact = {
      type: "ww",
      key,
      from: one,
      to: other,
      reason: { kind: "excluded", level, cycle },
    };
    return saturate(versions, level, [...facts, learnt], poll);
  }
  return undefined;
}

function cheapest(level: HistoryLevel, facts: readonly Fact[]): readonly Fact[] | undefined {
  let best: readonly Fact[] | undefined;
  for (const fact of facts) {
    const cycle = forbiddenCycle(level, facts, fact);
    if (cycle !== undefined && (best === undefined || costOf(cycle) < costOf(best))) best = cycle;
  }
  return best;
}

interface SupposedOrder {
  readonly key: number;
  readonly before: number;
  readonly after: number;
}

/** The cycle that a version order would close, directly or through a reader of the earlier version. */
function refutation(
  versions: Versions,
  level: HistoryLevel,
  facts: readonly Fact[],
  { key, before, after }: SupposedOrder,
): readonly Fact[] | undefined {
  const supposed: Fact = { type: "ww", key, from: before, to: after, reason: { kind: "supposed" } };
  for (const fact of [supposed, ...antiFacts(versions, supposed)]) {
    const cycle = forbiddenCycle(level, [...facts, fact], fact);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** The anti-dependencies from readers of the earlier version to the writer of the later one. */
function antiFacts(versions: Versions, order: Fact): readonly Fact[] {
  return versions.reads
    .filter((read) => read.key === order.key && read.from === order.from && read.by !== order.to)
    .map((read) => ({
      type: "rw",
      key: order.key,
      from: read.by,
      to: order.to,
      read: read.operation,
      reason: { kind: "overwritten", order },
    }));
}

function isKnown(facts: readonly Fact[], { type, key, from, to, read }: Fact): boolean {
  return facts.some(
    (each) =>
      each.type === type &&
      each.from === from &&
      each.to === to &&
      each.key === key &&
      each.read === read,
  );
}

function orderName(key: number, before: number, after: number): string {
  return `${key} ${before} ${after}`;
}

function openPairs(
  versions: Versions,
  ordered: ReadonlySet<string>,
): readonly (readonly [key: number, one: number, other: number])[] {
  return [...versions.writers].flatMap(([key, writers]) =>
    writers.flatMap((one, index) =>
      writers
        .slice(index + 1)
        .filter(
          (other) =>
            !ordered.has(orderName(key, one, other)) && !ordered.has(orderName(key, other, one)),
        )
        .map((other) => [key, one, other] as const),
    ),
  );
}

function versionsOf(resolved: Resolved): Versions {
  const { count, readFrom, readKey, readWriter, readOperation, writeFrom, writeKey } = resolved;
  const writers = new Map<number, number[]>();
  const reads: ReadFact[] = [];
  for (let t = 1; t < count; t++) {
    for (let at = writeFrom[t] ?? 0; at < (writeFrom[t + 1] ?? 0); at++) {
      const key = writeKey[at] ?? 0;
      writers.set(key, [...(writers.get(key) ?? []), t]);
    }
    for (let at = readFrom[t] ?? 0; at < (readFrom[t + 1] ?? 0); at++)
      reads.push({
        by: t,
        key: readKey[at] ?? 0,
        from: readWriter[at] ?? 0,
        operation: readOperation[at] ?? 0,
      });
  }
  return { writers, reads };
}

function recordedFacts(resolved: Resolved, versions: Versions, strict: boolean): readonly Fact[] {
  const { count, sessionOf, original, history } = resolved;
  const facts: Fact[] = [];
  const recorded = { kind: "recorded" } as const;
  for (let one = 1; one < count; one++)
    for (let other = 1; other < count; other++) {
      if (one === other) continue;
      if (sessionOf[one] === sessionOf[other]) {
        if (one < other)
          facts.push({ type: "so", key: -1, from: one, to: other, reason: recorded });
        continue;
      }
      const end = history.end?.[original[one] ?? 0] ?? Number.NaN;
      const begin = history.begin?.[original[other] ?? 0] ?? Number.NaN;
      if (strict && end < begin)
        facts.push({ type: "rt", key: -1, from: one, to: other, reason: recorded });
    }
  for (const { by, key, from, operation } of versions.reads) {
    if (from > 0) {
      facts.push({ type: "wr", key, from, to: by, read: operation, reason: recorded });
      continue;
    }
    for (const writer of versions.writers.get(key) ?? [])
      if (writer !== by)
        facts.push({
          type: "rw",
          key,
          from: by,
          to: writer,
          read: operation,
          reason: { kind: "initial" },
        });
  }
  for (const { key, before, after, operation } of resolved.ordered)
    facts.push({ type: "ww", key, from: before, to: after, read: operation, reason: recorded });
  return facts;
}

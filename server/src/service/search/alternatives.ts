// The other levels of the same product at which an anomaly is allowed: the same transactions are searched again there.
import { LEVELS, comparableLevels } from "../../isolation/levels";
import type { Level } from "../../isolation/levels";
import { distinctLevels } from "../../isolation/mixedLevels";
import type { Anomaly } from "../../protocol/report";
import type { Planner } from "./plan";
import type { TupleFinding } from "./search";
import type { TupleSolver } from "./tupleSolver";
import { gatherTuples } from "./tuples";
import type { Tuple } from "./tuples";

/** An anomaly with the tuple that it came from. */
export interface FoundAnomaly {
  readonly anomaly: Anomaly;
  readonly from: TupleFinding;
}

/**
 * The anomalies with `preventedBy` and `allowedAt`, weak to strong: levels for all of the transactions, so that raising one of them is
 * never taken for a fix. At a paper's level the search has classified already; witnesses of one anomaly are merged. Undecided levels are in
 * neither list.
 */
export async function compareLevels(
  planAt: Planner,
  found: readonly FoundAnomaly[],
  solve: TupleSolver,
  signal: AbortSignal,
): Promise<readonly Anomaly[]> {
  const verdicts = new Map<string, ReadonlySet<string> | undefined>();
  const tablesAt = async (other: Level, members: readonly number[]) => {
    const key = `${other.name} ${members.join()}`;
    // The time is over: no answer.
    if (!verdicts.has(key) && signal.aborted) return undefined;
    if (!verdicts.has(key)) {
      const tuple = tupleAt(planAt, other, members);
      verdicts.set(key, await anomalousTables(tuple, other, solve, signal));
    }
    return verdicts.get(key);
  };
  const result: Anomaly[] = [];
  for (const each of found) {
    const { levels, members } = each.from;
    const [level] = distinctLevels(levels);
    if (level === undefined || level.family === "paper") {
      result.push(mergedPapers(each, found));
      continue;
    }
    const allowed: string[] = levels.family === "mixed" ? [] : [levels.name];
    const prevented: string[] = [];
    for (const other of comparableLevels(level)) {
      if (other === levels) continue;
      const verdict = await allowedAt(other, members, each.anomaly.tables, tablesAt);
      if (verdict !== undefined) (verdict ? allowed : prevented).push(other.name);
    }
    const decided = { allowedAt: ordered(allowed), preventedBy: ordered(prevented) };
    result.push({ ...each.anomaly, ...decided });
  }
  return result;
}

/** Merges the classifications of all cycles of one anomaly: a level may prevent one cycle and allow another. */
function mergedPapers(each: FoundAnomaly, all: readonly FoundAnomaly[]): Anomaly {
  const same = all.filter((other) => other.anomaly.id === each.anomaly.id);
  const allowed = new Set(same.flatMap((other) => other.anomaly.allowedAt));
  const prevented = each.anomaly.preventedBy.filter((name) => !allowed.has(name));
  return { ...each.anomaly, allowedAt: ordered([...allowed]), preventedBy: ordered(prevented) };
}

/** The tuple of these members as planned at the level; undefined if no cycle is possible. */
function tupleAt(planAt: Planner, level: Level, members: readonly number[]): Tuple | undefined {
  const { units } = planAt(level, members.length, [...new Set(members)]);
  return gatherTuples(units).find((tuple) => tuple.members.join() === members.join());
}

/**
 * True if these transactions, or some of them, have any anomaly on these tables at the level: replacing one kind by another is no
 * prevention. Undefined if undecided.
 */
async function allowedAt(
  level: Level,
  members: readonly number[],
  tables: readonly string[],
  tablesAt: (level: Level, members: readonly number[]) => Promise<ReadonlySet<string> | undefined>,
): Promise<boolean | undefined> {
  let undecided = false;
  for (const some of [members, ...partsOf(members)]) {
    const found = await tablesAt(level, some);
    if (found === undefined) undecided = true;
    else if (tables.some((table) => found.has(table))) return true;
  }
  return undecided ? undefined : false;
}

/** Proper sub-multisets of a tuple with two or more members, each once, small ones first. */
function partsOf(members: readonly number[]): readonly (readonly number[])[] {
  const parts = members.reduce<readonly (readonly number[])[]>(
    (known, member) => [...known, ...known.map((part) => [...part, member])],
    [[]],
  );
  const distinct = new Map(parts.map((part) => [part.join(), part]));
  return [...distinct.values()]
    .filter((part) => part.length > 1 && part.length < members.length)
    .sort((a, b) => a.length - b.length);
}

/** The tables on which a tuple has anomalies at a level; undefined if undecided. */
async function anomalousTables(
  tuple: Tuple | undefined,
  level: Level,
  solve: TupleSolver,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  if (!tuple) return new Set();
  const answer = await solve(tuple, level, signal);
  if (answer.kind !== "solved") return undefined;
  const findings = answer.results.flatMap((result) => result.findings);
  const tables = new Set(findings.flatMap((finding) => finding.tables));
  const open = answer.results.some((result) => result.undecided.length > 0);
  return open && tables.size === 0 ? undefined : tables;
}

/** Level names in order; user-defined levels come last, in their own order. */
function ordered(names: readonly string[]): readonly string[] {
  const known: readonly string[] = LEVELS.map((level) => level.name);
  return [
    ...known.filter((name) => names.includes(name)),
    ...names.filter((name) => !known.includes(name)),
  ];
}

// At which other levels of the same product an anomaly is allowed: the same transactions, asked again there.
import { explain } from "../analysis/explain/explain";
import { LEVELS, comparableLevels } from "../isolation/levels";
import type { Level } from "../isolation/levels";
import type { Program } from "../program/program";
import type { Anomaly } from "../protocol/report";
import type { Planner } from "./plan";
import type { TupleFinding } from "./search";
import type { TupleSolver } from "./tupleSolver";
import { gatherTuples } from "./tuples";
import type { Tuple } from "./tuples";

/** An anomaly and where it came from. */
export interface FoundAnomaly {
  readonly anomaly: Anomaly;
  readonly from: TupleFinding;
}

/**
 * The anomalies with `preventedBy` and `allowedAt` filled, from weak to strong. At a paper's level the search
 * classified already; witnesses of one anomaly are merged. Levels that could not be decided stand in neither list.
 */
export async function compareLevels(
  program: Program,
  planAt: Planner,
  found: readonly FoundAnomaly[],
  solve: TupleSolver,
  signal: AbortSignal,
): Promise<readonly Anomaly[]> {
  const plans = new Map<string, ReadonlyMap<string, Tuple>>();
  const verdicts = new Map<string, ReadonlySet<string> | undefined>();
  const result: Anomaly[] = [];
  for (const each of found) {
    const { level, members } = each.from;
    if (level.family === "paper") {
      result.push(mergedPapers(each, found));
      continue;
    }
    const allowed = [level.name as string];
    const prevented: string[] = [];
    for (const other of comparableLevels(level)) {
      if (other === level) continue;
      const key = `${other.name} ${members.join()}`;
      if (!verdicts.has(key)) {
        const tuple = tupleAt(plans, planAt, other, members);
        verdicts.set(key, await shapesAt(program, other, tuple, solve, signal));
      }
      const shapes = verdicts.get(key);
      if (shapes) (shapes.has(shapeOf(each.anomaly)) ? allowed : prevented).push(other.name);
    }
    const decided = { allowedAt: ordered(allowed), preventedBy: ordered(prevented) };
    result.push({ ...each.anomaly, ...decided });
  }
  return result;
}

/** A cycle may be stopped where another of the same anomaly is not. */
function mergedPapers(each: FoundAnomaly, all: readonly FoundAnomaly[]): Anomaly {
  const same = all.filter((other) => other.anomaly.id === each.anomaly.id);
  const allowed = new Set(same.flatMap((other) => other.anomaly.allowedAt));
  const prevented = each.anomaly.preventedBy.filter((name) => !allowed.has(name));
  return { ...each.anomaly, allowedAt: ordered([...allowed]), preventedBy: ordered(prevented) };
}

function tupleAt(
  plans: Map<string, ReadonlyMap<string, Tuple>>,
  planAt: Planner,
  level: Level,
  members: readonly number[],
): Tuple | undefined {
  const key = `${level.name} ${String(members.length)}`;
  let plan = plans.get(key);
  if (!plan) {
    const { units } = planAt(level, members.length);
    plan = new Map(gatherTuples(units).map((tuple) => [tuple.members.join(), tuple]));
    plans.set(key, plan);
  }
  return plan.get(members.join());
}

/** The shapes of the anomalies of a tuple at a level; undefined when it could not be decided. */
async function shapesAt(
  program: Program,
  level: Level,
  tuple: Tuple | undefined,
  solve: TupleSolver,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  if (!tuple) return new Set();
  const answer = await solve(tuple, level, signal);
  if (answer.kind !== "solved") return undefined;
  if (answer.results.some((result) => result.undecided.length > 0)) return undefined;
  const findings = answer.results.flatMap((result) => result.findings);
  return new Set(findings.map((finding) => shapeOf(explain(program, level, finding))));
}

function shapeOf(anomaly: Anomaly): string {
  return [anomaly.kind, ...anomaly.tables].join(" ");
}

function ordered(names: readonly string[]): readonly string[] {
  return LEVELS.map((level) => level.name as string).filter((name) => names.includes(name));
}

// Alternative interleavings for a plan whose schedule does not come about: statements between two commits may have to interleave
// differently, because a search that waits for one row has passed others before. All interleavings are tried.
import { productLevelAt } from "../../../isolation/mixedLevels";
import type { Levels } from "../../../isolation/mixedLevels";
import type { Program } from "../../../program/program";
import { enumerateProduct } from "../../../store/enumerate";
import type { Enumeration } from "../../../store/enumerate";
import type { Confirmation, WitnessPlan } from "../../../store/execution";
import type { LevelOf } from "../../../store/server";
import { toExecution } from "../../../store/toExecution";

/** Limits of runs, and of different outcomes that are judged. */
const MOST = { runs: 600, outcomes: 20 };

/** Judgements of other interleavings of the plan's instances, one per outcome, until one reaches the wanted severity. */
export function retryPlan(
  program: Program,
  levels: Levels,
  plan: WitnessPlan,
  judge: (plan: WitnessPlan) => Confirmation,
  isEnough: (confirmation: Confirmation) => boolean,
): readonly Confirmation[] {
  const tried = new Set<string>();
  const judged: Confirmation[] = [];
  const { runs, schedules } = interleavings(program, levels, plan);
  for (const [at, run] of runs.entries()) {
    if (tried.size >= MOST.outcomes) break;
    const { outcome, observed } = toExecution(run);
    const text = JSON.stringify([outcome, observed]);
    if (tried.has(text)) continue;
    tried.add(text);
    const confirmation = judge({ ...plan, schedule: schedules[at] ?? [] });
    judged.push(confirmation);
    if (isEnough(confirmation)) break;
  }
  return judged;
}

function interleavings(
  program: Program,
  levels: Levels,
  plan: WitnessPlan,
): Pick<Enumeration, "runs" | "schedules"> {
  const transactions = new Map(plan.instances.map((each) => [each.instance, each.transaction]));
  const levelOf: LevelOf = (instance, declared) =>
    productLevelAt(levels, transactions.get(instance) ?? "", declared);
  return enumerateProduct(program, plan, levelOf, MOST.runs);
}

// The checker: the levels that a recorded history satisfies. All levels share the resolved reads. Each level implies the weaker ones, so
// one verdict often settles others.
import type { HistoryVerdict } from "../protocol/history";
import type { Arrangement } from "./arrange";
import { arrange } from "./arrange";
import { blameConflicts, blameCycle } from "./blame";
import type { History } from "./history";
import type { HistoryLevel } from "./levels";
import { HISTORY_LEVELS } from "./levels";
import type { Limits, Poll, StopReason } from "./limits";
import { OutOfLimits, pollFor } from "./limits";
import type { Mode } from "./prune";
import { prune } from "./prune";
import { resolve } from "./resolve";
import type { Resolved } from "./readResolution";
import { search } from "./search";
import type { Suspects, WeakBase } from "./weak";
import { checkCausal, checkReadAtomic, checkReadCommitted, weakBase } from "./weak";

export { HISTORY_LEVELS } from "./levels";
export type { HistoryLevel } from "./levels";

export interface CheckOptions extends Limits {
  /** All levels if absent. */
  readonly levels?: readonly HistoryLevel[];
  /** True to check recorded real-time order as well: a transaction that ended before another began precedes it. */
  readonly strict?: boolean;
  /** Called before each level. */
  readonly progress?: (level: HistoryLevel, share: number) => void;
}

export interface CheckResult {
  /** The requested levels, weakest first. */
  readonly verdicts: ReadonlyMap<HistoryLevel, HistoryVerdict>;
  readonly resolved: Resolved;
  /** The reason why a verdict is unknown. */
  readonly unknown?: StopReason | "ambiguous" | "times";
  /** The weakest violated level among the requested ones, and transactions that are likely to violate it alone. */
  readonly violated?: { readonly level: HistoryLevel; readonly blamed: readonly number[] };
}

/**
 * Checks a history. Never throws for its content. A level is `unknown` if it ran into a limit, or if it only holds when ambiguous reads (of
 * values written twice) or contradictory times are left out.
 */
export function checkHistory(history: History, options: CheckOptions = {}): CheckResult {
  const asked = HISTORY_LEVELS.filter((level) => options.levels?.includes(level) ?? true);
  const resolved = resolve(history);
  const known = new Map<HistoryLevel, HistoryVerdict>();
  if (resolved.violations.length > 0)
    return { verdicts: new Map(asked.map((level) => [level, "violated"])), resolved };

  const run = levelRunner(resolved, options);
  let unknown: CheckResult["unknown"];
  let violated: CheckResult["violated"];
  const order = sequence(asked);
  order.forEach((level, index) => {
    if (known.has(level)) return;
    options.progress?.(level, index / order.length);
    const outcome = run(level);
    if (typeof outcome === "string") {
      known.set(level, "unknown");
      unknown ??= outcome;
      return;
    }
    const at = HISTORY_LEVELS.indexOf(level);
    if (outcome === undefined) {
      for (const weaker of HISTORY_LEVELS.slice(0, at + 1)) known.set(weaker, "ok");
      return;
    }
    for (const stronger of HISTORY_LEVELS.slice(at)) known.set(stronger, "violated");
    const blamed = outcome.map((t) => resolvedTransaction(t));
    if (violated === undefined || at < HISTORY_LEVELS.indexOf(violated.level))
      violated = { level, blamed };
  });
  const doubt = doubtOf(resolved, options.strict ?? false);
  const verdicts = new Map<HistoryLevel, HistoryVerdict>();
  for (const level of asked) {
    const verdict = known.get(level) ?? "unknown";
    if (verdict === "ok") unknown ??= doubt;
    verdicts.set(level, verdict === "ok" && doubt !== undefined ? "unknown" : verdict);
  }
  return {
    verdicts,
    resolved,
    ...(unknown !== undefined && { unknown }),
    ...(violated !== undefined && { violated }),
  };

  function resolvedTransaction(transaction: number): number {
    return run.original[transaction] ?? -1;
  }
}

/** The reason why a level that holds for the usable part of the recording might not hold for all of it. */
function doubtOf(resolved: Resolved, strict: boolean): "ambiguous" | "times" | undefined {
  if (resolved.ambiguousReads > 0) return "ambiguous";
  return strict && resolved.history.unusedTimes > 0 ? "times" : undefined;
}

/**
 * The order of checking: the quick levels upwards, so that something is known soon; then downwards, where a level that holds settles the
 * weaker ones. Parallel snapshot isolation checks snapshot isolation first, which is quicker and usually holds.
 */
function sequence(asked: readonly HistoryLevel[]): readonly HistoryLevel[] {
  const weak = asked.filter((level) => HISTORY_LEVELS.indexOf(level) < 3);
  const strong: readonly HistoryLevel[] = [
    "serializable",
    "snapshot-isolation",
    "parallel-snapshot-isolation",
  ];
  const needed = strong.filter(
    (level) =>
      asked.includes(level) ||
      (level === "snapshot-isolation" && asked.includes("parallel-snapshot-isolation")),
  );
  return [...weak, ...needed];
}

type Outcome = Suspects | StopReason;

interface LevelRunner {
  (level: HistoryLevel): Outcome;
  /** Maps the runner's transaction numbers to the history's. */
  readonly original: Int32Array;
}

function levelRunner(resolved: Resolved, options: CheckOptions): LevelRunner {
  const poll = pollFor(options);
  const arranged = arrange(resolved, options.strict ?? false);
  let base: WeakBase | undefined;
  const run = (level: HistoryLevel): Outcome => {
    try {
      poll();
      switch (level) {
        case "read-committed":
          return checkReadCommitted((base ??= weakBase(arranged)), poll);
        case "read-atomic":
          return checkReadAtomic((base ??= weakBase(arranged)), poll);
        case "causal":
          return checkCausal((base ??= weakBase(arranged)), poll);
        case "parallel-snapshot-isolation":
          return checkStrong(arranged, "parallel", options, poll);
        case "snapshot-isolation":
          base = undefined;
          return checkStrong(arranged, "snapshot", options, poll);
        case "serializable":
          base = undefined;
          return checkStrong(arranged, "serializable", options, poll);
      }
    } catch (problem) {
      if (problem instanceof OutOfLimits) return problem.reason;
      // Allocation of typed arrays beyond the machine's memory.
      if (problem instanceof RangeError) return "memory";
      throw problem;
    }
  };
  return Object.assign(run, { original: arranged.original });
}

function checkStrong(arranged: Arrangement, mode: Mode, limits: Limits, poll: Poll): Suspects {
  const pruning = prune(arranged, mode, limits, poll);
  if (pruning.cycle !== undefined) return blameCycle(pruning, pruning.cycle);
  const { conflicts } = search(pruning, limits, poll);
  return conflicts && blameConflicts(pruning, conflicts);
}

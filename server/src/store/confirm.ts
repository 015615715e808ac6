// The judge of every witness: runs it, runs every serial order of the same instances, and compares.
import type { Level } from "../isolation/levels";
import type { Program } from "../program/program";
import type { Severity } from "../protocol/report";
import type { SerialOutcome, Witness } from "../protocol/witness";
import { cycleThrough } from "./cycle";
import type { Confirmation, Execution, WitnessPlan } from "./execution";
import { NotExecutable } from "./failure";
import { freshValues, type FreshValues } from "./freshValues";
import { permutations } from "./permutations";
import { observedOf, outcomeOf, toExecution, type Run } from "./record";
import { runInOrder, runPlan } from "./run";

/**
 * Judges a plan: confirmed when it runs at the level, its dependencies form a cycle, and something differs from every
 * serial order. Never throws for a plan that does not fit: that is a reason. Takes n! serial runs, n at most 4.
 */
export function confirm(program: Program, level: Level, plan: WitnessPlan): Confirmation {
  try {
    const fresh = freshValues(plan);
    return judge(program, plan, runPlan(program, level, plan, fresh), fresh);
  } catch (problem) {
    if (!(problem instanceof NotExecutable)) throw problem;
    return unconfirmed(plan, `cannot be executed: ${problem.message}`);
  }
}

function judge(program: Program, plan: WitnessPlan, run: Run, fresh: FreshValues): Confirmation {
  const execution = toExecution(run);
  const orders = permutations(plan.instances.map((instance) => instance.instance));
  const serialRuns = orders.map((order) => runInOrder(program, plan, order, fresh));
  const serial = serialRuns.map((each, index): SerialOutcome => ({
    order: orders[index] ?? [],
    outcome: outcomeOf(each),
  }));
  const severity = severityOf(run, serialRuns);
  const cycle = cycleThrough(
    execution.dependencies,
    (step) => execution.steps[step]?.instance ?? "",
  );
  const witness = witnessOf(plan, execution);
  const base = { cycle, execution, serial, witness };
  if (severity === undefined)
    return {
      ...base,
      status: "unconfirmed",
      reason: "one after the other the transactions give the same",
    };
  if (cycle.length === 0)
    return { ...base, status: "unconfirmed", severity, reason: "its dependencies form no cycle" };
  return { ...base, status: "confirmed", severity };
}

/** What differs from every serial order; undefined when one order agrees in all respects. */
function severityOf(run: Run, serial: readonly Run[]): Severity | undefined {
  const differs = (view: (each: Run) => string): boolean => {
    const own = view(run);
    return serial.every((each) => view(each) !== own);
  };
  if (differs(finalText)) return "state";
  if (differs(valueText)) return "value";
  return differs((each) => `${valueText(each)} ${JSON.stringify(observedOf(each))}`)
    ? "unused"
    : undefined;
}

function finalText(run: Run): string {
  const { final } = outcomeOf(run);
  const tables = Object.entries(final).filter(([, rows]) => rows.length > 0);
  return JSON.stringify(
    tables.map(([table, rows]) => [
      table,
      rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort(),
    ]),
  );
}

function valueText(run: Run): string {
  const { status, returned } = outcomeOf(run);
  return JSON.stringify([finalText(run), status, returned]);
}

/** The plan as it really went: what each step saw, and its outcome. */
function witnessOf(plan: WitnessPlan, execution: Execution): Witness {
  return {
    instances: plan.instances,
    initial: plan.initial,
    schedule: execution.steps.map((step) => ({
      instance: step.instance,
      statement: typeof step.statement === "number" ? step.statement : "commit",
      sees: step.sees,
    })),
    outcome: execution.outcome,
  };
}

function unconfirmed(plan: WitnessPlan, reason: string): Confirmation {
  return {
    status: "unconfirmed",
    reason,
    cycle: [],
    serial: [],
    witness: { ...plan, outcome: { final: {}, status: {}, returned: {} } },
  };
}

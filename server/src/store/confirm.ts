// The judge of every witness: runs it, runs every serial order of its instances, and compares.
import type { Levels } from "../isolation/mixedLevels";
import type { Program } from "../program/program";
import { ownEntry } from "../protocol/dictionary";
import type { Severity } from "../protocol/report";
import type { ScheduleStep, SerialOutcome, Witness } from "../protocol/witness";
import { cycleThrough, cycleThroughAll } from "./cycle";
import { dirtyReadObjection } from "./dirtyReads";
import type { Confirmation, ExecutedDependency, Execution, WitnessPlan } from "./execution";
import { NotExecutable } from "./failure";
import { freshValues, type FreshValues } from "./freshValues";
import { COMMITTED, type Run } from "./runRecord";
import { lossBefore } from "./losses";
import { outsideAnswers, type OutsideAnswers } from "./outsideAnswers";
import { historyObjection } from "./recordedHistory";
import { observedOf, outcomeOf, receivedOf, toExecution } from "./toExecution";
import { runEveryOrder, runPlan } from "./run";
import { mayRefuse } from "./serializable";
import { rowCountObjection } from "./rowCountObjection";

/**
 * Judges a plan. It is confirmed if it runs at the levels, differs from every serial order, and has a cycle of dependencies or a dirty
 * read. Never throws for an unsuitable plan: that is a reason. Takes n! serial runs, n at most 4.
 */
export function confirm(program: Program, levels: Levels, plan: WitnessPlan): Confirmation {
  let best: Confirmation | undefined;
  for (const more of grantedLocks(program, plan)) {
    const judged = confirmPlan(program, levels, more);
    if (judged.status === "confirmed" && judged.severity === "state") return judged;
    if (best?.status !== "confirmed") best = judged;
  }
  // The plan itself is the last one.
  return best ?? confirmPlan(program, levels, plan);
}

/** Requests for locks of which each set is tried; of more, all at once. */
const MOST_REQUESTS = 4;

/**
 * The plan, and before it those with locks granted that it has refused, most grants first: a lock that is refused has to be held
 * by another instance, which the search does not ask for.
 */
function grantedLocks(program: Program, plan: WitnessPlan): readonly WitnessPlan[] {
  const refused = plan.instances.flatMap(({ instance, transaction, arguments: given }) => {
    const own = program.transactions.find(({ id }) => id === transaction);
    return (own?.parameters ?? []).flatMap(({ name, isGrant }) =>
      isGrant && ownEntry(given, name) === false ? [{ instance, name }] : [],
    );
  });
  const sets =
    refused.length > MOST_REQUESTS
      ? [refused, []]
      : refused
          .reduce<readonly (typeof refused)[]>(
            (all, each) => all.flatMap((set) => [set, [...set, each]]),
            [[]],
          )
          .toSorted((a, b) => b.length - a.length);
  return sets.map((set) => ({
    ...plan,
    instances: plan.instances.map((each) => {
      const own = set.filter(({ instance }) => instance === each.instance);
      const granted = Object.fromEntries(own.map(({ name }) => [name, true]));
      return { ...each, arguments: { ...each.arguments, ...granted } };
    }),
  }));
}

function confirmPlan(program: Program, levels: Levels, plan: WitnessPlan): Confirmation {
  const answers = outsideAnswers();
  let first: Confirmation | undefined;
  do {
    const judged = confirmWith(program, levels, plan, answers);
    if (judged.status === "confirmed") return judged;
    first ??= judged;
  } while (answers.next());
  return first;
}

/** As `confirm`, with these answers to questions outside of the database. */
function confirmWith(
  program: Program,
  levels: Levels,
  plan: WitnessPlan,
  answers: OutsideAnswers,
): Confirmation {
  try {
    const fresh = freshValues(plan, answers.answer);
    const run = runPlan(program, levels, plan, fresh);
    answers.close();
    const judged = secondOpinion(levels, judge(program, plan, run, fresh));
    const given = answers.given();
    const isAnswered = Object.keys(given).length > 0;
    return isAnswered ? { ...judged, witness: { ...judged.witness, answers: given } } : judged;
  } catch (problem) {
    if (!(problem instanceof NotExecutable)) throw problem;
    return {
      ...unconfirmed(plan, `cannot be executed: ${problem.message}`),
      ...(problem.place && { obstacle: problem.place }),
    };
  }
}

/** The history checker must find a confirmed execution possible too, at the levels that it knows, and confirm a dirty read. */
function secondOpinion(levels: Levels, judged: Confirmation): Confirmation {
  if (judged.status !== "confirmed" || judged.execution === undefined) return judged;
  const { execution, dirtyRead } = judged;
  const objection = dirtyRead
    ? dirtyReadObjection(execution, dirtyRead)
    : historyObjection(levels, execution);
  return objection === undefined ? judged : { ...judged, status: "unconfirmed", reason: objection };
}

function judge(program: Program, plan: WitnessPlan, run: Run, fresh: FreshValues): Confirmation {
  const execution = toExecution(run);
  const names = plan.instances.map((instance) => instance.instance);
  const committed = names.filter((name) => ownEntry(run.status, name) === COMMITTED);
  const serialRuns = runEveryOrder(program, plan, names, fresh);
  // A transaction that rolled back did not happen: serial orders without it count as well.
  const among =
    committed.length < names.length ? runEveryOrder(program, plan, committed, fresh) : [];
  // A serial run that passes by nothing is an order as well.
  const skipless =
    fresh.skipped.size > 0
      ? runEveryOrder(program, plan, names, { ...fresh, skipped: new Set() })
      : [];
  const references = [...serialRuns, ...among, ...skipless].map((each) => each.run);
  const severity = severityOf(run, references, committed);
  const base = {
    cycle: cycleOf(execution, plan),
    execution,
    serial: serialRuns.map((each): SerialOutcome => ({
      order: each.order,
      outcome: outcomeOf(each.run),
    })),
    agreeing: agreeingOrders(run, serialRuns, committed),
    ...decidingReads(run, serialRuns, committed),
    witness: witnessOf(plan, execution),
  };
  if (severity === undefined)
    return {
      ...base,
      status: "unconfirmed",
      reason: SAME_IN_ORDER,
    };
  const views = [run, ...references].map((each) => viewsOf(each, committed));
  const decided = views.map(({ state, values }) => (severity === "state" ? state : values)).join();
  const unsure = [...fresh.ofRows].find((text) => unquoted(decided).includes(unquoted(text)));
  if (severity !== "unused" && unsure !== undefined)
    return { ...base, status: "unconfirmed", severity, reason: `its outcome rests on ${unsure}` };
  if (mayRefuse(run)) return { ...base, status: "unconfirmed", severity, reason: MAY_REFUSE };
  const [dirtyRead] = base.cycle.length > 0 ? [] : (execution.dirtyReads ?? []);
  const evidence = dirtyRead
    ? [dirtyRead]
    : base.cycle.flatMap((each) => execution.dependencies[each] ?? []);
  if (evidence.length === 0)
    return { ...base, status: "unconfirmed", severity, reason: "its dependencies form no cycle" };
  const loss = lossOf(program, plan, execution, evidence);
  if (loss !== undefined)
    return {
      ...base,
      status: "unconfirmed",
      severity,
      reason: `not all of it is understood: ${loss}`,
    };
  const unseen = rowCountObjection(execution);
  if (unseen !== undefined) return { ...base, status: "unconfirmed", severity, reason: unseen };
  return { ...base, status: "confirmed", severity, ...(dirtyRead && { dirtyRead }) };
}

/** The part of a transaction that is not understood and that the evidence may rest on, as its reason. */
function lossOf(
  program: Program,
  plan: WitnessPlan,
  { steps }: Execution,
  evidence: readonly Pick<ExecutedDependency, "from" | "to">[],
): string | undefined {
  const met = new Set(evidence.flatMap(({ from, to }) => [from, to]));
  for (const { instance, transaction } of plan.instances) {
    const own = steps.flatMap((step, at) => (step.instance === instance ? [{ step, at }] : []));
    const statements = own.flatMap(({ step, at }) =>
      met.has(at) && step.source ? [step.source] : [],
    );
    const ran = own.map(({ step }) => step.source);
    const loss = lossBefore(program, transaction, statements, ran);
    if (loss) return loss.reason;
  }
  return undefined;
}

/** The reason of a proposal that was run and is no anomaly; another run of its transactions may be. */
export const SAME_IN_ORDER = "one after the other the transactions give the same";

const MAY_REFUSE =
  "the server locks pages of an index at this level, and in a table as small as this one it refuses the run (40001)";

/**
 * A shortest cycle: over the plan's tables if there is one of that length; through all instances if the plan requires it; past the reads of
 * earlier causes if there is one.
 */
function cycleOf(execution: Execution, plan: WitnessPlan): readonly number[] {
  const { past = [] } = plan;
  const passes = ({ dependency, from }: ExecutedDependency): boolean =>
    dependency === "rw" && past.includes(execution.steps[from]?.source?.id ?? "");
  const other = past.length > 0 ? cycleAmong(execution, plan, (each) => !passes(each)) : [];
  return other.length > 0 ? other : cycleAmong(execution, plan, () => true);
}

function cycleAmong(
  execution: Execution,
  { tables, instances, throughAll }: WitnessPlan,
  counts: (dependency: ExecutedDependency) => boolean,
): readonly number[] {
  const instanceAt = (step: number): string => execution.steps[step]?.instance ?? "";
  const shortest = cycleThrough(execution.dependencies, instanceAt, counts);
  if (throughAll === true && shortest.length > 0 && shortest.length < instances.length) {
    const names = instances.map((each) => each.instance);
    const longer = cycleThroughAll(execution.dependencies, instanceAt, names, counts);
    if (longer.length > 0) return longer;
  }
  if (tables === undefined) return shortest;
  const wanted = cycleThrough(
    execution.dependencies,
    instanceAt,
    (each) => counts(each) && tables.includes(each.table),
  );
  return wanted.length === shortest.length ? wanted : shortest;
}

/** The difference from every serial order for the committed instances; undefined if one order agrees in all respects. */
function severityOf(
  run: Run,
  serial: readonly Run[],
  committed: readonly string[],
): Severity | undefined {
  const own = viewsOf(run, committed);
  const views = serial.map((each) => viewsOf(each, committed));
  const sameState = views.filter((each) => each.state === own.state);
  if (sameState.length === 0) return "state";
  const sameValues = sameState.filter((each) => each.values === own.values);
  if (sameValues.length === 0) return "value";
  const observed = observedText(run, committed);
  const sameReads = serial.some(
    (each, index) =>
      sameValues.some((view) => view === views[index]) &&
      observedText(each, committed) === observed,
  );
  return sameReads ? undefined : "unused";
}

/** The tables of the last read of each transaction that commits in the run and changes less, or rolls back, in some order. */
function decidingReads(
  run: Run,
  serial: readonly { readonly run: Run }[],
  committed: readonly string[],
): Pick<Confirmation, "deciding"> {
  const changesOf = (some: Run, name: string): number =>
    ownEntry(some.status, name) === COMMITTED
      ? some.steps.filter(({ instance, writes }) => instance === name && writes.length > 0).length
      : 0;
  const tables = serial.flatMap(({ run: order }) =>
    committed
      .filter((name) => changesOf(order, name) < changesOf(run, name))
      .flatMap((name) => {
        const own = order.steps.filter(({ instance }) => instance === name);
        return own.findLast(({ cells }) => cells.length > 0)?.cells.map(({ table }) => table) ?? [];
      }),
  );
  return tables.length > 0 ? { deciding: [...new Set(tables)] } : {};
}

function agreeingOrders(
  run: Run,
  serial: readonly { readonly order: readonly string[]; readonly run: Run }[],
  committed: readonly string[],
): NonNullable<Confirmation["agreeing"]> {
  const own = viewsOf(run, committed);
  const state = serial.filter((each) => viewsOf(each.run, committed).state === own.state);
  const values = state.filter((each) => viewsOf(each.run, committed).values === own.values);
  const observed = observedText(run, committed);
  const reads = values.filter((each) => observedText(each.run, committed) === observed);
  const orders = (runs: typeof serial) => runs.map((each) => each.order);
  return { state: orders(state), values: orders(values), reads: orders(reads) };
}

function unquoted(text: string): string {
  return text.replace(/["\\]/gu, "");
}

interface Views {
  readonly state: string;
  readonly values: string;
}

function viewsOf(run: Run, committed: readonly string[]): Views {
  const { final, status } = outcomeOf(run);
  const received = receivedOf(run);
  const tables = Object.entries(final).filter(([, rows]) => rows.length > 0);
  return {
    state: JSON.stringify(
      tables.map(([table, rows]) => [
        table,
        rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort(),
      ]),
    ),
    values: JSON.stringify(
      committed.map((name) => [ownEntry(status, name), ownEntry(received, name)]),
    ),
  };
}

function observedText(run: Run, committed: readonly string[]): string {
  const observed = observedOf(run);
  return JSON.stringify(committed.map((name) => ownEntry(observed, name)));
}

/** The plan as executed: its steps in the order of their beginnings, what each saw, and the outcome. */
function witnessOf(plan: WitnessPlan, execution: Execution): Witness {
  const named = (steps: readonly ScheduleStep[]): ReadonlyMap<string, ScheduleStep> => {
    const commits = new Map<string, number>();
    // A unit commits several times.
    return new Map(
      steps.map((step) => {
        const nth = (commits.get(step.instance) ?? 0) + (step.statement === "commit" ? 1 : 0);
        commits.set(step.instance, nth);
        const place = step.statement === "commit" ? `commit ${String(nth)}` : step.statement;
        return [`${step.instance} ${place}`, step];
      }),
    );
  };
  const executed = execution.steps.map((step): ScheduleStep => ({
    instance: step.instance,
    statement: typeof step.statement === "number" ? step.statement : "commit",
    sees: step.sees,
  }));
  const byName = named(executed);
  const planned = [...named(plan.schedule).keys()].filter((name) => byName.has(name));
  const begun = new Set(planned);
  const order = [...planned, ...[...byName.keys()].filter((name) => !begun.has(name))];
  return {
    instances: plan.instances,
    initial: plan.initial,
    schedule: order.flatMap((name) => byName.get(name) ?? []),
    outcome: execution.outcome,
  };
}

function unconfirmed(plan: WitnessPlan, reason: string): Confirmation {
  return {
    status: "unconfirmed",
    reason,
    cycle: [],
    serial: [],
    witness: {
      instances: plan.instances,
      initial: plan.initial,
      schedule: plan.schedule,
      outcome: { final: {}, status: {}, returned: {} },
    },
  };
}

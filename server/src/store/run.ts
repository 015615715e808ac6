// Runs of a setup: by a schedule at a level, or serially.
import { PRODUCT_LEVELS, type ProductLevel } from "../isolation/levels";
import { distinctLevels, productLevelAt, type Levels } from "../isolation/mixedLevels";
import type { Program } from "../program/program";
import type { ScheduleStep } from "../protocol/witness";
import type { ExecutionResult, Setup, WitnessPlan } from "./execution";
import { NotExecutable } from "./failure";
import { requireValidArguments, requireValidRows } from "./initialState";
import { initialRows } from "./row";
import { freshValues, type FreshValues } from "./freshValues";
import {
  advance,
  copyServer,
  isBetween,
  nextStatement,
  runOf,
  possibleBegins,
  startServer,
  type Event,
  type LevelOf,
} from "./server";
import { transactionAt, type Run } from "./runRecord";
import { toExecution } from "./toExecution";
import { runRelational } from "./relational";
import { serializationProblem } from "./serializable";
import type { DatabaseState, Server } from "./serverState";

/**
 * Runs a plan at its levels. Instances left unfinished by the schedule end in the order of their last steps. Fails if the levels do not
 * allow the schedule, if the server aborts an instance, or if a statement's effect is unknown.
 */
export function runSchedule(program: Program, levels: Levels, plan: WitnessPlan): ExecutionResult {
  return guarded(() => runPlan(program, levels, plan, freshValues(plan)));
}

/** Runs the instances serially. A failing instance is rolled back and the rest continues. */
export function runSerial(
  program: Program,
  setup: Setup,
  order: readonly string[],
): ExecutionResult {
  return guarded(() => runInOrder(program, setup, order, freshValues(setup)));
}

/** As runSchedule, returning the store's record; throws NotExecutable. */
export function runPlan(
  program: Program,
  levels: Levels,
  plan: WitnessPlan,
  fresh: FreshValues,
): Run {
  requireValidArguments(program, plan.instances);
  requireValidRows(program, initialRows(program.schema, plan.initial));
  if (distinctLevels(levels).some((level) => level.family === "paper"))
    return runRelational(program, levels, plan, fresh);
  const transactions = new Map(plan.instances.map((each) => [each.instance, each.transaction]));
  const levelOf: LevelOf = (instance, declared) =>
    productLevelAt(levels, transactions.get(instance) ?? "", declared);
  return runProduct(program, levelOf, plan, fresh);
}

/** Runs a schedule at product levels, one per instance. Throws NotExecutable. */
export function runProduct(
  program: Program,
  levelOf: LevelOf,
  plan: WitnessPlan,
  fresh: FreshValues = freshValues(plan),
): Run {
  const server = startServer(program, plan, levelOf, fresh);
  let late: readonly ScheduleStep[] = [];
  for (const step of plan.schedule) {
    if (late.some(({ instance }) => instance === step.instance) || awaitsName(server, step))
      late = [...late, step];
    else takeStep(server, step);
    late = takeLate(server, late);
  }
  for (const step of late) takeStep(server, step);
  for (const name of finishingOrder(plan)) finish(server, name);
  const unfinished = [...server.sessions.values()].find((session) => session.ended === undefined);
  if (unfinished !== undefined)
    throw new NotExecutable(`${unfinished.machine.instance} waits without end`);
  checkPredictions(server, plan);
  const run = runOf(server);
  const problem = serializationProblem(run);
  if (problem !== undefined) throw new NotExecutable(problem);
  return run;
}

/** As runSerial, returning the store's record; throws NotExecutable. */
function runInOrder(
  program: Program,
  setup: Setup,
  order: readonly string[],
  fresh: FreshValues,
): Run {
  const server = startServer(program, setup, () => SERIAL_LEVEL, fresh, true);
  for (const name of order) finishAlone(server, name);
  return runOf(server);
}

export interface SerialRun {
  readonly order: readonly string[];
  readonly run: Run;
}

/** Runs the named instances in every serial order, sharing common prefixes; other instances do not run. Throws NotExecutable. */
export function runEveryOrder(
  program: Program,
  setup: Setup,
  names: readonly string[],
  fresh: FreshValues,
): readonly SerialRun[] {
  const runs: SerialRun[] = [];
  const extend = (server: Server, order: readonly string[]): void => {
    const rest = names.filter((name) => !order.includes(name));
    if (rest.length === 0) runs.push({ order, run: runOf(server) });
    for (const name of rest) {
      const next = copyServer(server);
      finishAlone(next, name);
      extend(next, [...order, name]);
    }
  };
  extend(
    startServer(program, setup, () => SERIAL_LEVEL, fresh, true),
    [],
  );
  return runs;
}

const SERIAL_LEVEL: ProductLevel = readCommitted();

function readCommitted(): ProductLevel {
  const [level] = PRODUCT_LEVELS;
  if (level === undefined) throw new Error("there is no product level");
  return level;
}

function guarded(run: () => Run): ExecutionResult {
  try {
    return { ok: true, execution: toExecution(run()) };
  } catch (problem) {
    if (problem instanceof NotExecutable) return { ok: false, reason: problem.message };
    throw problem;
  }
}

/** True if its session waits for a lock that another session may give up before its transaction's end: no plan knows when. */
function awaitsName({ sessions }: Server, { instance }: ScheduleStep): boolean {
  return sessions.get(instance)?.waiting?.wants?.name.startsWith("advisory ") === true;
}

/** Runs the steps of sessions that have got their lock meanwhile, once what they should see is there; returns the others. */
function takeLate(server: Server, late: readonly ScheduleStep[]): readonly ScheduleStep[] {
  const [first, ...others] = late;
  if (first === undefined || server.sessions.get(first.instance)?.waiting) return late;
  if (!first.sees.every((name) => server.newest.instances.includes(name))) return late;
  takeStep(server, first);
  return takeLate(server, others);
}

/**
 * Runs a scheduled step. The schedule gives the order, the program the statements: an instance with fewer statements than planned waits for
 * its commit, one with more (further loop rounds) runs them before it commits.
 */
function takeStep(server: Server, step: ScheduleStep): void {
  const session = server.sessions.get(step.instance);
  if (session === undefined)
    throw new NotExecutable(`the schedule names ${step.instance}, which is no instance`);
  if (session.waiting !== undefined)
    throw new NotExecutable(
      `${step.instance} still waits for ${session.waiting.holders.join(", ")} when it should go on`,
    );
  // The unit's remaining commands are in its next transaction.
  while (step.statement !== "commit" && isBetween(session))
    refuseAborts(advance(server, step.instance));
  const next = nextStatement(session);
  if (next === undefined) return;
  if (step.statement === "commit") finish(server, step.instance, session.machine.ended);
  else if (next !== "end") refuseAborts(advance(server, step.instance, begunAt(server, step)));
}

/** The state at BEGIN that matches the step's visible commits; undefined if the levels take no snapshot there. */
function begunAt(server: Server, step: ScheduleStep): DatabaseState | undefined {
  const begins = possibleBegins(server, step.instance).filter((each) => each !== undefined);
  const seen = [...step.sees].sort().join(", ");
  return begins.find(({ instances }) => [...instances].sort().join(", ") === seen);
}

function refuseAborts(events: readonly Event[]): void {
  for (const event of events)
    if (event.kind === "aborted")
      throw new NotExecutable(`the server aborts ${event.instance}: ${event.why}`);
}

/** Runs an instance to its end; with `part`, to the end of that transaction of a unit. */
function finish(server: Server, name: string, part?: number): void {
  const session = server.sessions.get(name);
  const isThere = (): boolean => part !== undefined && session?.machine.ended !== part;
  while (session !== undefined && session.ended === undefined && session.waiting === undefined) {
    if (isThere()) return;
    refuseAborts(advance(server, name));
  }
}

/** Runs an instance alone, so that it never waits; it may end by a failure. */
function finishAlone(server: Server, name: string): void {
  while (server.sessions.get(name)?.ended === undefined) advance(server, name);
}

function finishingOrder(plan: WitnessPlan): readonly string[] {
  const place = (name: string) => {
    const last = plan.schedule.findLastIndex((step) => step.instance === name);
    return last < 0 ? plan.schedule.length : last;
  };
  const names = plan.instances.map((instance) => instance.instance);
  const ordered = [...names].sort((a, b) => place(a) - place(b));
  // An instance that waited at its turn continues after the others.
  return [...ordered, ...ordered, ...ordered];
}

/**
 * Checks that the schedule's snapshots are the server's. Transactions without writes are invisible: the schedule may commit them later than
 * the server, which commits a single statement at its end.
 */
function checkPredictions(server: Server, plan: WitnessPlan): void {
  const writing = new Set(
    server.steps.filter(({ writes }) => writes.length > 0).map((step) => transactionAt(step)),
  );
  const ofWriters = (names: readonly string[]): string =>
    names
      .filter((name) => writing.has(name))
      .sort()
      .join(", ");
  for (const step of plan.schedule) {
    if (step.statement === "commit") continue;
    const executed = server.steps.find(
      (each) => each.instance === step.instance && each.statement === step.statement,
    );
    if (executed === undefined || executed.current === true) continue;
    const [predicted, seen] = [step.sees, executed.sees].map(ofWriters);
    if (predicted !== seen)
      throw new NotExecutable(
        `statement ${step.statement} of ${step.instance} sees ${namesOrNothing(seen)}, where the plan says ${namesOrNothing(predicted)}`,
      );
  }
}

function namesOrNothing(names = ""): string {
  return names === "" ? "none of the others" : names;
}

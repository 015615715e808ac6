// The driver of the papers' levels. Statements run in arbitration order; each reads, per cell, the last write among the statements that the
// schedule makes visible and those of its own transaction. Locks have no meaning here. The schedule gives order and visibility, the program
// the statements: additional ones (loop rounds) follow the planned ones with the same visibility; planned ones that do not occur are
// skipped.
import type { PaperLevel } from "../isolation/levels";
import type { Levels } from "../isolation/mixedLevels";
import type { Program } from "../program/program";
import type { ScheduleStep } from "../protocol/witness";
import type { Setup, WitnessPlan } from "./execution";
import { runQuery } from "./evaluateQuery";
import { executeStatement } from "./executeStatement";
import { NotExecutable, SqlFailure } from "./failure";
import type { Acting, Tables } from "./frame";
import { freshValues, type FreshValues } from "./freshValues";
import {
  commitsAtOnce,
  continueUnit,
  deliver,
  endsPart,
  environmentOf,
  handleFailure,
  isUnit,
  nextOf,
  partOf,
  placeOf,
  startMachine,
  type Machine,
  type Undo,
} from "./machine";
import { violatedAxiom } from "./axioms";
import { COMMITTED, type Run, type StepRecord } from "./runRecord";
import { readCells, openRecorder } from "./recorder";
import { applyWrite, findTable, initialRows, type TableRows, type Write } from "./row";

/** One instance in the run. */
interface Participant {
  readonly machine: Machine;
  /** The writes of the open transaction. */
  log: readonly Write[];
  /** The writes of a unit's ended transactions. */
  kept: readonly Write[];
  status: string | undefined;
  /** The instances visible to its last planned statement. */
  sees: readonly string[];
  /** Its last statement that the schedule makes visible to others; whoever sees it sees the unplanned ones too. */
  readonly lastSeen: string | undefined;
  /** Unplanned steps. */
  readonly unplanned: Set<number>;
}

/**
 * Runs a plan under a visibility and an arbitration and checks the levels' axioms. Throws NotExecutable with the reason if the schedule
 * does not fit the program or the level.
 */
export function runRelational(
  program: Program,
  levels: Levels,
  plan: WitnessPlan,
  fresh: FreshValues,
): Run {
  const state = openState(program, plan, fresh, plan.schedule);
  for (const step of plan.schedule) {
    const participant = participantOf(state, step.instance);
    if (step.statement === "commit")
      runToEnd(state, participant, () => participant.sees, participant.machine.ended);
    else if (participant.status === undefined) {
      participant.sees = step.sees;
      advance(state, participant, step.statement, step.sees);
    }
  }
  for (const name of lastSteps(plan)) finish(state, participantOf(state, name));
  return accepted(levels, runOf(state));
}

/**
 * Runs whole transactions in an order, where each sees the first `cuts[i]` of those before it. Throws NotExecutable if the level forbids
 * that or a statement fails.
 */
export function runBlocks(
  program: Program,
  level: PaperLevel,
  setup: Setup,
  order: readonly string[],
  cuts: readonly number[],
): Run {
  const state = openState(program, setup, freshValues(setup));
  for (const [index, name] of order.entries()) {
    const seen = new Set(order.slice(0, cuts[index] ?? 0));
    const sees = state.steps
      .filter((step) => typeof step.statement === "number" && seen.has(step.instance))
      .map((step) => `${step.instance}.${step.statement}`);
    runToEnd(state, participantOf(state, name), () => sees);
  }
  return accepted(level, runOf(state));
}

interface State {
  readonly program: Program;
  readonly initial: ReadonlyMap<string, TableRows>;
  readonly participants: readonly Participant[];
  readonly steps: StepRecord[];
}

function openState(
  program: Program,
  setup: Setup,
  fresh: FreshValues,
  schedule: readonly ScheduleStep[] = [],
): State {
  const seen = schedule.flatMap((step) => step.sees);
  return {
    program,
    initial: initialRows(program.schema, setup.initial),
    participants: setup.instances.map((instance) => ({
      machine: startMachine(program, instance, fresh),
      log: [],
      kept: [],
      status: undefined,
      sees: [],
      lastSeen: lastSeen(instance.instance, seen),
      unplanned: new Set(),
    })),
    steps: [],
  };
}

function lastSeen(instance: string, seen: readonly string[]): string | undefined {
  const numbers = seen
    .filter((name) => name.startsWith(`${instance}.`))
    .map((name) => Number(name.slice(instance.length + 1)));
  return numbers.length === 0 ? undefined : `${instance}.${Math.max(...numbers)}`;
}

function participantOf(state: State, name: string): Participant {
  const found = state.participants.find((each) => each.machine.instance === name);
  if (found === undefined)
    throw new NotExecutable(`the schedule names ${name}, which is no instance`);
  return found;
}

/** Instances in the order of their last scheduled step; those without one come last. */
function lastSteps(plan: WitnessPlan): readonly string[] {
  const last = (name: string) => plan.schedule.findLastIndex((step) => step.instance === name);
  const names = plan.instances.map((instance) => instance.instance);
  const place = (name: string) => (last(name) < 0 ? plan.schedule.length : last(name));
  return names.sort((a, b) => place(a) - place(b));
}

function advance(
  state: State,
  participant: Participant,
  expected: number | "commit",
  sees: readonly string[],
): void {
  const { machine } = participant;
  let next = nextOf(machine, undoOf(participant));
  // The unit's remaining commands are in its next transaction.
  while (expected !== "commit" && endsPart(next)) {
    endPart(state, participant, next.kind === "rollback" ? next.why : undefined);
    next = nextOf(machine, undoOf(participant));
  }
  if (next.kind === "failure") throw new NotExecutable(failureText(machine, next.failure));
  if (next.kind !== "statement") {
    const why = next.kind === "commit" ? undefined : next.why;
    return next.goesOn ? endPart(state, participant, why) : end(state, participant, why);
  }
  if (expected === "commit" || expected !== machine.executed + 1)
    throw new NotExecutable(
      `${machine.instance} is at statement ${machine.executed + 1}, the schedule expects ${expected}`,
    );
  const seen = seenNow(state, machine.instance, sees);
  const visible = visibleSteps(state, seen);
  const tables = visibleTables(state, participant, visible);
  const recorder = openRecorder();
  const drawn = { ...machine.drawn };
  const recordOf = (
    did: Pick<StepRecord, "writes" | "rows" | "shown" | "affected" | "why">,
  ): StepRecord => ({
    instance: machine.instance,
    statement: machine.executed + 1,
    ...placeOf(machine),
    ...(commitsAtOnce(machine) && { commits: true }),
    source: next.statement,
    sees: seen,
    cells: readCells(recorder, state.steps.length),
    scans: recorder.scans,
    used: recorder.used,
    saw: (step) => visible.has(step),
    ...did,
  });
  try {
    const result = executeStatement(next.statement, {
      environment: environmentOf(machine, drawn),
      schema: state.program.schema,
      tables,
      runQuery,
      scope: undefined,
      acting: actingOf(tables, state.steps.length),
      recorder,
      once: new Map(),
    });
    const { writes, rows, shown, affected } = result;
    state.steps.push(recordOf({ writes, rows, affected, ...(shown && { shown }) }));
    participant.log = [...participant.log, ...result.writes];
    const isWhole = commitsAtOnce(machine);
    deliver(machine, next.statement, { ...result, drawn });
    if (isWhole) closePart(participant);
  } catch (failure) {
    if (!(failure instanceof SqlFailure)) throw failure;
    const why = `${failure.code} ${failure.message}`;
    const record = recordOf({ writes: [], rows: [], affected: 0, why });
    if (!handleFailure(machine, failure, undoOf(participant)))
      throw new NotExecutable(failureText(machine, failure));
    // The reads of the failed statement decided that the handler runs.
    state.steps.push(record);
    if (record.commits === true) closePart(participant);
  }
}

/**
 * A `sees` list, adjusted: without statements of its own instance and of ended instances that did not run, and with unplanned ones.
 * Visibility is contained in arbitration, so all others must have run.
 */
function seenNow(state: State, instance: string, sees: readonly string[]): readonly string[] {
  const executed = new Set(state.steps.map(stepName));
  const seen = new Set<string>();
  for (const participant of state.participants) {
    const { machine, status, lastSeen: last, unplanned } = participant;
    if (machine.instance === instance) continue;
    for (const name of sees.filter((each) => each.startsWith(`${machine.instance}.`))) {
      if (executed.has(name)) seen.add(name);
      else if (status === undefined)
        throw new NotExecutable(`a statement sees ${name}, which is arbitrated after it`);
    }
    if (last === undefined || !sees.includes(last)) continue;
    for (const step of unplanned) {
      const record = state.steps[step];
      if (record !== undefined) seen.add(stepName(record));
    }
  }
  return [...seen];
}

function visibleSteps(state: State, seen: readonly string[]): ReadonlySet<number> {
  const names = new Set(seen);
  return new Set(state.steps.flatMap((step, at) => (names.has(stepName(step)) ? [at] : [])));
}

function stepName(step: StepRecord): string {
  return `${step.instance}.${step.statement}`;
}

function visibleTables(
  state: State,
  participant: Participant,
  visible: ReadonlySet<number>,
): Tables {
  const writes = state.participants
    .flatMap((each) =>
      each === participant
        ? [...each.kept, ...each.log]
        : [...each.kept, ...each.log].filter((write) => visible.has(write.step)),
    )
    .sort((a, b) => a.step - b.step);
  const tables = new Map(state.initial);
  for (const write of writes)
    tables.set(
      write.table,
      applyWrite(
        findTable(state.program.schema, write.table),
        tables.get(write.table) ?? [],
        write,
      ),
    );
  return { rows: (table) => tables.get(table) ?? [] };
}

/** One view for everything, and no locks. */
function actingOf(tables: Tables, step: number): Acting {
  return {
    lock: (row) => ({ kind: "row", row, changed: false }),
    isHeld: () => true,
    unlockObject: () => undefined,
    lockObject: () => undefined,
    current: tables.rows,
    awaitDecided: () => undefined,
    announce: () => undefined,
    lockDuplicate: () => undefined,
    firstUpdaterWins: false,
    noVersionOnNoChange: false,
    step,
  };
}

function end(state: State, participant: Participant, why: string | undefined): void {
  const { machine, kept } = participant;
  // A unit's commits before its failure stay.
  const commits = why === undefined || kept.length > 0;
  participant.status = commits ? COMMITTED : `rolled back: ${why}`;
  if (why !== undefined) participant.log = [];
  const last = state.steps.findLast((step) => step.instance === machine.instance);
  const isOpen = last?.part === partOf(machine);
  if (!isUnit(machine) || why !== undefined || isOpen) pushEnd(state, machine, why);
}

/** Ends a transaction inside of a unit, which continues. */
function endPart(state: State, participant: Participant, why: string | undefined): void {
  if (why !== undefined) participant.log = [];
  pushEnd(state, participant.machine, why);
  closePart(participant);
}

function closePart(participant: Participant): void {
  participant.kept = [...participant.kept, ...participant.log];
  participant.log = [];
  continueUnit(participant.machine);
}

function pushEnd(state: State, machine: Machine, why: string | undefined): void {
  state.steps.push({
    instance: machine.instance,
    statement: why === undefined ? "commit" : "rollback",
    ...placeOf(machine),
    sees: [],
    cells: [],
    scans: [],
    used: new Set(),
    saw: () => false,
    writes: [],
    rows: [],
    affected: 0,
    ...(why === undefined ? {} : { why }),
  });
}

/** Runs an instance after the schedule's end: its statements see what its last one saw, or everything if it had none. */
function finish(state: State, participant: Participant): void {
  const { instance } = participant.machine;
  runToEnd(
    state,
    participant,
    () =>
      state.steps.findLast((step) => step.instance === instance)?.sees ??
      state.steps.filter((step) => typeof step.statement === "number").map(stepName),
  );
}

/** Runs an instance to its end; with `part`, to the end of that transaction of a unit. */
function runToEnd(
  state: State,
  participant: Participant,
  sees: () => readonly string[],
  part?: number,
): void {
  const { machine, unplanned } = participant;
  while (participant.status === undefined) {
    if (part !== undefined && machine.ended !== part) return;
    const next = nextOf(machine, undoOf(participant));
    const expected = next.kind === "statement" ? machine.executed + 1 : "commit";
    if (next.kind === "statement") unplanned.add(state.steps.length);
    advance(state, participant, expected, sees());
  }
}

function accepted(levels: Levels, run: Run): Run {
  const violation = violatedAxiom(levels, run);
  if (violation !== undefined) throw new NotExecutable(violation);
  return run;
}

function runOf(state: State): Run {
  const writes = state.participants
    .flatMap((each) => [...each.kept, ...each.log])
    .sort((a, b) => a.step - b.step);
  const final = new Map(state.initial);
  for (const write of writes)
    final.set(
      write.table,
      applyWrite(findTable(state.program.schema, write.table), final.get(write.table) ?? [], write),
    );
  return {
    schema: state.program.schema,
    steps: state.steps,
    writes,
    status: Object.fromEntries(
      state.participants.map((each) => [each.machine.instance, each.status ?? "running"]),
    ),
    machines: state.participants.map((each) => each.machine),
    final,
  };
}

function undoOf(participant: Participant): Undo {
  return {
    mark: () => participant.log.length,
    undoTo: (mark) => {
      participant.log = participant.log.slice(0, mark);
    },
  };
}

function failureText(machine: Machine, failure: SqlFailure): string {
  return `${machine.instance} fails: ${failure.message} (${failure.code})`;
}

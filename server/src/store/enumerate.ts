// All runs of a setup: every interleaving of statements and commits at product levels, every commit order with every
// snapshot at the papers' atomic levels. Used to check the store against measured outcomes and the search against it.
import type { PaperLevel } from "../isolation/levels";
import type { Program } from "../program/program";
import type { ScheduleStep } from "../protocol/witness";
import type { Setup } from "./execution";
import { NotExecutable } from "./failure";
import { freshValues } from "./freshValues";
import { permutations } from "./permutations";
import {
  advance,
  copyServer,
  possibleBegins,
  runOf,
  startServer,
  type DatabaseState,
  type LevelOf,
  type Server,
} from "./server";
import type { Run, StepRecord } from "./runRecord";
import { renderRow } from "./toExecution";
import { runBlocks } from "./relational";
import { serializationProblem } from "./serializable";

export interface Enumeration {
  readonly runs: readonly Run[];
  /** Per run the schedule that gave it: a waiting statement stands where it began. */
  readonly schedules: readonly (readonly ScheduleStep[])[];
  /** False when `limit` cut it short. */
  readonly complete: boolean;
  /** The reason why some interleavings were left out: what a statement does in them is not known. */
  readonly leftOut: readonly string[];
}

/**
 * The runs in which no instance is aborted by the server, over all interleavings of statements and commits; a
 * statement that waits goes on as soon as it can. Of interleavings that lead to the same state one is followed, so
 * that every outcome is there, not every run. Exponential; at most `limit` runs, aborted ones included, and `STATES_PER_RUN` times as many states on the way. Interleavings in
 * which a statement's effect is not known are left out.
 */
export function enumerateProduct(
  program: Program,
  setup: Setup,
  levelOf: LevelOf,
  limit: number,
): Enumeration {
  const runs: Run[] = [];
  const schedules: (readonly ScheduleStep[])[] = [];
  let finished = 0;
  const reached = new Set<string>();
  const isOver = (): boolean => finished >= limit || reached.size >= limit * STATES_PER_RUN;
  const leftOut = new Set<string>();
  /** The server after the turn; undefined where the run ends with it, unfinished. */
  const after = (
    server: Server,
    name: string,
    begun: DatabaseState | undefined,
  ): Server | undefined => {
    try {
      const events = advance(server, name, begun);
      if (!events.some((event) => event.kind === "aborted")) return server;
      finished += 1;
    } catch (problem) {
      if (!(problem instanceof NotExecutable)) throw problem;
      leftOut.add(problem.message);
    }
    return undefined;
  };
  const explore = (server: Server, turns: readonly string[]): void => {
    const state = stateText(server);
    if (reached.has(state)) return;
    reached.add(state);
    const ready = [...server.sessions].filter(
      ([, each]) => each.ended === undefined && each.waiting === undefined,
    );
    if (ready.length === 0) {
      finished += 1;
      const run = runOf(server);
      if (serializationProblem(run) !== undefined) return;
      runs.push(run);
      schedules.push(scheduleOf(run, turns));
      return;
    }
    for (const [index, [name]] of ready.entries()) {
      if (isOver()) return;
      const begins = possibleBegins(server, name);
      for (const [at, begun] of begins.entries()) {
        const last = index === ready.length - 1 && at === begins.length - 1;
        const next = after(last ? server : copyServer(server), name, begun);
        if (next !== undefined) explore(next, [...turns, name]);
      }
    }
  };
  explore(startServer(program, setup, levelOf, freshValues(setup)), []);
  return { runs, schedules, complete: !isOver(), leftOut: [...leftOut] };
}

/** Runs share their beginnings, so that few runs may go through many states. */
const STATES_PER_RUN = 10;

/** The runs at a level that contains `prefix`: every arbitration of whole transactions with every prefix seen. */
export function enumeratePrefix(program: Program, setup: Setup, level: PaperLevel): Enumeration {
  const runs: Run[] = [];
  const names = setup.instances.map((instance) => instance.instance);
  for (const order of permutations(names))
    for (const cuts of cutsOf(order.length))
      try {
        runs.push(runBlocks(program, level, setup, order, cuts));
      } catch (refused) {
        // The level forbids these snapshots, or a statement fails in them.
        if (!(refused instanceof NotExecutable)) throw refused;
      }
  const schedules = runs.map((run) => run.steps.map(stepOf));
  return { runs, schedules, complete: true, leftOut: [] };
}

/** The steps in the order in which they were begun; `turns` names who began one. */
function scheduleOf(run: Run, turns: readonly string[]): readonly ScheduleStep[] {
  const begun = new Map<string, number>();
  return turns.flatMap((instance) => {
    const turn = begun.get(instance) ?? 0;
    begun.set(instance, turn + 1);
    const step = run.steps.filter((each) => each.instance === instance)[turn];
    return step === undefined ? [] : [stepOf(step)];
  });
}

function stepOf(step: StepRecord): ScheduleStep {
  const { instance, statement, sees } = step;
  return { instance, statement: typeof statement === "number" ? statement : "commit", sees };
}

/**
 * All that the future of a run and its outcome depend on: what every session was given so far, its snapshot (for what
 * a serializable history reads) and those that it may still take, its locks, who waits, and the order of commits.
 */
function stateText(server: Server): string {
  const sessions = [...server.sessions.values()].map((session) => {
    const { instance } = session.machine;
    const given = server.steps
      .filter((step) => step.instance === instance)
      .map((step) => `${step.affected} ${step.rows.map(renderRow).join(";")}`);
    return [
      session.ended,
      session.snapshot?.instances,
      session.over,
      session.waiting?.holders,
      session.waiting?.since,
      session.passed.map((rows) => rows.map(({ key, version }) => [key, version])),
      session.locks,
      session.openKeys.map(({ table, row, values }) => [table, row, renderRow(values)]),
      [...session.kept, ...session.log].map((write) => renderRow(write.values)),
      given,
    ];
  });
  return JSON.stringify([server.newest.instances, sessions]);
}

/** Per position in the order how many of the earlier transactions are seen. */
function cutsOf(length: number): readonly (readonly number[])[] {
  if (length === 0) return [[]];
  return cutsOf(length - 1).flatMap((rest) => Array.from({ length }, (_, seen) => [...rest, seen]));
}

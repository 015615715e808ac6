// Enumerates the runs of a setup: every interleaving of statements and commits at product levels, every commit order with every snapshot at
// the papers' atomic levels. Tests the store against measured outcomes, and the search against the store.
import type { PaperLevel } from "../isolation/levels";
import type { Program } from "../program/program";
import type { ScheduleStep } from "../protocol/witness";
import type { Setup } from "./execution";
import { NotExecutable } from "./failure";
import { freshValues } from "./freshValues";
import { permutations } from "./permutations";
import { advance, copyServer, possibleBegins, runOf, startServer, type LevelOf } from "./server";
import type { Run, StepRecord } from "./runRecord";
import { renderRow } from "./toExecution";
import { runBlocks } from "./relational";
import { serializationProblem } from "./serializable";
import type { DatabaseState, Server } from "./serverState";

export interface Enumeration {
  readonly runs: readonly Run[];
  /** Each run's schedule; a waiting statement is placed where it began. */
  readonly schedules: readonly (readonly ScheduleStep[])[];
  /** False if `limit` ended the enumeration. */
  readonly complete: boolean;
  /** Reasons for skipped interleavings: a statement's effect in them is unknown. */
  readonly leftOut: readonly string[];
}

/**
 * The runs in which the server aborts no instance, over all interleavings of statements and commits; a waiting statement continues as soon
 * as it can. Interleavings that reach the same state are merged, so that all outcomes occur, but not all runs. Exponential; at most `limit`
 * runs, aborted ones included, and `STATES_PER_RUN` times as many intermediate states. Interleavings with an unknown effect are skipped.
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
  /** The result of a part of a run; undefined if what it needs is unknown. */
  const known = <T>(part: () => T): T | undefined => {
    try {
      return part();
    } catch (problem) {
      if (!(problem instanceof NotExecutable)) throw problem;
      leftOut.add(problem.message);
      return undefined;
    }
  };
  /** The server after the turn; undefined if the run ends there, unfinished. */
  const after = (
    server: Server,
    name: string,
    begun: DatabaseState | undefined,
  ): Server | undefined =>
    known(() => {
      const events = advance(server, name, begun);
      if (!events.some((event) => event.kind === "aborted")) return server;
      finished += 1;
      return undefined;
    });
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
      // Which statement comes next may depend on a condition that is not understood.
      const begins = known(() => possibleBegins(server, name)) ?? [];
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

/** Runs share prefixes, so a few runs may pass many states. */
const STATES_PER_RUN = 10;

/** The runs at a level with prefix visibility: every arbitration of whole transactions with every visible prefix. */
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

/** The steps in the order of their beginnings; `turns` names the instance of each. */
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
 * A text of everything that a run's future and outcome depend on: the results of every session, its snapshot (of what a serializable
 * history reads) and possible later ones, its locks, the waiting sessions, and the commit order.
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

/** All choices, per position in the order, of how many earlier transactions are visible. */
function cutsOf(length: number): readonly (readonly number[])[] {
  if (length === 0) return [[]];
  return cutsOf(length - 1).flatMap((rest) => Array.from({ length }, (_, seen) => [...rest, seen]));
}

// Replays an earlier run's order of turns on a changed program: a waiting session is skipped until it is woken, and unfinished sessions run
// to their ends.
import type { Program } from "../program/program";
import type { Execution, Setup } from "./execution";
import { NotExecutable } from "./failure";
import { freshValues } from "./freshValues";
import { requireValidArguments, requireValidRows } from "./initialState";
import { initialRows } from "./row";
import { serializationProblem } from "./serializable";
import { advance, runOf, startServer, type LevelOf } from "./server";
import { toExecution } from "./toExecution";
import type { Server } from "./serverState";

export interface TurnsRun {
  readonly execution: Execution;
  /** Instances that the server aborted, with the product's reason. */
  readonly aborted: readonly {
    readonly instance: string;
    readonly why: string;
    readonly code: string;
  }[];
  /** True if the run is not serializable, so that a level that excludes it aborts one of them. */
  readonly isRefused: boolean;
}

/**
 * Replays the turns; undefined if a statement's effect is unknown or the rows or arguments no longer fit. Linear in the executed
 * statements.
 */
export function followTurns(
  program: Program,
  levelOf: LevelOf,
  setup: Setup,
  turns: readonly string[],
): TurnsRun | undefined {
  try {
    requireValidArguments(program, setup.instances);
    requireValidRows(program, initialRows(program.schema, setup.initial));
    const server = startServer(program, setup, levelOf, freshValues(setup));
    const aborted: TurnsRun["aborted"][number][] = [];
    const turn = (name: string): boolean => {
      if (!isReady(server, name)) return false;
      for (const event of advance(server, name)) {
        if (event.kind !== "aborted") continue;
        const { instance, why, failure } = event;
        aborted.push({ instance, why, code: failure.code });
      }
      return true;
    };
    for (const name of turns) turn(name);
    const names = setup.instances.map(({ instance }) => instance);
    for (let went = true; went;) {
      went = false;
      for (const name of names) while (turn(name)) went = true;
    }
    const run = runOf(server);
    return {
      execution: toExecution(run),
      aborted,
      isRefused: serializationProblem(run) !== undefined,
    };
  } catch (problem) {
    if (!(problem instanceof NotExecutable)) throw problem;
    return undefined;
  }
}

function isReady(server: Server, name: string): boolean {
  const session = server.sessions.get(name);
  return session !== undefined && session.ended === undefined && session.waiting === undefined;
}

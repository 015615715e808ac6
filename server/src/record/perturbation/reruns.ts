// Runs tests again with changed answers until no doubt is left that these could settle, or enough was tried.
import type { Protocol } from "../events";
import type { LearntProgram } from "../learn/program";
import { answerChanges, type AnswerChanges } from "./answerChanges";
import { createPlanner } from "./experiments";

export interface RerunOptions {
  readonly protocol: Protocol;
  /** The database whose owner agreed to changes. */
  readonly database: string;
  /** The programs behind all that was recorded so far. */
  readonly learnt: () => readonly LearntProgram[];
  /** Runs the tests once more with these changes; false where they are to be run no more. */
  readonly rerun: (changes: AnswerChanges, run: number) => Promise<boolean>;
}

export interface RerunResult {
  /** Doubts that other answers could settle, before and after. */
  readonly before: number;
  readonly after: number;
  readonly runs: number;
  /** Answers that were changed. */
  readonly changes: number;
}

/** Runs of the tests: more of them seldom settle what these did not. */
const MOST_RUNS = 12;
/** Runs that reach no answer that is to be changed before it is given up. */
const MOST_IDLE = 2;

/** Settles what it can, at the least in one run, which changes all that is read where nothing is open. */
export async function rerunWithChanges({
  protocol,
  database,
  learnt,
  rerun,
}: RerunOptions): Promise<RerunResult> {
  let programs = learnt();
  const before = openFlows(programs);
  let changed = 0;
  let [run, idle] = [0, 0];
  const planner = createPlanner();
  const seen = new Map<string, readonly string[]>();
  let last: AnswerChanges | undefined;
  while (run < MOST_RUNS && idle < MOST_IDLE && (run === 0 || openFlows(programs) > 0)) {
    const experiments = planner.next(programs, last);
    if (experiments.size === 0) break;
    const changes = answerChanges({ experiments, protocol, database, rerun: ++run, seen });
    const goesOn = await rerun(changes, run);
    changed += changes.count;
    idle = changes.count === 0 ? idle + 1 : 0;
    last = changes;
    programs = learnt();
    if (!goesOn) break;
  }
  return { before, after: openFlows(programs), runs: run, changes: changed };
}

function openFlows(programs: readonly LearntProgram[]): number {
  return programs.reduce((sum, { flows }) => sum + flows.length, 0);
}

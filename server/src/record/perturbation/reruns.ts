// Runs tests again with changed answers until no doubt is left that these could settle, or they settle none any more.
import type { Protocol } from "../events";
import type { LearntProgram } from "../learn/program";
import { answerChanges, type AnswerChanges } from "./answerChanges";
import { targetsOf } from "./targets";

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
const MOST_RUNS = 6;
/** Runs that settle nothing before it is given up. */
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
  let after = before;
  let changed = 0;
  let idle = 0;
  let run = 0;
  while (run < MOST_RUNS && idle < MOST_IDLE && (after > 0 || run === 0)) {
    const targets = targetsOf(run === 0 ? programs : leastChanged(programs), {
      takesAll: run === 0,
    });
    if (targets.size === 0) break;
    const changes = answerChanges({ targets, protocol, database, run });
    const goesOn = await rerun(changes, ++run);
    changed += changes.count;
    programs = learnt();
    const open = openFlows(programs);
    idle = open < after ? 0 : idle + 1;
    after = open;
    if (!goesOn || changes.count === 0) break;
  }
  return { before, after, runs: run, changes: changed };
}

/** Programs with open flows; where changes reached some of them only, the others: tests may end before these run. */
function leastChanged(programs: readonly LearntProgram[]): readonly LearntProgram[] {
  const open = programs.filter(({ flows }) => flows.length > 0);
  const untouched = open.filter(({ changedRuns }) => changedRuns === 0);
  return untouched.length > 0 ? untouched : open;
}

function openFlows(programs: readonly LearntProgram[]): number {
  return programs.reduce((sum, { flows }) => sum + flows.length, 0);
}

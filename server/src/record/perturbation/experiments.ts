// Experiments while the tests run again: each changes one answer of the server that an open flow may rest on, in one run that
// is known to read it.
import type { AnswerPlace, Decider, LearntProgram } from "../learn/program";

/** One answer to be changed in one run. */
export interface Experiment {
  readonly decider: Decider;
  /** The number of times that this answer was chosen before, so that it gets another value each time. */
  readonly round: number;
}

/** Experiments by what a run has in common with the same one each time that the tests run. */
export type Experiments = ReadonlyMap<string, Experiment>;

export interface ExperimentOutcome {
  /** Runs in which an answer was changed. */
  readonly reached: ReadonlySet<string>;
  /** Answers for which no other value is known, by their places. */
  readonly unchangeable: ReadonlySet<string>;
}

export interface Planner {
  /** The experiments of the next time that the tests run, after the last one; none where enough was tried. */
  next(programs: readonly LearntProgram[], last?: ExperimentOutcome): Experiments;
}

/** Changes of an answer for one flow; more of them seldom tell what these did not. */
const ENOUGH = 6;

const NOTHING: ExperimentOutcome = { reached: new Set(), unchangeable: new Set() };

/** Plans so that half of a program's runs stay as they are: what others do next may rest on these. */
export function createPlanner(): Planner {
  const tried = new Map<string, number>();
  /** Experiments that were not reached. */
  const missing = new Map<string, number>();
  const unchangeable = new Set<string>();
  let last: readonly Plan[] = [];
  let isExclusive = false;
  const phases = new Map<string, number>();
  let isFirst = true;

  /** Every other run of a program, beginning with the first or the second one. */
  function planned(program: LearntProgram, phase: number): ReadonlyMap<string, Planned> {
    const { twins } = program;
    const candidates = candidatesOf(program, isFirst).filter(
      ({ decider }) => !unchangeable.has(placeKey(decider)),
    );
    const own = new Map<string, Planned>();
    for (const [at, run] of twins.entries()) {
      if (twins.length > 1 && at % 2 !== phase % 2) continue;
      const [best] = candidates
        .filter(({ decider }) => decider.runs.includes(run))
        .map(({ key: place, decider }) => {
          // An amount of a run is told by that run alone.
          const key = decider.aimsOf === undefined ? place : `${place}\n${run}`;
          return { key, decider, round: tried.get(key) ?? 0, missed: missing.get(key) ?? 0 };
        })
        .filter(({ round, missed }) => round < ENOUGH && missed < ENOUGH)
        .sort(
          (a, b) =>
            a.round + a.missed - b.round - b.missed ||
            a.decider.runs.length - b.decider.runs.length,
        );
      if (best === undefined) continue;
      tried.set(best.key, best.round + 1);
      own.set(run, best);
    }
    return own;
  }

  /** Programs have their turns apart, so that they are not all left as they are at once. */
  function plannedInTurn(program: LearntProgram, at: number): ReadonlyMap<string, Planned> {
    const phase = phases.get(program.name) ?? at;
    phases.set(program.name, phase + 1);
    const own = planned(program, phase);
    // Answers that a flow rests on may be read in runs of one kind alone.
    return own.size > 0 ? own : planned(program, phase + 1);
  }

  function plannedAll(programs: readonly LearntProgram[]): readonly Plan[] {
    return programs.flatMap((program, at) => {
      const own = plannedInTurn(program, at);
      return own.size > 0 ? [{ name: program.name, own }] : [];
    });
  }

  return {
    next(programs, outcome = NOTHING) {
      for (const each of outcome.unchangeable) unchangeable.add(each);
      for (const [run, { key }] of last.flatMap(({ own }) => [...own]))
        if (!outcome.reached.has(run)) {
          tried.set(key, (tried.get(key) ?? 1) - 1);
          missing.set(key, (missing.get(key) ?? 0) + 1);
        }
      // Tests end where one fails: what comes behind a change may not be reached until that is left out.
      const missed = last.filter(
        ({ own }) => ![...own.keys()].some((run) => outcome.reached.has(run)),
      );
      isExclusive = !isExclusive && missed.length > 0 && missed.length < last.length;
      const alone = isExclusive
        ? plannedAll(programs.filter((each) => missed.some(({ name }) => name === each.name)))
        : [];
      last = alone.length > 0 ? alone : plannedAll(programs);
      isFirst = false;
      return new Map(last.flatMap(({ own }) => [...own]));
    },
  };
}

/** The experiments of one program. */
interface Plan {
  readonly name: string;
  readonly own: ReadonlyMap<string, Planned>;
}

interface Planned extends Experiment {
  readonly key: string;
}

interface Candidate {
  readonly key: string;
  readonly decider: Decider;
}

/** Answers that the open flows of a program may rest on; with `takesAll`, all that it reads where nothing is open. */
function candidatesOf(
  { name, flows, answers }: LearntProgram,
  takesAll: boolean,
): readonly Candidate[] {
  const keyed = (flow: string, decider: Decider): Candidate => ({
    key: `${name}\n${flow}\n${placeKey(decider)}`,
    decider,
  });
  const open = flows.flatMap(({ key, deciders }) => deciders.map((each) => keyed(key, each)));
  return open.length > 0 || !takesAll ? open : answers.map((each) => keyed("", each));
}

/** Tells an answer of a run from its others. */
export function placeKey({ text, occurrence, column }: AnswerPlace): string {
  return `${String(column ?? "")} ${String(occurrence)} ${text}`;
}

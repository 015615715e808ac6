// Questions to the solver of one unit: counted, stopped on demand, with a record of what stayed open.
import type { CheckResult, Model, Solver } from "../../../solver/solver";
import type { Assumptions } from "../../encoding/assumptions";
import type { SearchLimits, UnitResult } from "../unit";

export interface Queries {
  /** "unknown" also when the search was stopped; the reason is recorded once. */
  ask(assumptions: readonly string[]): CheckResult;
  /** As `ask`, for a question that may stay open: its "unknown" is not recorded. */
  tryOut(assumptions: readonly string[]): CheckResult;
  /** The assumptions that were to blame for the last "unsat". */
  core(): readonly string[];
  model(): Model;
  add(text: string): void;
  stopped(): boolean;
  count(): number;
  undecided(): readonly string[];
  /** Records that something stays open for another reason than the solver's. */
  leaveOpen(reason: string): void;
  /** True if some question stayed open for want of effort, recorded or not. */
  gaveUp(): boolean;
  /** Names of the encoding's assumptions without which some answer "unsat" would have been "sat". */
  assumed(): readonly string[];
}

/** After so many questions that the solver gave up, the rest of the unit is not asked: each may take seconds. */
const PATIENCE = 3;

/** `subject` names the transactions in reasons; `assumptions` are made by every question. */
export function makeQueries(
  solver: Solver,
  limits: SearchLimits,
  subject: string,
  assumptions: Assumptions,
): Queries {
  const undecided = new Set<string>();
  let count = 0;
  let stopped = false;
  let failures = 0;
  const poll = (): boolean => {
    if (!stopped && limits.stopped()) {
      stopped = true;
      undecided.add(`${subject}: the search was stopped`);
    }
    return stopped;
  };
  const assumed = new Set<string>();
  let core: readonly string[] = [];
  const check = (question: readonly string[]): CheckResult => {
    if (poll() || failures >= PATIENCE) return "unknown";
    count += 1;
    limits.asked?.();
    const answer = solver.check([...question, ...literals()]);
    if (answer === "unknown") failures += 1;
    if (answer === "unsat") core = solver.core();
    return answer;
  };
  const literals = (): readonly string[] => assumptions.all().map(({ literal }) => literal);
  /** Assumptions that the last "unsat" rests on: those that stand in its core, unless others than those give it as well. */
  const noteAssumed = (question: readonly string[]): void => {
    const blamed = new Set<string>();
    for (;;) {
      const more = literals().filter((each) => core.includes(each) && !blamed.has(each));
      if (more.length === 0) return;
      for (const each of more) blamed.add(each);
      count += 1;
      const without = literals().filter((each) => !blamed.has(each));
      if (solver.check([...question, ...without]) !== "unsat") break;
      core = solver.core();
    }
    for (const { literal, name } of assumptions.all()) if (blamed.has(literal)) assumed.add(name);
  };
  return {
    assumed: () => [...assumed].sort(),
    gaveUp: () => stopped || failures > 0,
    tryOut: check,
    ask: (question) => {
      const answer = check(question);
      if (answer === "unsat") {
        const first = core;
        noteAssumed(question);
        core = first;
      }
      if (stopped) return answer;
      if (answer === "unknown")
        undecided.add(`${subject}: the solver gave up (${solver.reason()})`);
      return answer;
    },
    core: () => core.filter((each) => !literals().includes(each)),
    model: () => solver.model(),
    add: (text) => {
      solver.add(text);
    },
    stopped: poll,
    count: () => count,
    undecided: () => [...undecided],
    leaveOpen: (reason) => {
      undecided.add(`${subject}: ${reason}`);
    },
  };
}

/** The part of a result that says what it rests on, and whether more effort may change it. */
export function groundsOf(queries: Queries): Pick<UnitResult, "assumed" | "gaveUp"> {
  const assumed = queries.assumed();
  return { ...(assumed.length > 0 && { assumed }), ...(queries.gaveUp() && { gaveUp: true }) };
}

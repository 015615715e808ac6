// Questions to the solver of one unit: counted, stopped on demand, with a record of what stayed open.
import type { CheckResult, Model, Solver } from "../../solver/solver";
import type { SearchLimits } from "./unit";

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
}

/** After so many questions that the solver gave up, the rest of the unit is not asked: each may take seconds. */
const PATIENCE = 3;

/** `subject` names the transactions in reasons. */
export function makeQueries(solver: Solver, limits: SearchLimits, subject: string): Queries {
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
  const check = (assumptions: readonly string[]): CheckResult => {
    if (poll() || failures >= PATIENCE) return "unknown";
    count += 1;
    const answer = solver.check(assumptions);
    if (answer === "unknown") failures += 1;
    return answer;
  };
  return {
    tryOut: check,
    ask: (assumptions) => {
      const answer = check(assumptions);
      if (stopped) return answer;
      if (answer === "unknown")
        undecided.add(`${subject}: the solver gave up (${solver.reason()})`);
      return answer;
    },
    core: () => solver.core(),
    model: () => solver.model(),
    add: (text) => {
      solver.add(text);
    },
    stopped: poll,
    count: () => count,
    undecided: () => [...undecided],
  };
}

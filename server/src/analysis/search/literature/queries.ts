// The solver queries of one unit: counted, stoppable, with a record of undecided ones.
import type { CheckResult, Model, Solver } from "../../../solver/solver";
import type { Assumptions } from "../../encoding/assumptions";
import type { SearchLimits, UnitResult } from "../unit";

export interface Queries {
  /** Asks the solver; "unknown" also after a stop. The reason is recorded once. */
  ask(assumptions: readonly string[]): CheckResult;
  /** As `ask`, for an optional question: its "unknown" is not recorded. */
  tryOut(assumptions: readonly string[]): CheckResult;
  /** The unsat core of the last query, in assumptions. */
  core(): readonly string[];
  model(): Model;
  add(text: string): void;
  stopped(): boolean;
  count(): number;
  undecided(): readonly string[];
  /** Records that something stays open for a reason outside of the solver. */
  leaveOpen(reason: string): void;
  /** True if some query ran out of effort, recorded or not. */
  gaveUp(): boolean;
  /** Assumptions of the encoding without which some "unsat" would have been "sat". */
  assumed(): readonly string[];
}

/** After this many queries on which the solver gave up, the rest of the unit is skipped: each may take seconds. */
const PATIENCE = 3;

/** The queries; `subject` names the transactions in reasons, and every query makes the `assumptions`. */
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
  /** Records the assumptions in the last unsat core, unless the rest suffices for "unsat" without them. */
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

/** The assumptions that a result rests on, and whether more effort may change it. */
export function groundsOf(queries: Queries): Pick<UnitResult, "assumed" | "gaveUp"> {
  const assumed = queries.assumed();
  return { ...(assumed.length > 0 && { assumed }), ...(queries.gaveUp() && { gaveUp: true }) };
}

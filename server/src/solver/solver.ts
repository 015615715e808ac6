// Interface of a solver. Text is SMT-LIB 2; no thread and no WASM here (see engine/).

export type CheckResult = "sat" | "unsat" | "unknown";

/** A satisfying assignment. Names and function symbols that it leaves open read as 0 and false. */
export interface Model {
  int(name: string): number;
  bool(name: string): boolean;
  /** The value of an uninterpreted function at integer arguments. */
  intAt(fn: string, args: readonly number[]): number;
  boolAt(fn: string, args: readonly number[]): boolean;
}

export interface Solver {
  /** Adds declarations and assertions. Declare each symbol once. Throws SolverError on bad text. */
  add(text: string): void;
  /** Checks under assumptions (names of declared Boolean constants). */
  check(assumptions?: readonly string[]): CheckResult;
  /** After "sat". */
  model(): Model;
  /** After "unsat": the assumptions that suffice for it. */
  core(): readonly string[];
  /** After "unknown": why, in the solver's words. */
  reason(): string;
  dispose(): void;
}

export interface SolverOptions {
  /** Deterministic limit per check, in Z3's resource units (1 M is about 1 s). 0 is none. */
  readonly resourceLimit: number;
}

/** Opens fresh solvers; one fresh context per solver, so that a unit's answer does not depend on earlier units. */
export interface SolverFactory {
  open(options: SolverOptions): Solver;
}

/** The solver refused a text, crashed or is missing. `code` is safe to show. */
export class SolverError extends Error {
  constructor(
    readonly code: "text" | "crashed" | "missing" | "memory",
    message: string,
  ) {
    super(message);
    this.name = "SolverError";
  }
}

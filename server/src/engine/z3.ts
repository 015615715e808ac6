// Opens Z3 for the analysis: loads it, warms it up and tests that it behaves as the encoders expect.
import { SolverError } from "../solver/solver";
import type { SolverFactory } from "../solver/solver";
import { loadZ3Module } from "./z3Module";
import { openZ3Solver } from "./z3Solver";

export interface Z3 extends SolverFactory {
  readonly version: string;
  /** Bytes of Z3's own objects; nearly zero when every solver is disposed. */
  allocated(): number;
  /** Stops Z3's threads. Open solvers cannot be used afterwards. */
  dispose(): void;
}

/**
 * Z3, ready for use on this thread: every call blocks until it has its answer. Takes 0.2 to 0.4 s, mostly for compiling WebAssembly, which
 * the first query would otherwise pay. Rejects with SolverError: "missing" (files or synchronous functions), "memory", or "crashed" (the
 * self-test failed).
 */
export async function openZ3(): Promise<Z3> {
  const z3 = await loadZ3Module();
  const opened: Z3 = {
    open: (options) => openZ3Solver(z3, options),
    version: z3.text(z3.native.Z3_get_full_version()),
    allocated: () => z3.allocated(),
    dispose: () => {
      z3.dispose();
    },
  };
  try {
    const complaint = selfTest(opened);
    if (complaint !== undefined) {
      throw new SolverError("crashed", `Z3's self-test failed: ${complaint}`);
    }
  } catch (error) {
    opened.dispose();
    throw error;
  }
  return opened;
}

/**
 * A lost update in miniature: two transactions read a balance `i(k)` and write it back minus an amount. Some amounts lose an update unless
 * the second must see the first. Also checks cores, function values in models, and refusals. Returns the error, or undefined.
 */
export function selfTest(solvers: SolverFactory): string | undefined {
  const solver = solvers.open({ resourceLimit: 0 });
  try {
    solver.add(LOST_UPDATE);
    if (solver.check(["Other"]) !== "sat") return "a lost update was not found";
    const model = solver.model();
    const key = model.int("k");
    const [a, b, last] = [model.int("a1"), model.int("a2"), model.int("final")];
    if (a <= 0 || b <= 0) return "a model breaks an assertion";
    if (last !== model.intAt("i", [key]) - b) return "a model's values do not fit together";
    if (model.bool("seen") || model.int("nowhere") !== 0) return "a model has a wrong Boolean";
    if (solver.check(["Other", "NoConflict"]) !== "unsat") return "a prevented update was found";
    const core = [...solver.core()];
    if (core.length !== 1 || core[0] !== "NoConflict") return `a core is [${core.join(" ")}]`;
    return refuses(solver, "(assert (= k undeclared))") ? undefined : "a bad text was accepted";
  } finally {
    solver.dispose();
  }
}

const LOST_UPDATE = `
(declare-const Other Bool) (declare-const NoConflict Bool) (declare-const seen Bool)
(declare-const k Int) (declare-const a1 Int) (declare-const a2 Int)
(declare-const read2 Int) (declare-const final Int)
(declare-fun i (Int) Int)
(assert (and (> k 4) (> a1 0) (> a2 0) (>= (i k) (+ a1 a2))))
(assert (= read2 (ite seen (- (i k) a1) (i k))))
(assert (= final (- read2 a2)))
(assert (not (= final (- (i k) (+ a1 a2)))))
(assert (=> NoConflict seen))
`;

function refuses(solver: { add(text: string): void }, text: string): boolean {
  try {
    solver.add(text);
    return false;
  } catch (error) {
    if (error instanceof SolverError && error.code === "text") return true;
    throw error;
  }
}

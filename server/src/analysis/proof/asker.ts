// Asks the solver and keeps count. What is not answered is never taken for impossible.
import type { Model, SolverFactory } from "../../solver/solver";
import type { SearchLimits } from "../search/unit";

export type Answer =
  | { readonly kind: "impossible"; readonly core: readonly string[] }
  | { readonly kind: "possible"; readonly model: Model }
  | { readonly kind: "unknown"; readonly reason: string };

/** One question under assumptions; `use` sees the model while it lasts. */
export type Check = <Result>(
  assumptions: readonly string[],
  use: (answer: Answer) => Result,
) => Result;

export interface Asker {
  /** Several questions about one text, in a fresh solver. */
  open(text: string): { readonly ask: Check; dispose(): void };
  /** One question in a solver of its own. */
  isImpossible(text: string, assumptions: readonly string[]): boolean;
  /** Questions so far. */
  count(): number;
  /** Why an answer was missing, if one was. */
  unanswered(): string | undefined;
}

export function createAsker(solvers: SolverFactory, limits: SearchLimits): Asker {
  let queries = 0;
  let missing: string | undefined;
  const asker: Asker = {
    open: (text) => {
      const solver = solvers.open({ resourceLimit: limits.resourceLimit });
      solver.add(text);
      return {
        ask: (assumptions, use) => {
          if (limits.stopped()) {
            missing ??= "the proof was stopped";
            return use({ kind: "unknown", reason: missing });
          }
          queries += 1;
          const result = solver.check(assumptions);
          if (result === "unsat") return use({ kind: "impossible", core: solver.core() });
          if (result === "sat") return use({ kind: "possible", model: solver.model() });
          missing ??= `the solver gave up (${solver.reason()})`;
          return use({ kind: "unknown", reason: missing });
        },
        dispose: () => {
          solver.dispose();
        },
      };
    },
    isImpossible: (text, assumptions) => {
      const opened = asker.open(text);
      try {
        return opened.ask(assumptions, ({ kind }) => kind === "impossible");
      } finally {
        opened.dispose();
      }
    },
    count: () => queries,
    unanswered: () => missing,
  };
  return asker;
}

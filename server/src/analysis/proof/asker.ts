// Asks the solver and keeps count. What is not answered is never taken for impossible.
import type { Model, SolverFactory } from "../../solver/solver";
import type { Assumption } from "../encoding/assumptions";
import type { SearchLimits } from "../search/unit";

export type Answer =
  | { readonly kind: "impossible"; readonly core: readonly string[] }
  | { readonly kind: "possible"; readonly model: () => Model }
  | { readonly kind: "unknown"; readonly reason: string };

/** One question under assumptions; `use` sees the model while it lasts. */
export type Check = <Result>(
  assumptions: readonly string[],
  use: (answer: Answer) => Result,
) => Result;

/** A text that has no solution under some literals, and some of these assumptions. */
interface Refutable {
  readonly text: string;
  readonly literals: readonly string[];
  readonly assumptions: readonly Assumption[];
}

export interface Asker {
  /** Several questions about one text, in a fresh solver; `times` as much work as others where it stands for so many. */
  open(text: string, times?: number): { readonly ask: Check; dispose(): void };
  /**
   * One question in a solver of its own: the assumptions that its refutation needs, by name; undefined where it is not
   * refuted.
   */
  refuted(question: Refutable): ReadonlySet<string> | undefined;
  /** Questions so far. */
  count(): number;
  /** The reason why an answer was missing, if one was. */
  unanswered(): string | undefined;
}

export function createAsker(solvers: SolverFactory, limits: SearchLimits): Asker {
  let queries = 0;
  let missing: string | undefined;
  const asker: Asker = {
    open: (text, times = 1) => {
      const solver = solvers.open({ resourceLimit: limits.resourceLimit * times });
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
          if (result === "sat") return use({ kind: "possible", model: () => solver.model() });
          missing ??= `the solver gave up (${solver.reason()})`;
          return use({ kind: "unknown", reason: missing });
        },
        dispose: () => {
          solver.dispose();
        },
      };
    },
    refuted: ({ text, literals, assumptions }) => {
      const opened = asker.open(text);
      try {
        return whyImpossible(opened.ask, literals, assumptions);
      } finally {
        opened.dispose();
      }
    },
    count: () => queries,
    unanswered: () => missing,
  };
  return asker;
}

/** The names of assumptions that it takes to refute the literals; undefined where that is not done. */
export function whyImpossible(
  ask: Check,
  literals: readonly string[],
  assumptions: readonly Assumption[],
): ReadonlySet<string> | undefined {
  const asked = [...literals, ...assumptions.map(({ literal }) => literal)];
  return ask(asked, (answer) =>
    answer.kind === "impossible" ? neededNames(ask, literals, assumptions, answer.core) : undefined,
  );
}

/**
 * The names of assumptions that a refutation needs: each of those in its core is left out for a try, so that none is told
 * that makes no difference.
 */
export function neededNames(
  ask: Check,
  literals: readonly string[],
  assumptions: readonly Assumption[],
  core: readonly string[],
): ReadonlySet<string> {
  let needed = assumptions.filter(({ literal }) => core.includes(literal));
  for (const each of needed) {
    const others = needed.filter((other) => other !== each);
    const asked = [...literals, ...others.map(({ literal }) => literal)];
    if (ask(asked, ({ kind }) => kind === "impossible")) needed = others;
  }
  return new Set(needed.map(({ name }) => name));
}

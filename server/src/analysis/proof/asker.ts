// Solver queries with a counter. An unanswered query never counts as impossible.
import type { Model, SolverFactory } from "../../solver/solver";
import type { Assumption } from "../encoding/assumptions";
import type { SearchLimits } from "../search/unit";

export type Answer =
  | { readonly kind: "impossible"; readonly core: readonly string[] }
  | { readonly kind: "possible"; readonly model: () => Model }
  | { readonly kind: "unknown"; readonly reason: string };

/** One query under assumptions; `use` sees the model while it is valid. */
export type Check = <Result>(
  assumptions: readonly string[],
  use: (answer: Answer) => Result,
) => Result;

/** A text that is unsatisfiable under some literals and some of these assumptions. */
interface Refutable {
  readonly text: string;
  readonly literals: readonly string[];
  readonly assumptions: readonly Assumption[];
}

export interface Asker {
  /** Opens a fresh solver for several queries about one text, with `times` the usual effort. */
  open(text: string, times?: number): { readonly ask: Check; dispose(): void };
  /** One query in its own solver: the names of the assumptions that its refutation needs; undefined if it is not refuted. */
  refuted(question: Refutable): ReadonlySet<string> | undefined;
  /** Questions so far. */
  count(): number;
  /** The reason for a missing answer, if any. */
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

/** The names of assumptions that refute the literals; undefined if they are not refuted. */
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

/** The names of assumptions that a refutation needs: the core is minimised by leaving one out at a time. */
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

// IF and CASE of routines in the AR: a later condition is only evaluated if the earlier ones do not hold.
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import type { Span } from "../text/split";
import { decide } from "./decide";
import { emit, lossAt, sourceAt, type RoutineState } from "./state";

export interface Choice {
  readonly branches: readonly {
    readonly at: Span;
    readonly condition: () => Expression;
    readonly then: () => Command;
  }[];
  readonly otherwise: (() => void) | undefined;
  /** Lowers into a nested list of commands. */
  readonly inner: (run: () => void) => Command;
}

/** The limit of branches, each of which is nested in the previous one's ELSE. */
const DEEPEST_BRANCH = 200;

/** Emits the branches of one statement, each in the previous one's ELSE. */
export function emitBranches(
  state: RoutineState & { readonly nested: number },
  span: Span,
  choice: Choice,
): void {
  const [branch, ...others] = choice.branches;
  if (branch === undefined) {
    choice.otherwise?.();
    return;
  }
  if (state.nested > DEEPEST_BRANCH) {
    lossAt(state, "branches that are nested too deeply", branch.at, "opaque");
    return;
  }
  const condition = branch.condition();
  const decided = decide(condition);
  if (decided === true) {
    emit(state, branch.then());
    return;
  }
  if (decided !== undefined) {
    emitBranches(state, span, { ...choice, branches: others });
    return;
  }
  const then = branch.then();
  const hasRest = others.length > 0 || choice.otherwise !== undefined;
  const rest = hasRest
    ? {
        otherwise: choice.inner(() => {
          emitBranches(state, span, { ...choice, branches: others });
        }),
      }
    : {};
  emit(state, { kind: "if", condition, then, ...rest, source: sourceAt(state, span) });
}

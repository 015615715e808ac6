// Calls of constructors: their returns end nothing but themselves, and what they refuse is refused where they are
// called.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { ofNode } from "../../../../query/nodes";
import { withoutReturns } from "../../../sql/routine/withoutReturns";
import { walkCommand, walkExpression } from "../../../sql/walk";
import type { HirFunction } from "../../hir";
import { ageOf, oneOfSeveral, type Scope, unknown, type Value } from "../../values";
import { beginJumps, endTarget } from "../jumps";
import { mayEnd } from "../lists/iteration";
import { beginTarget, takeJumps } from "../jumpTargets";
import { readsOf, unknownExpression } from "../values/convert";
import { within } from "../fork";
import { collectCommands, emit, sourceOf, write, type State, type Target } from "../state";

/** The fields that a constructor assigns whatever it is given, unless it ends early: `this.a = a`. Linear in its length, once. */
export function assignedFields(constructor: HirFunction | undefined): ReadonlySet<string> {
  return constructor ? assignedBy(constructor) : NONE;
}

const assignedBy = ofNode((constructor: HirFunction): ReadonlySet<string> => {
  const fields = constructor.body.flatMap((statement) => {
    if (statement.kind !== "expression" || statement.expression.kind !== "assign") return [];
    const { target, operator } = statement.expression;
    if (operator !== undefined || target.kind !== "place") return [];
    const { place } = target;
    return place.kind === "member" && place.object.kind === "this" ? [place.property] : [];
  });
  return new Set(fields);
});

const NONE: ReadonlySet<string> = new Set();

/**
 * Runs a constructor and gives its commands where the code calls it: those of statements, and, at `source`, what refuses
 * or may end early.
 */
export function runConstructor(
  state: State,
  scope: Scope,
  hir: HirFunction,
  { source, isCalled }: { readonly source: SourceRange | undefined; readonly isCalled: boolean },
): readonly Command[] {
  const { frame, loops, making, emitted } = state;
  const which = state.ids.fresh("return");
  const target = beginTarget(state, which, which);
  const value = state.ids.fresh("returned");
  const own = { which, value, returns: [] as Value[], target };
  const inside = { ...frame, ...own, isHeld: false, isLeaving: false };
  let left = false;
  const body = within(state, { frame: inside, loops, making: making + 1 }, () =>
    collectCommands(state, () => {
      left = state.evaluator.block(state, scope, hir.body);
    }),
  );
  const hasStatements = state.emitted > emitted;
  const isEnding = source !== undefined && (own.returns.length > 0 || mayEnd(body));
  if (!isCalled || !(hasStatements || isEnding)) {
    forgetJumps(state, target);
    forgetAssigned(state, target.mark, body);
    return [];
  }
  const at = source ?? sourceOf(state, hir.span);
  const options = { done: state.ids.fresh("done"), value, source: at };
  return collectCommands(state, () => {
    if (!left) beginJumps(state, target, at);
    emit(state, withoutReturns({ kind: "sequence", commands: body }, options));
    endTarget(state, target, left, at);
  });
}

/** A value that is not the same behind all returns is not known where no command says which was taken. */
function forgetJumps(state: State, target: Target): void {
  const jumps = takeJumps(state, target.key);
  if (jumps.length === 0) return;
  const written = new Set(state.trail.slice(target.mark).map(({ cell }) => cell));
  for (const cell of written) {
    const { value } = cell;
    const isSame = jumps.every(({ values }) => values.get(cell) === value);
    if (!value || isSame || ageOf(cell) > target.birth || CODE.has(value.kind)) continue;
    write(state, cell, unknown("what a constructor leaves that may end early", readsOf(value)));
  }
}

/** Variables that commands assigned that stand nowhere are not known by those who ask for them. */
function forgetAssigned(state: State, mark: number, body: readonly Command[]): void {
  const assigned = new Set<string>();
  walkCommand(
    { kind: "sequence", commands: body },
    { command: (each) => void (each.kind === "assign" && assigned.add(each.variable)) },
  );
  if (assigned.size === 0) return;
  const isAsked = (expression: Expression): boolean => {
    let found = false;
    walkExpression(expression, [], {
      expression: (each) => {
        found ||= each.kind === "variable" && assigned.has(each.name);
      },
    });
    return found;
  };
  const forget = (value: Value): Value => {
    switch (value.kind) {
      case "scalar":
        return isAsked(value.expression) ? oneOfSeveral(WHICH_WAY) : value;
      case "choice": {
        const [then, otherwise] = [forget(value.then), forget(value.otherwise)];
        if (!isAsked(value.condition)) return { ...value, then, otherwise };
        return { ...value, condition: unknownExpression(state, WHICH_WAY), then, otherwise };
      }
      default:
        return value;
    }
  };
  for (const cell of new Set(state.trail.slice(mark).map((each) => each.cell))) {
    const { value } = cell;
    if (value && readsOf(value).some(isAsked)) write(state, cell, forget(value));
  }
}

const WHICH_WAY = "which way a function went that a constructor called";

const CODE: ReadonlySet<Value["kind"]> = new Set(["handle", "object", "function", "class"]);

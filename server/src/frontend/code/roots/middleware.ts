// Route handlers behind nested middleware: `router.post(path, transaction(), handle)`. A transaction that a middleware opens around the
// next function encloses the handler.
import type { Span } from "../../sql/text/split";
import type { State } from "../evaluate/state";
import type { HirArgument, HirExpression, HirFunction, HirParameter } from "../hir";
import { functionKey } from "../queries/origins";
import type { ModuleScope, Value } from "../values";

type HirCall = Extract<HirExpression, { kind: "call" }>;
type FunctionValue = Extract<Value, { kind: "function" }>;

/** A handler with its middleware, and the handler itself. */
interface Handled {
  readonly callee: FunctionValue;
  readonly of: readonly FunctionValue[];
}

/**
 * The handler of a route with its middleware, beginning with the first that may open a transaction; undefined if none does, or if the
 * functions do not take a context and the next function. Such functions return the result of the next one as a promise and await it; others
 * (`(request, response, next) => ...`) do not.
 */
export function behindMiddleware(
  { arguments: given, span }: HirCall,
  { file, scope }: ModuleScope,
  state: State,
): Handled | undefined {
  const last = given.at(-1);
  if (given.length < 3 || last?.value.kind !== "function") return undefined;
  const { function: hir } = last.value;
  const [context] = hir.parameters;
  if (context === undefined || hir.parameters.length > 2) return undefined;
  const { evaluator, workspace } = state;
  const between = given.slice(0, -1).flatMap(spelledOut);
  const valueOf = ({ value }: HirArgument): Value | undefined => {
    // A function that creates a middleware is examined if it may open a transaction.
    const made = value.kind === "call" ? value.callee : value;
    if (made.kind !== "name" && made.kind !== "member" && made.kind !== "function")
      return undefined;
    const own = evaluator.expression(state, scope, made);
    if (own.kind !== "function" || !workspace.reach.mayOpen(own.function)) return undefined;
    return made === value ? own : evaluator.expression(state, scope, value);
  };
  const first = between.findIndex((each) => {
    const value = each.isSpread ? undefined : valueOf(each);
    return value?.kind === "function" && value.function.parameters.length === 2;
  });
  if (first === -1) return undefined;
  const behind = between.slice(first);
  const known = behind.map((each, at) => at === 0 || mayRun(each, scope, state));
  const around = behind.filter((_, at) => known[at] !== false);
  const value = evaluator.expression(state, scope, last.value);
  if (value.kind !== "function" || known.includes(undefined)) return undefined;
  const made = inEachOther(
    around.map((each) => each.value),
    { expression: last.value, context, takesNext: hir.parameters.length > 1 },
    span,
  );
  const key = `${functionKey(file, hir)}~`;
  return { callee: { kind: "function", function: made, scope, made: key }, of: [value] };
}

/** Functions may stand in lists. */
function spelledOut(argument: HirArgument): readonly HirArgument[] {
  const { value, isSpread } = argument;
  return value.kind === "array" && !isSpread ? value.items.flatMap(spelledOut) : [argument];
}

/** Values that run nothing: options beside the functions of a route. */
const PLAIN: ReadonlySet<Value["kind"]> = new Set(["object", "scalar", "text", "undefined"]);

/**
 * True if a middleware in between may run a statement inside of the transaction: known for functions of the workspace only. Undefined if it
 * is one of several functions that cannot be told apart.
 */
function mayRun(
  { value, isSpread }: HirArgument,
  scope: ModuleScope["scope"],
  state: State,
): boolean | undefined {
  if (isSpread) return undefined;
  const called = value.kind === "call" ? value.callee : value;
  const own = state.evaluator.expression(state, scope, called);
  if (own.kind === "function") return state.workspace.reach.mayReach(own.function);
  return own.kind === "list" ? undefined : !PLAIN.has(own.kind);
}

/** The handler of a route. */
interface Innermost {
  readonly expression: HirExpression;
  readonly context: HirParameter;
  /** It also takes the next function, which is not known. */
  readonly takesNext: boolean;
}

/** `(context) => first(context, () => second(context, () => handler(context)))`. */
function inEachOther(
  around: readonly HirExpression[],
  { expression: handler, context, takesNext }: Innermost,
  span: Span,
): HirFunction {
  const name = context.pattern.kind === "bind" ? context.pattern.name : "context";
  const own: HirExpression = { kind: "name", name, span };
  const nothing: HirExpression = { kind: "literal", value: undefined, span };
  const call = (callee: HirExpression, more: readonly HirExpression[]): HirExpression => ({
    ...{ kind: "call", callee, span, optional: false },
    arguments: [own, ...more].map((value) => ({ value, isSpread: false })),
  });
  const arrow = (value: HirExpression, parameters: readonly HirParameter[]): HirFunction => ({
    ...{ span, header: span, parameters, annotations: [] },
    body: [{ kind: "return", value, span }],
    ...{ isArrow: true, isGenerator: false, isAsync: true },
  });
  const whole = around.reduceRight<HirExpression>(
    (inner, each) => call(each, [{ kind: "function", function: arrow(inner, []), span }]),
    call(handler, takesNext ? [{ kind: "function", function: arrow(nothing, []), span }] : []),
  );
  return arrow(whole, [{ ...context, pattern: { kind: "bind", name, span } }]);
}

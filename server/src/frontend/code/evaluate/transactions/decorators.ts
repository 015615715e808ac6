// Decorators of the workspace's own that open a transaction around a method: the method is then the function that they
// put in its place.
import type { HirAnnotation, HirClass, HirExpression, HirMethod } from "../../hir";
import { functionKey } from "../../queries/origins";
import { textOf, UNDEFINED, type Scope, type Value } from "../../values";
import { recordOf } from "../lists/collections";
import { within } from "../fork";
import { collectCommands, type CallSite, type State } from "../state";

type FunctionValue = Extract<Value, { kind: "function" }>;

interface Found {
  readonly method: HirMethod;
  readonly of: { readonly class: HirClass; readonly scope: Scope };
}

/** A method as its decorators leave it: itself, unless one of them may open a transaction and gives another function. */
export function applyDecorators(
  state: State,
  { method, of }: Found,
  own: FunctionValue,
): FunctionValue {
  let result = own;
  // The one that stands nearest comes first.
  for (const annotation of method.function.annotations.toReversed()) {
    const replaced = replacedBy(state, annotation, of.scope, { name: method.name, own: result });
    const { self } = own;
    if (replaced) {
      const bound = replaced.function.isArrow || !self ? replaced : { ...replaced, self };
      // The method itself runs inside of it and has a key of its own.
      const made = `${functionKey(of.scope.module.file, method.function)}@`;
      result = { ...bound, made, ...(own.name !== undefined && { name: own.name }) };
    }
  }
  return result;
}

function replacedBy(
  state: State,
  annotation: HirAnnotation,
  scope: Scope,
  { name, own }: { readonly name: string; readonly own: FunctionValue },
): FunctionValue | undefined {
  const { span } = annotation;
  const [first = "", ...path] = annotation.name.split(".");
  if (scope.module.lookup(first) === undefined) return undefined;
  const written = path.reduce<HirExpression>(
    (object, property) => ({ kind: "member", object, property, optional: false, span }),
    { kind: "name", name: first, span },
  );
  const decorator = state.evaluator.expression(state, scope, written);
  if (decorator.kind !== "function" || !state.workspace.reach.mayOpen(decorator.function)) {
    return undefined;
  }
  return aside(state, () => {
    const site: CallSite = { span, isNew: false, typeArguments: [], name: annotation.name };
    const args = annotation.arguments.map((each) => state.evaluator.expression(state, scope, each));
    const isMade = takesMethod(decorator) === undefined || args.length > 0;
    const made = isMade ? state.evaluator.call(state, decorator, args, site) : decorator;
    if (made.kind !== "function") return undefined;
    if (takesMethod(made) === "itself") {
      const context = recordOf(state, { kind: textOf("method"), name: textOf(name) });
      const given = state.evaluator.call(state, made, [own, context], site);
      return given.kind === "function" ? given : undefined;
    }
    const descriptor = recordOf(state, { value: own });
    const target = own.self ?? UNDEFINED;
    const given = state.evaluator.call(state, made, [target, textOf(name), descriptor], site);
    const holder = given.kind === "object" ? given : descriptor;
    const value = holder.fields.get("value")?.value;
    return value?.kind === "function" && value.function !== own.function ? value : undefined;
  });
}

/**
 * The arguments of a function for a method that it decorates, as the language's decorators do (`(method, context)`) or as
 * TypeScript's older ones (`(target, key, descriptor)`); undefined for what takes something else.
 */
function takesMethod({
  function: { parameters },
}: FunctionValue): "itself" | "descriptor" | undefined {
  if (parameters.length === 3) return "descriptor";
  const types = parameters.map(({ type = "" }) => type);
  const second = parameters[1]?.pattern;
  const isContext = second?.kind === "bind" && /context|ctx/iu.test(second.name);
  if (parameters.length === 2 && (isContext || /Context/u.test(types[1] ?? ""))) return "itself";
  return undefined;
}

/** Runs something that is done once, when the class is made: its statements are of no transaction. */
function aside<Result>(state: State, run: () => Result): Result {
  let result: { readonly value: Result } | undefined;
  within(state, { frame: { ...state.frame, depth: 0, isRoot: false } }, () =>
    collectCommands(state, () => {
      result = { value: run() };
    }),
  );
  if (!result) throw new Error("what is collected runs at once");
  return result.value;
}

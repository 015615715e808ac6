// Methods of classes of the workspace, their own and what they inherit.
import type { HirMethod } from "../../hir";
import type { Value } from "../../values";
import type { State } from "../state";
import { applyDecorators } from "../transactions/decorators";
import { semanticsOf } from "../../semantics";

interface FoundMethod {
  readonly method: HirMethod;
  readonly of: NonNullable<Extract<Value, { kind: "object" }>["class"]>;
}

export function boundMethod(
  state: State,
  found: FoundMethod,
  self: Value,
): Extract<Value, { kind: "function" }> {
  const { method, of } = found;
  const name = of.class.name === undefined ? method.name : `${of.class.name}.${method.name}`;
  const { function: hir } = method;
  const own = { kind: "function", function: hir, scope: of.scope, self, name } as const;
  return hir.annotations.length === 0 || !semanticsOf(state.frame.file).runsDecorators
    ? own
    : applyDecorators(state, found, own);
}

/** A method of an object as a function. */
export function methodValue(
  state: State,
  self: Extract<Value, { kind: "object" }>,
  name: string,
  of = self.class,
): Value | undefined {
  const found = of && methodOf(state, of, name);
  return found && boundMethod(state, found, self);
}

/** A method of a class or of what it extends. */
export function methodOf(
  state: State,
  of: FoundMethod["of"],
  name: string,
  depth = 8,
): FoundMethod | undefined {
  const method = of.class.methods.find((each) => each.name === name && !each.isStatic);
  if (method !== undefined) return { method, of };
  const parent = depth > 0 ? superclassOf(of) : undefined;
  return parent && methodOf(state, parent, name, depth - 1);
}

/** The class of the workspace that a class extends. */
export function superclassOf(of: FoundMethod["of"]): Extract<Value, { kind: "class" }> | undefined {
  const { superclass } = of.class;
  if (superclass === undefined) return undefined;
  const parent = of.scope.module.lookup(superclass);
  return parent?.kind === "class" ? parent : undefined;
}

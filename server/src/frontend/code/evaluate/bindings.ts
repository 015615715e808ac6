// Names and what they hold.
import type { HirPattern } from "../hir";
import { oneOfSeveral, type Scope, UNDEFINED, unknown, type Value } from "../values";
import { orAbsent } from "./values/absence";
import { readsOf } from "./values/convert";
import { globalValue } from "./builtins/globals";
import { heldNamesOf } from "./values/exactTypes";
import { givenOr } from "./transactions/optionalClients";
import { itemOf, memberOf, optionalMember } from "./values/member";
import { choose, isNullish } from "./values/operators";
import { bornNow, newCell, write, type State } from "./state";

/** The value of a name: of the scopes around, of the module, of the language. */
export function lookup(scope: Scope, name: string): Value {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const cell = at.bindings.get(name);
    if (cell) return cell.value ?? UNDEFINED;
  }
  return scope.module.lookup(name) ?? globalValue(name) ?? unknown(`${name} is not known here`);
}

/** A scope inside another. */
export function innerScope(parent: Scope, self?: Value): Scope {
  return { bindings: new Map(), parent, module: parent.module, ...(self && { self }) };
}

/**
 * Binds what a pattern names: new names of the scope where it is a declaration, else the nearest ones of that name.
 */
export function bind(
  state: State,
  scope: Scope,
  pattern: HirPattern,
  value: Value,
  isDeclared: boolean,
): void {
  switch (pattern.kind) {
    case "bind":
      bindName(state, scope, pattern.name, value, isDeclared);
      return;
    case "place":
      if (pattern.place.kind === "name") {
        bindName(state, scope, pattern.place.name, value, isDeclared);
      }
      return;
    case "default": {
      const other = state.evaluator.expression(state, scope, pattern.value);
      // NULL may stand for a variable's value that was not given yet.
      const isVariable =
        value.kind === "scalar" && value.expression.kind === "variable" && !isDeclared;
      const filled =
        givenOr(state, value, other) ??
        (isVariable ? choose(isNullish(state, value), other, value) : withDefault(value, other));
      bind(state, scope, pattern.pattern, filled, isDeclared);
      return;
    }
    case "object": {
      const taken: string[] = [];
      for (const { key, pattern: inner } of pattern.entries) {
        const name = typeof key === "string" ? key : undefined;
        const part =
          name === undefined
            ? oneOfSeveral("a computed key", readsOf(value))
            : memberOf(state, value, name, pattern.span);
        if (name !== undefined) taken.push(name);
        bind(state, scope, inner, part, isDeclared);
      }
      if (pattern.rest) bind(state, scope, pattern.rest, restOf(state, value, taken), isDeclared);
      return;
    }
    case "array": {
      pattern.items.forEach((inner, at) => {
        if (inner) bind(state, scope, inner, itemOf(state, value, at), isDeclared);
      });
      if (pattern.rest) {
        const rest = oneOfSeveral("the rest of a list", readsOf(value));
        bind(state, scope, pattern.rest, rest, isDeclared);
      }
      return;
    }
    default:
      pattern satisfies never;
  }
}

function bindName(
  state: State,
  scope: Scope,
  name: string,
  value: Value,
  isDeclared: boolean,
): void {
  if (isDeclared) {
    scope.bindings.set(name, newCell(state, value));
    return;
  }
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const cell = at.bindings.get(name);
    if (cell) {
      write(state, cell, value);
      return;
    }
  }
  const living = scope.module.variable?.(name);
  if (living) write(state, living, value);
}

/** A value that is missing, or may be, gives way to a default; null does not. */
function withDefault(given: Value, other: Value): Value {
  const value = orAbsent(given);
  if (value.kind === "undefined") return other;
  if (value.kind !== "choice") return value;
  const { condition, then, otherwise } = value;
  return choose(condition, withDefault(then, other), withDefault(otherwise, other));
}

function restOf(state: State, value: Value, taken: readonly string[]): Value {
  const names = heldNamesOf(value);
  if (names === undefined)
    return value.kind === "input" ? value : oneOfSeveral("the rest of it", readsOf(value));
  const fields = names
    .filter((name) => !taken.includes(name))
    .map((name) => {
      const part = optionalMember(state, value, name, { start: 0, end: 0 });
      return [name, newCell(state, part)] as const;
    });
  return { kind: "object", fields: new Map(fields), born: bornNow(state) };
}

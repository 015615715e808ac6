// Tests of values' kinds at run time: `typeof value`, `"name" in value`.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import type { HirClass } from "../../hir";
import {
  constant,
  partPath,
  scalar,
  textOf,
  UNDEFINED,
  unknown,
  type HandleValue,
  type Scope,
  type Value,
} from "../../values";
import type { State } from "../state";
import { semanticsOf } from "../../semantics";
import { libraryOf } from "../../libraries/library";
import { besideFields } from "./rowGetters";
import { leftOut } from "./absence";
import { isThere } from "./absentFields";
import { declaredType, expressionOf, inputExpression, readsOf } from "./convert";
import { fieldNamesOf } from "./fieldNames";
import { choose, condition, overChoice } from "./operators";

/** Result of `typeof`; undefined where that is not known. */
export function typeName(state: State, value: Value): Value | undefined {
  const name = nameOf(state, value);
  if (name !== undefined) return textOf(name);
  if (value.kind === "input") return declaredName(value) ?? typeOfInput(value);
  if (value.kind !== "choice") return undefined;
  let isKnown = true;
  const names = overChoice(value, (part) => {
    const own = typeName(state, part);
    if (!own) isKnown = false;
    return own ?? UNDEFINED;
  });
  return isKnown ? names : undefined;
}

/** The declared type of an argument, where it is one of the language's own. */
function declaredName(value: Extract<Value, { kind: "input" }>): Value | undefined {
  const type = value.standsFor ?? value.type ?? "";
  const name = NAMES[declaredType(type) ?? ""];
  if (name === undefined || /\bbigint\b/u.test(type)) return undefined;
  const isNothing: Expression = { kind: "isNull", operand: inputExpression(value) };
  const orNull = /\bnull\b/u.test(type) ? choose(isNothing, textOf("object"), textOf(name)) : textOf(name); // prettier-ignore
  const isLeftOut = leftOut(value) ?? (/\bundefined\b/u.test(type) ? isNothing : undefined);
  return isLeftOut ? choose(isLeftOut, textOf("undefined"), orNull) : orNull;
}

/** The type of an argument that may be anything: a function of that. */
function typeOfInput(value: Extract<Value, { kind: "input" }>): Value {
  const args = [inputExpression(value)];
  return scalar(
    { kind: "call", name: "code:typeof", arguments: args, deterministic: true },
    "text",
  );
}

const NAMES: Readonly<Record<string, string | undefined>> = {
  text: "string",
  decimal: "number",
  bool: "boolean",
};

function nameOf(state: State, value: Value): string | undefined {
  switch (value.kind) {
    case "undefined":
      return "undefined";
    case "text":
      return "string";
    case "function":
    case "class":
      return "function";
    case "object":
    case "list":
    case "rows":
    case "joined":
    case "derived":
      return "object";
    case "scalar": {
      const { expression } = value;
      if (expression.kind !== "literal") return undefined;
      return expression.value === null ? "object" : typeof expression.value;
    }
    case "handle": {
      // A method that the handle was asked for.
      const property = value.path.split(".").at(-1) ?? "";
      const has = hasPart(state, value, property);
      return has === undefined ? undefined : has ? "function" : "undefined";
    }
    default:
      return undefined;
  }
}

/** True if a value has a property, as a condition; undefined where that is not known. */
export function hasProperty(state: State, value: Value, property: string): Value | undefined {
  switch (value.kind) {
    case "handle": {
      const has = hasPart(state, value, property);
      return has === undefined ? undefined : constant(has);
    }
    case "choice": {
      const [then, otherwise] = [value.then, value.otherwise].map((part) =>
        hasProperty(state, part, property),
      );
      return then && otherwise && choose(value.condition, then, otherwise);
    }
    case "object": {
      if (value.isMap === true || value.class || !fieldNamesOf(value)) return undefined;
      const field = value.fields.get(property)?.value;
      return field ? isThere(field) : constant(false);
    }
    case "input":
      return hasPartOfInput(value, property);
    default:
      return undefined;
  }
}

/** Which member of a union an argument is: a truth value beside what its parts are. */
function hasPartOfInput(value: Extract<Value, { kind: "input" }>, property: string): Value {
  const { path, origin, element } = value;
  const name = `has ${property}`;
  const field = element?.field === "" ? name : `${element?.field ?? ""}.${name}`;
  const has: Value = {
    kind: "input",
    path: partPath(path, name),
    origin,
    type: "boolean",
    ...(element && { element: { ...element, field } }),
  };
  return condition({ kind: "sameValue", left: inputExpression(has), right: literal(true) });
}

/** True if a value is of a class, or of one that extends it. Nothing and plain data are of none of the code's own. */
export function instanceOf(state: State, value: Value, of: Value): Value {
  if (value.kind === "choice") return overChoice(value, (part) => instanceOf(state, part, of));
  if (value.kind === "undefined") return constant(false);
  const own = classOf(state, value);
  const isOf = own && of.kind === "class" ? isSubclass(own, of.class) : undefined;
  if (isOf !== undefined) return constant(isOf);
  // Elsewhere lists and texts are of interfaces and classes of a library.
  if (of.kind === "builtin" && semanticsOf(state.frame.file).hasLiterals) {
    if (of.name === "Array" && LISTS.has(value.kind) && !isSet(value)) return constant(true);
    if (of.name === "Date" && value.kind === "scalar" && value.type === "time")
      return condition({
        kind: "not",
        operand: { kind: "isNull", operand: expressionOf(state, value) },
      });
    if (of.name === "Object" && LISTS.has(value.kind)) return constant(true);
    if (value.kind === "text") return constant(false);
  }
  return unknown("whether it is an instance", readsOf(value));
}

function isSet(value: Value): boolean {
  return "isOnce" in value && value.isOnce === true;
}

/** The class of an object, or of a row that a library made one of. */
function classOf(state: State, value: Value): OfClass | undefined {
  if (value.kind === "object") return value.class;
  if (value.kind !== "row") return undefined;
  const own = besideFields(state, value, "constructor", { start: 0, end: 0 });
  return own?.kind === "class" ? own : undefined;
}

const LISTS: ReadonlySet<Value["kind"]> = new Set(["list", "rows", "derived", "joined"]);

/** True if a class is another, or extends it; undefined where it extends what is not known. */
function isSubclass(own: OfClass, of: HirClass, depth = 0): boolean | undefined {
  if (own.class === of) return true;
  if (depth === DEEPEST) return undefined;
  const { superclass, interfaces } = own.class;
  const supers = [...(superclass === undefined ? [] : [superclass]), ...interfaces];
  const answers = supers.map((name) => {
    const found = own.scope.module.lookup(name);
    if (found?.kind === "class") return isSubclass(found, of, depth + 1);
    return isOfOthers(own.scope, name, found) ? false : undefined;
  });
  if (answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}

/** True for a class of the language or of a package, which extends none of the workspace. */
function isOfOthers(scope: Scope, name: string, found: Value | undefined): boolean {
  if (found?.kind === "external") return found.module !== undefined;
  if (found?.kind === "handle" || found?.kind === "builtin") return true;
  if (found !== undefined || !/^[\w$.]+$/u.test(name)) return false;
  for (let at: Scope | undefined = scope; at; at = at.parent)
    if (at.bindings.has(name)) return false;
  return true;
}

type OfClass = NonNullable<Extract<Value, { kind: "object" }>["class"]>;

const DEEPEST = 12;

/** True if a part of a library has a property, where that is known. */
function hasPart(state: State, value: HandleValue, property: string): boolean | undefined {
  return libraryOf(value).has?.(value, property, state.evaluator.tools(state, libraryOf(value)));
}

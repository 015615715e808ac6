// What the code asks of values' kinds while it runs: `typeof value`, `"name" in value`.
import { textOf, UNDEFINED, type Value } from "../../values";
import type { Expression } from "../../../../program/expression";
import type { State } from "../state";
import { leftOut } from "./absence";
import { declaredType, inputExpression } from "./convert";
import { choose, overChoice } from "./operators";

/** What `typeof` gives; undefined where that is not known. */
export function typeName(state: State, value: Value): Value | undefined {
  const name = nameOf(state, value);
  if (name !== undefined) return textOf(name);
  if (value.kind === "input") return declaredName(value);
  if (value.kind !== "choice") return undefined;
  let isKnown = true;
  const names = overChoice(value, (part) => {
    const own = typeName(state, part);
    if (!own) isKnown = false;
    return own ?? UNDEFINED;
  });
  return isKnown ? names : undefined;
}

/** What the declared type of an argument says, which is a type of the language's own. */
function declaredName(value: Extract<Value, { kind: "input" }>): Value | undefined {
  const type = value.standsFor ?? value.type ?? "";
  const name = NAMES[declaredType(type) ?? ""];
  if (name === undefined || /\bbigint\b/u.test(type)) return undefined;
  const isNothing: Expression = { kind: "isNull", operand: inputExpression(value) };
  const orNull = /\bnull\b/u.test(type) ? choose(isNothing, textOf("object"), textOf(name)) : textOf(name); // prettier-ignore
  const isLeftOut = leftOut(value) ?? (/\bundefined\b/u.test(type) ? isNothing : undefined);
  return isLeftOut ? choose(isLeftOut, textOf("undefined"), orNull) : orNull;
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
      const has = hasProperty(state, value, property);
      return has === undefined ? undefined : has ? "function" : "undefined";
    }
    default:
      return undefined;
  }
}

/** Whether a value has a property, where that is known. */
export function hasProperty(state: State, value: Value, property: string): boolean | undefined {
  if (value.kind !== "handle") return undefined;
  return value.library.has?.(value, property, state.evaluator.tools(state, value.library));
}

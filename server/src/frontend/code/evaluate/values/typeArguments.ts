// Types with arguments, and what the type of a function says that it gives to the functions that it is given.
import type { State } from "../state";
import { typeTree } from "../../typeTree";
import { typeOfName } from "./memberTypes";
import type { WrittenType } from "./unionTypes";

/** Meaning of the name of a type with arguments, with these: `Wrapped<Service>`. Linear in the text. */
export function appliedType(state: State, type: WrittenType): WrittenType | undefined {
  const { text, module, bound } = type;
  const tree = typeTree(text);
  if (tree.kind !== "name" || tree.arguments.length === 0) return undefined;
  const named = typeOfName(state, module, tree.name);
  if (!named?.parameters) return undefined;
  const own = named.parameters.flatMap((parameter, at) => {
    const argument = tree.arguments[at]?.text;
    if (argument === undefined) return [];
    const written = bound?.get(argument) ?? { text: argument, module, ...(bound && { bound }) };
    return [[parameter, written] as const];
  });
  return { ...named, bound: new Map(own) };
}

/** The type of a parameter of the function that a function is given as one of its arguments; undefined where none is said. */
export function givenToCallback(
  state: State,
  type: WrittenType,
  argument: number,
  parameter: number,
): WrittenType | undefined {
  const callback = parametersOf(state, type)?.[argument];
  return callback && parametersOf(state, callback)?.[parameter];
}

/** True if it may be the type of a function. */
export function isOfFunction({ text }: WrittenType): boolean {
  return text.includes("=>");
}

/** The types of a function's parameters: `<T>(a: A, work: (b: B) => T) => C`. */
function parametersOf(state: State, type: WrittenType): readonly WrittenType[] | undefined {
  const { bound } = type;
  const written = type.text.trim();
  const named = /^[\w$]+$/u.test(written) ? typeOfName(state, type.module, written) : undefined;
  const { text, module } = bound?.get(written) ?? named ?? type;
  const tree = typeTree(text);
  if (tree.kind !== "function") return undefined;
  return tree.parameters.map((each) => {
    return { text: each?.text ?? "", module, ...(bound && { bound }) };
  });
}

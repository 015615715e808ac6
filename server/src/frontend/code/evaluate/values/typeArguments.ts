// Types with arguments, and what the type of a function says that it gives to the functions that it is given.
import type { State } from "../state";
import { splitAt, typeOfName } from "./memberTypes";
import type { WrittenType } from "./unionTypes";

/** Meaning of the name of a type with arguments, with these: `Wrapped<Service>`. Linear in the text. */
export function appliedType(state: State, type: WrittenType): WrittenType | undefined {
  const { text, module, bound } = type;
  const [, name, inner = ""] = /^([\w$]+)\s*<(.*)>$/su.exec(text.trim()) ?? [];
  const named = name === undefined ? undefined : typeOfName(state, module, name);
  if (!named?.parameters) return undefined;
  const given = splitAt(inner, ",").map((each) => each.trim());
  const own = named.parameters.flatMap((parameter, at) => {
    const argument = given[at];
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
  const plain = text.trim().replace(/^<.*?>\s*(?=\()/su, "");
  const [list] = splitAt(plain, "=");
  const [, inner] = /^\((.*)\)\s*$/su.exec(list ?? "") ?? [];
  return inner === undefined
    ? undefined
    : splitAt(inner, ",").map((each) => {
        const own = /^\s*[\w$]+\s*(?:\?\s*)?:(.+)$/su.exec(each)?.[1] ?? "";
        return { text: own.trim(), module, ...(bound && { bound }) };
      });
}

// Questions about a value and what it holds. Records may hold each other.
import type { Expression } from "../../../../program/expression";
import { isOfScalars, typeTree } from "../../typeTree";
import { oneOfSeveral, unknown, type ObjectValue, type Value } from "../../values";

/**
 * True if something holds for a value, or for one within it. `look` says whether it holds for one, or gives those within
 * it that are to be looked at instead. Each is looked at once: linear in what is held.
 */
export function someWithin(
  value: Value,
  look: (value: Value) => boolean | readonly Value[],
): boolean {
  const seen = new Set([value]);
  // Grows while it is gone over.
  for (const each of seen) {
    const found = look(each);
    if (found === true) return true;
    if (found === false) continue;
    for (const inner of found) seen.add(inner);
  }
  return false;
}

/** Content of the fields of a record. */
export function heldBy({ fields }: ObjectValue): readonly Value[] {
  return [...fields.values()].flatMap(({ value }) => value ?? []);
}

/** True for scalars, nothing, and objects of other packages: no function and no object of the code's own is reached by them. */
export function isAtom(value: Value): boolean {
  switch (value.kind) {
    case "undefined":
    case "scalar":
    case "text":
    case "external":
      return true;
    case "input":
      return value.type !== undefined && isOfScalars(typeTree(value.type));
    case "unknown":
      return value.among === undefined;
    case "choice":
      return isAtom(value.then) && isAtom(value.otherwise);
    default:
      return false;
  }
}

/** A part of a list or a record of which it is not known which: data where all of them are. */
export function unknownPart(whole: Value, why: string, reads: readonly Expression[]): Value {
  const parts = partsOf(whole);
  return parts?.every(isAtom) === true ? unknown(why, reads) : oneOfSeveral(why, reads);
}

function partsOf(whole: Value): readonly Value[] | undefined {
  if (whole.kind === "list") {
    return present([...whole.items.map((item) => item.value), whole.grown.value]);
  }
  if (whole.kind !== "object" || whole.class) return undefined;
  return present([...heldBy(whole), whole.rest, whole.pairs]);
}

function present(values: readonly (Value | undefined)[]): readonly Value[] {
  return values.flatMap((value) => value ?? []);
}

/** True if a value is a function or an object of a class, or holds one. Linear in what it holds. */
export function hasMethods(value: Value): boolean {
  return someWithin(value, (each) => {
    if (each.kind === "choice") return [each.then, each.otherwise];
    if (each.kind === "object") return each.class !== undefined || heldBy(each);
    return each.kind === "function" || each.kind === "class";
  });
}

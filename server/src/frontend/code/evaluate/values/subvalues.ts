// Questions about a value and what it holds. Records may hold each other.
import type { Expression } from "../../../../program/expression";
import {
  alternativesOf,
  isCollectionType,
  isNothing,
  isOfScalars,
  itemTypeOf,
  typeTree,
  type Type,
} from "../../typeTree";
import { oneCollection, oneOfSeveral, unknown, type ObjectValue, type Value } from "../../values";
import { isKept } from "./weakReferences";

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

/** True for maps, sets and lists that the code makes, or one of several of them, or nothing. */
export function isCollection(value: Value): boolean {
  switch (value.kind) {
    case "undefined":
    case "list":
      return true;
    case "object":
      return value.isMap === true;
    case "unknown":
      return value.among === "collections";
    case "choice":
      return isCollection(value.then) && isCollection(value.otherwise);
    default:
      return false;
  }
}

/** True for atoms and for records of nothing else. */
function isData(value: Value): boolean {
  return !someWithin(value, (each) => {
    if (each.kind === "choice") return [each.then, each.otherwise];
    const isRecord = each.kind === "object" && !each.class && each.isMap !== true;
    return isRecord ? (partsOf(each) ?? true) : !isAtom(each);
  });
}

/** One of values of which it is not known which: data, or a collection, where all of them are. */
export function unknownOf(
  values: readonly Value[],
  why: string,
  reads: readonly Expression[],
): Value {
  if (values.every(isData)) return unknown(why, reads);
  return values.every(isCollection) ? oneCollection(why, reads) : oneOfSeveral(why, reads);
}

/** Something of a type, or nothing, of which nothing else is known. */
export function unknownOfType(
  type: Type | undefined,
  why: string,
  reads: readonly Expression[],
): Value {
  const all = type ? alternativesOf(type).filter((each) => !isNothing(each)) : [];
  if (all.length === 0) return oneOfSeveral(why, reads);
  if (all.every(isOfData)) return unknown(why, reads);
  if (!all.every(isCollectionType)) return oneOfSeveral(why, reads);
  return oneCollection(why, reads, all.length === 1 ? all.flatMap((each) => itemTypeOf(each) ?? [])[0] : undefined); // prettier-ignore
}

/** True for scalars, and for records of which nothing but that they are data is told. */
function isOfData(type: Type): boolean {
  return (
    isOfScalars(type) || (type.kind === "record" && type.members.size === 0 && !type.hasMethods)
  );
}

/** A part of a list or a record of which it is not known which. */
export function unknownPart(whole: Value, why: string, reads: readonly Expression[]): Value {
  const parts = partsOf(whole);
  const joined = parts && unknownOf(parts, why, reads);
  const type = itemsOf(whole);
  return joined && (type === undefined || !isKept(joined)) ? joined : unknownOfType(type, why, reads); // prettier-ignore
}

/** The declared type of what something holds. */
function itemsOf(whole: Value): Type | undefined {
  if (whole.kind === "unknown") return whole.items;
  if (whole.kind === "object") return whole.content;
  return whole.kind === "input" && whole.type !== undefined
    ? itemTypeOf(typeTree(whole.type))
    : undefined;
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

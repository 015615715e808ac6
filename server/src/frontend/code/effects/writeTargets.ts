// Targets of an assignment or a call, by syntax: `name.field`; `name.field=` if the result of a call is assigned, `name.field-` if it is
// emptied, `name.*` if the field is known only at run time.
import type { HirExpression } from "../hir";

/** Stands for a field that is known only at run time, and for all items of a list, set or map. */
export const ANY_CHANGE = "*";

/** The name of the receiver in a method. */
export const THIS = "this";

/** The suffix of a field that is assigned the result of a call. */
const MADE = "=";

/** The suffix of a field that is emptied. */
const EMPTIED = "-";

/** The suffix of a field that keeps its object while something in the object changes. */
export const INSIDE = "+";

/** The suffix for the field that an assignment writes. */
export function markOf({ operator, value }: Assignment): string {
  if (!isPlain(operator)) return "";
  return isMade(value) ? MADE : isNothing(value) ? EMPTIED : "";
}

type Assignment = Pick<Extract<HirExpression, { kind: "assign" }>, "operator" | "value">;

/** True if an assignment gives what stands there, if anything: `=`, `??=`, `||=`. */
export function isPlain(operator: string | undefined): boolean {
  return operator === undefined || operator === "??" || operator === "||";
}

/** The field of a change, and whether the change may turn an empty field into anything other than a created object. */
export function fieldOfChange(change: string): { readonly field: string; readonly isAny: boolean } {
  const isAny = !MARKS.has(change.at(-1) ?? "");
  return { field: isAny ? change : change.slice(0, -1), isAny };
}

const MARKS: ReadonlySet<string> = new Set([MADE, EMPTIED, INSIDE]);

/** True if an expression is `null` or `undefined`. */
export function isNothing(value: HirExpression): boolean {
  if (value.kind === "typed") return isNothing(value.operand);
  return value.kind === "literal" && (value.value === null || value.value === undefined);
}

/** True if an expression creates its value: a client, something loaded. */
export function isMade(value: HirExpression): boolean {
  if (value.kind === "await" || value.kind === "typed") return isMade(value.operand);
  return value.kind === "new" || value.kind === "call";
}

/** `name.field` for the target of an assignment; undefined if the target has no name. */
export function changedPlace(place: HirExpression): string | undefined {
  if (place.kind === "typed") return changedPlace(place.operand);
  if (
    place.kind === "call" &&
    place.callee.kind === "member" &&
    TAKING.has(place.callee.property)
  ) {
    return changedIn(place.callee.object);
  }
  if (place.kind !== "member" && place.kind !== "index") return undefined;
  const root = rootOf(place.object);
  if (root === undefined) return changedPlace(place.object);
  const field = place.kind === "member" ? place.property : ANY_CHANGE;
  return `${root}.${field}`;
}

/** The same for a call that changes its receiver or its first argument. */
export function changedByCall(
  call: Extract<HirExpression, { kind: "call" | "new" }>,
): string | undefined {
  const target = changedBy(call);
  const place = target && changedIn(target);
  return place === undefined || place.endsWith(ANY_CHANGE) ? place : place + INSIDE;
}

/** The object that changes if the result of an expression is changed. */
function changedIn(target: HirExpression): string | undefined {
  const root = rootOf(target);
  return root === undefined ? changedPlace(target) : `${root}.${ANY_CHANGE}`;
}

/** Methods that return an item of a collection: `by.get(key).push(item)`. */
const TAKING: ReadonlySet<string> = new Set(["get", "at", "find"]);

/** The target of a call: the receiver of its method, or the first argument of `Object.assign`. */
export function changedBy({
  callee,
  arguments: [first],
}: Extract<HirExpression, { kind: "call" | "new" }>): HirExpression | undefined {
  if (callee.kind !== "member") return undefined;
  const { object, property } = callee;
  const isAssign = object.kind === "name" && object.name === "Object" && property === "assign";
  return isAssign ? first?.value : CHANGING.has(property) ? object : undefined;
}

/**
 * The arguments of a call as the callee gets them: the callee's name (`f`, `root.m`), the position (`0`, or `0.key` for a value in a
 * record), `root` or `root.field`.
 */
export function handedBy({
  callee,
  arguments: args,
}: Extract<HirExpression, { kind: "call" | "new" }>): readonly string[] {
  const name = calleeName(callee);
  if (name === undefined) return [];
  const of = (at: string, value: HirExpression): readonly string[] => {
    const place = rootOf(value) ?? changedPlace(value);
    return place === undefined ? [] : [`${name} ${at} ${place}`];
  };
  return args.flatMap(({ value, isSpread }, at) => {
    if (isSpread) return [];
    if (value.kind !== "object") return of(String(at), value);
    return value.entries.flatMap((each) =>
      each.kind === "property" && typeof each.key === "string" && !each.key.includes(" ")
        ? of(`${String(at)}.${each.key}`, each.value)
        : [],
    );
  });
}

/** `f`, `root.m`; members between the two are omitted. */
function calleeName(callee: HirExpression): string | undefined {
  if (callee.kind === "name") return callee.name;
  if (callee.kind !== "member") return undefined;
  const of = rootOf(callee.object) ?? changedPlace(callee.object)?.split(".", 1)[0];
  return of === undefined ? undefined : `${of}.${callee.property}`;
}

const CHANGING: ReadonlySet<string> = new Set(
  "push unshift pop shift splice reverse sort fill add delete clear set".split(" "),
);

function rootOf(object: HirExpression): string | undefined {
  if (object.kind === "typed") return rootOf(object.operand);
  if (object.kind === "this") return THIS;
  return object.kind === "name" ? object.name : undefined;
}

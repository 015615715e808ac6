// Targets of an assignment or a call, by how it is written: `name.field`; `name.field=` where it is given what a call
// made, `name.field-` where it is given nothing, `name.*` where that is only known when it runs.
import type { HirExpression } from "../hir";

/** Stands for what is only known when it runs, and for all that a list, set or map holds. */
export const ANY_CHANGE = "*";

/** The name of the object that a method is called on. */
export const THIS = "this";

/** The mark behind a field that an assignment gives what a call made. */
const MADE = "=";

/** The mark behind a field that is emptied. */
const EMPTIED = "-";

/** The mark behind a field that stays the object it is while something in that object changes. */
export const INSIDE = "+";

/** The members behind the field that an assignment writes. */
export function markOf({ operator, value }: Assignment): string {
  if (!isPlain(operator)) return "";
  return isMade(value) ? MADE : isNothing(value) ? EMPTIED : "";
}

type Assignment = Pick<Extract<HirExpression, { kind: "assign" }>, "operator" | "value">;

/** True if an assignment gives what stands there, if anything: `=`, `??=`, `||=`. */
export function isPlain(operator: string | undefined): boolean {
  return operator === undefined || operator === "??" || operator === "||";
}

/** The field of a change, and whether it may change what was nothing before to anything else than what was made. */
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

/** True if something is made where it stands: a client, what was loaded. */
export function isMade(value: HirExpression): boolean {
  if (value.kind === "await" || value.kind === "typed") return isMade(value.operand);
  return value.kind === "new" || value.kind === "call";
}

/** `name.field` of what is written where something is assigned to a place; undefined where that is of no name. */
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

/** The same of a call that changes what it is called on, or its first argument. */
export function changedByCall(
  call: Extract<HirExpression, { kind: "call" | "new" }>,
): string | undefined {
  const target = changedBy(call);
  return target && changedIn(target);
}

/** The objects that change where something changes in the result of an expression. */
function changedIn(target: HirExpression): string | undefined {
  const root = rootOf(target);
  return root === undefined ? changedPlace(target) : `${root}.${ANY_CHANGE}`;
}

/** Methods that give what a collection holds: `by.get(key).push(item)`. */
const TAKING: ReadonlySet<string> = new Set(["get", "at", "find"]);

/** The target of a call: what its method is called on, or what is given to `Object.assign`. */
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
 * The arguments of a call to the function that it calls: its name (`f`, `root.m`), the position (`0`, or `0.key` of what stands in a
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

/** `f`, `root.m`; what is between the two is left out. */
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

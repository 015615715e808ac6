// What the code assigns to a name at the top of a module, or to a static field of a class there, wherever that stands.
import { boundNames } from "./boundNames";
import { isPlain } from "./changedPlaces";
import type {
  HirClass,
  HirExpression,
  HirFunction,
  HirModule,
  HirPattern,
  HirStatement,
} from "./hir";
import { namedIn } from "./named";
import { isFunction, visitInto } from "./nodes";
import { originOf } from "./origins";

/** What is assigned, what says the same once; `isOther`: that, or how it is written, is not all that it can come to hold. */
export interface Assignments {
  readonly values: readonly HirExpression[];
  readonly isOther: boolean;
}

/** What a module assigns to a name at its top. Linear in the statements that mention it as something assigned. */
export function assignmentsTo(module: HirModule, name: string): Assignments {
  const found: Found = { values: new Map(), isOther: false };
  for (const moved of module.body) {
    // Its own declaration is none.
    if (boundNames(moved).includes(name)) continue;
    if (!namedIn(originOf(moved)).assigned.has(name)) continue;
    look(
      moved,
      (target) => isName(target, name),
      found,
      (inner) => binds(inner, name),
    );
  }
  return assignmentsIn(found);
}

/** What a module assigns to a static field of a class of that name. */
export function assignmentsToStatic(module: HirModule, of: HirClass, field: string): Assignments {
  const found: Found = { values: new Map(), isOther: false };
  const isOf = (target: HirPattern | HirExpression, isOwn: boolean): boolean => {
    const place = target.kind === "place" ? target.place : target;
    if (place.kind !== "member" || place.property !== field) return false;
    const { object } = place;
    return object.kind === "name" ? object.name === of.name : isOwn && object.kind === "this";
  };
  for (const moved of module.body) {
    const { changed } = namedIn(originOf(moved));
    if (changed.size > 0) look(moved, (each) => isOf(each, false), found);
  }
  for (const { function: hir, isStatic } of of.methods) {
    if (isStatic) look(hir, (each) => !isOf(each, false) && isOf(each, true), found);
  }
  return assignmentsIn(found);
}

/**
 * What a module assigns to what a name at its top declares, static fields with it, as text without places: where it is
 * the same, so is what may stand there.
 */
export function assignedText(module: HirModule, name: string): string {
  const statement = module.body.find((each) => boundNames(each).includes(name));
  if (statement?.kind !== "class") return textOf([assignmentsTo(module, name)]);
  const statics = statement.class.fields.filter(({ isStatic }) => isStatic);
  return textOf(statics.map((field) => assignmentsToStatic(module, statement.class, field.name)));
}

function textOf(part: HirExpression | readonly Assignments[]): string {
  return JSON.stringify(part, (key, value: unknown) =>
    key === "span" || key === "start" ? undefined : value,
  );
}

interface Found {
  /** By what they say. */
  readonly values: Map<string, HirExpression>;
  isOther: boolean;
}

function assignmentsIn({ values, isOther }: Found): Assignments {
  return { values: [...values.values()], isOther };
}

function look(
  part: HirStatement | HirFunction,
  isTarget: (target: HirPattern | HirExpression) => boolean,
  found: Found,
  isHidden: (inner: HirFunction) => boolean = () => false,
): void {
  visitInto(part, (node) => {
    if (isFunction(node) && isHidden(node)) return false;
    if (!("kind" in node) || !("target" in node)) return true;
    const { kind, target } = node;
    if (kind === "increment" && isTarget(target as HirExpression)) found.isOther = true; // by its kind
    if (kind !== "assign") return true;
    const own = node as Extract<HirExpression, { kind: "assign" }>; // by its kind
    if (isTarget(own.target)) {
      if (isPlain(own.operator)) found.values.set(textOf(own.value), own.value);
      else found.isOther = true;
    } else if (own.target.kind === "object" || own.target.kind === "array") {
      visitInto(own.target, (inner) => {
        found.isOther ||= "kind" in inner && isTarget(inner as HirPattern); // parts of patterns
        return true;
      });
    }
    return true;
  });
}

function isName(target: HirPattern | HirExpression, name: string): boolean {
  if (target.kind === "place") return isName(target.place, name);
  return (target.kind === "bind" || target.kind === "name") && target.name === name;
}

/** Whether a function has a name of its own: what it assigns to it is nothing to others. */
function binds(hir: HirFunction, name: string): boolean {
  let found = hir.parameters.some(({ pattern }) => bindsIn(pattern, name));
  visitInto(hir.body, (node) => {
    found ||= isStatement(node) && boundNames(node).includes(name);
    return !found && !isFunction(node);
  });
  return found;
}

function bindsIn(pattern: HirPattern, name: string): boolean {
  let found = false;
  visitInto(pattern, (node) => {
    found ||= "kind" in node && node.kind === "bind" && "name" in node && node.name === name;
    return !found;
  });
  return found;
}

function isStatement(node: object): node is HirStatement {
  return (
    "kind" in node && (node.kind === "let" || node.kind === "function" || node.kind === "class")
  );
}

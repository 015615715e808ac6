// Side effects of code on objects that it did not create, judging by its text: fields of its arguments and of enclosing variables, and
// those variables themselves.
import { ofNode } from "../../../query/nodes";
import type { HirArgument, HirExpression, HirMethod, HirPattern, HirStatement } from "../hir";
import { visit } from "../nodes";
import { changedBy } from "./writeTargets";

/**
 * True if a function or a top-level statement may change something that others see. Effects of its callees are not included. Linear in its
 * size, once.
 */
export const changesOthers = ofNode((origin: object): boolean => {
  const { declared, given, assigned, places } = lookOver(origin);
  const isOwn = (name: string): boolean => declared.has(name) && !given.has(name);
  return (
    [...assigned].some((name) => !declared.has(name)) ||
    places.some(({ root, depth }) => depth > 1 || !isOwn(root))
  );
});

interface Found {
  readonly declared: Set<string>;
  /** Names of objects that may not have been created here. */
  readonly given: Set<string>;
  readonly assigned: Set<string>;
  /** The target of a change: a name's value, or a part of it so many members down. */
  readonly places: { readonly root: string; readonly depth: number }[];
}

function lookOver(origin: object): Found {
  const declared = new Set<string>();
  const given = new Set<string>();
  const assigned = new Set<string>();
  const places: Found["places"] = [];
  /** Patterns and places that were handled along with their parent. */
  const told = new Set<object>();
  const make = (pattern: HirPattern): void => {
    if (pattern.kind !== "bind") return;
    told.add(pattern);
    declared.add(pattern.name);
  };
  const change = (place: HirExpression): void => {
    if (place.kind === "name") assigned.add(place.name);
    else places.push(rootOf(place));
  };
  visit(origin, (part) => {
    if (told.has(part) || !("kind" in part)) return;
    const node = part as HirExpression | HirStatement | HirPattern | HirMethod; // told apart by their kinds
    switch (node.kind) {
      case "let":
        if (node.value === undefined || isFresh(node.value)) make(node.pattern);
        return;
      case "constructor":
        // A value that a constructor assigns to its object is as new as the object.
        visit(node.function, (inner) => {
          if (isPlaceOfThis(inner)) told.add(inner);
        });
        return;
      case "call": {
        const { callee, arguments: args } = node;
        if (callee.kind !== "member") return;
        if (callee.property === "reduce") beginsFresh(args, make);
        const changed = changedBy(node);
        if (changed && !isFresh(changed)) places.push(rootOf(changed));
        return;
      }
      case "assign":
        visit(node.target, (inner) => {
          if (!isBind(inner)) return;
          told.add(inner);
          assigned.add(inner.name);
          if (inner !== node.target || !isFresh(node.value)) given.add(inner.name);
        });
        return;
      case "bind":
        declared.add(node.name);
        given.add(node.name);
        return;
      case "place":
        change(node.place);
        return;
      case "increment":
        change(node.target);
        return;
      case "unary":
        if (node.operator === "delete") change(node.operand);
        return;
      default:
    }
  });
  return { declared, given, assigned, places };
}

/** `list.reduce((all, item) => ..., [])`: the accumulator begins as a new object. */
function beginsFresh(
  [by, start]: readonly HirArgument[],
  make: (pattern: HirPattern) => void,
): void {
  const [handedOn] = by?.value.kind === "function" ? by.value.function.parameters : [];
  if (handedOn && start && isFresh(start.value)) make(handedOn.pattern);
}

/** True if an expression creates an object that nobody else has; its contents may be shared. */
function isFresh(hir: HirExpression): boolean {
  switch (hir.kind) {
    case "typed":
      return isFresh(hir.operand);
    case "object":
    case "array":
    case "new":
    case "function":
    case "literal":
    case "text":
    case "template":
      return true;
    case "call":
      return hir.callee.kind === "member" && COPIES.has(hir.callee.property);
    default:
      return false;
  }
}

/** Methods that return a list or record of their own. */
const COPIES: ReadonlySet<string> = new Set(
  "map filter slice concat flat flatMap split keys values entries fromEntries from toSorted".split(
    " ",
  ),
);

function rootOf(place: HirExpression): Found["places"][number] {
  let depth = 0;
  let at = place;
  while (at.kind === "member" || at.kind === "index" || at.kind === "typed") {
    if (at.kind !== "typed") depth += 1;
    at = at.kind === "typed" ? at.operand : at.object;
  }
  return { root: at.kind === "name" ? at.name : "", depth };
}

function isPlaceOfThis(part: object): boolean {
  if (!("kind" in part && part.kind === "place" && "place" in part)) return false;
  const { place } = part as Extract<HirPattern, { kind: "place" }>; // by its kind
  return place.kind === "member" && place.object.kind === "this";
}

function isBind(part: object): part is Extract<HirPattern, { kind: "bind" }> {
  return "kind" in part && part.kind === "bind" && "name" in part;
}

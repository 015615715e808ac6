// Assignments to a top-level name or to a static field of a top-level class, anywhere in the module.
import { ofNode } from "../../../query/nodes";
import { boundNames } from "../modules/boundNames";
import type {
  HirClass,
  HirExpression,
  HirFunction,
  HirModule,
  HirPattern,
  HirStatement,
} from "../hir";
import { namedIn } from "../modules/references";
import { isFunction, visitInto } from "../nodes";
import { numberOf, originOf } from "../queries/origins";
import { isMade, isPlain } from "./writeTargets";

/** The assigned values, as text; `isOther`: the name may also hold values that are not among these. */
export interface Assignments {
  readonly values: readonly AssignmentRecord[];
  readonly isOther: boolean;
  /** The indexes of the top-level statements that create the assigned values. */
  readonly makers: ReadonlySet<number>;
}

export interface AssignmentRecord {
  readonly value: HirExpression;
  /** Local names around an assigned value, with their types. */
  readonly inner: ReadonlyMap<string, string | undefined>;
}

/** The assignments of a module to a top-level name. Linear in the statements that mention it as an assignment target. */
export function assignmentsTo(module: HirModule, name: string): Assignments {
  const found = nothingFound();
  for (const moved of module.body) {
    // The name's own declaration is no assignment.
    if (boundNames(moved).includes(name)) continue;
    if (!namedIn(originOf(moved)).assigned.has(name)) continue;
    lookAtTop(
      moved,
      (target) => isName(target, name),
      found,
      (own) => own.has(name),
    );
  }
  return assignmentsIn(found);
}

/** The assignments of a module to a static field of a top-level class. */
export function assignmentsToStatic(module: HirModule, of: HirClass, field: string): Assignments {
  const found = nothingFound();
  const isOf = (target: HirPattern | HirExpression, isOwn: boolean): boolean => {
    const place = target.kind === "place" ? target.place : target;
    if (place.kind !== "member" || place.property !== field) return false;
    const { object } = place;
    return object.kind === "name" ? object.name === of.name : isOwn && object.kind === "this";
  };
  for (const moved of module.body) {
    const { changed } = namedIn(originOf(moved));
    if (changed.size > 0) lookAtTop(moved, (each) => isOf(each, false), found);
  }
  for (const { function: hir, isStatic } of of.methods) {
    if (isStatic) look(hir, (each) => !isOf(each, false) && isOf(each, true), found);
  }
  return assignmentsIn(found);
}

/**
 * The assignments of a module to what a top-level name declares, static fields included, as text without positions: as long as the text is
 * the same, so are the possible values. Values that are created keep the position of their statement.
 */
export function assignedText(module: HirModule, name: string): string {
  const own = texts(module);
  const known = own.get(name) ?? textOfAssigned(module, name);
  own.set(name, known);
  return known;
}

const texts = ofNode((_module: HirModule) => new Map<string, string>());

function textOfAssigned(module: HirModule, name: string): string {
  const statement = module.body.find((each) => boundNames(each).includes(name));
  if (statement?.kind !== "class") return textOf([assignmentsTo(module, name)]);
  const statics = statement.class.fields.filter(({ isStatic }) => isStatic);
  return textOf(statics.map((field) => assignmentsToStatic(module, statement.class, field.name)));
}

function textOf(part: AssignmentRecord | readonly Assignments[]): string {
  return JSON.stringify(part, (key, value: unknown) => {
    if (PLACES.has(key)) return undefined;
    return value instanceof Map || value instanceof Set ? [...value] : value;
  });
}

const PLACES: ReadonlySet<string> = new Set(["span", "header", "start", "end"]);

interface Found {
  /** By what they say. */
  readonly values: Map<string, AssignmentRecord>;
  isOther: boolean;
  isMade: boolean;
  readonly makers: Set<number>;
}

function nothingFound(): Found {
  return { values: new Map(), isOther: false, isMade: false, makers: new Set() };
}

function assignmentsIn({ values, isOther, makers }: Found): Assignments {
  return { values: [...values.values()], isOther, makers };
}

function lookAtTop(
  moved: HirStatement,
  isTarget: (target: HirPattern | HirExpression) => boolean,
  found: Found,
  isHidden?: (names: Names) => boolean,
): void {
  found.isMade = false;
  look(moved, isTarget, found, isHidden);
  if (found.isMade) found.makers.add(numberOf(originOf(moved)));
}

/** Names that are declared around something, with their written types. */
type Names = ReadonlyMap<string, string | undefined>;

const NO_NAMES: Names = new Map();

function look(
  part: HirStatement | HirFunction,
  isTarget: (target: HirPattern | HirExpression) => boolean,
  found: Found,
  isHidden: (names: Names) => boolean = () => false,
  around: Names = NO_NAMES,
): void {
  const names = new Map([...around, ...namesWithin(part)]);
  visitInto(part, (node) => {
    if (node !== part && isFunction(node)) {
      const own = namesWithin(node);
      if (!isHidden(own)) look(node, isTarget, found, isHidden, names);
      return false;
    }
    if (!("kind" in node) || !("target" in node)) return true;
    const { kind, target } = node;
    if (kind === "increment" && isTarget(target as HirExpression)) found.isOther = true; // by its kind
    if (kind !== "assign") return true;
    const own = node as Extract<HirExpression, { kind: "assign" }>; // by its kind
    if (isTarget(own.target)) {
      if (isPlain(own.operator)) add(found, own.value, names);
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

function add(found: Found, value: HirExpression, names: Names): void {
  found.isMade ||= isMade(value);
  const used = namedIn(originOf(value)).values;
  const inner = new Map([...names].filter(([name]) => used.has(name)));
  const assigned = { value, inner };
  found.values.set(textOf(assigned), assigned);
}

function isName(target: HirPattern | HirExpression, name: string): boolean {
  if (target.kind === "place") return isName(target.place, name);
  return (target.kind === "bind" || target.kind === "name") && target.name === name;
}

/** The local names of a function or of a statement that is no declaration: parameters, variables of its blocks. */
function namesWithin(part: HirStatement | HirFunction): Names {
  const names = new Map<string, string | undefined>();
  if (!isFunction(part) && boundNames(part).length > 0) return names;
  const bindAll = (pattern: unknown, type?: string): void => {
    visitInto(pattern, (node) => {
      if ("kind" in node && node.kind === "bind" && "name" in node) {
        names.set(String(node.name), node === pattern ? type : undefined);
      }
      return !isFunction(node);
    });
  };
  visitInto(part, (node) => {
    if (node !== part && isFunction(node)) return false;
    if ("isRest" in node && "pattern" in node) bindAll(node.pattern, typeOf(node));
    else if (isLet(node)) bindAll(node.pattern, node.type);
    else if (isStatement(node)) for (const name of boundNames(node)) names.set(name, undefined);
    else if ("pattern" in node && "body" in node) bindAll(node.pattern);
    return true;
  });
  return names;
}

function isLet(node: object): node is Extract<HirStatement, { kind: "let" }> {
  return "kind" in node && node.kind === "let";
}

function typeOf(node: object): string | undefined {
  return "type" in node && typeof node.type === "string" ? node.type : undefined;
}

function isStatement(node: object): node is HirStatement {
  return "kind" in node && (node.kind === "function" || node.kind === "class");
}

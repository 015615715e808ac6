// Mod/ref analysis of names: fields that code writes, and lists, sets and maps that it adds to. Top-level state outlives the calls of a
// module's functions, so no function may assume its initial value.
import { ofNode } from "../../../query/nodes";
import type {
  HirClass,
  HirExpression,
  HirFunction,
  HirModule,
  HirPattern,
  HirStatement,
} from "../hir";
import { namedIn } from "../modules/references";
import { isFunction, isNode, visit, visitInto } from "../nodes";
import { originOf } from "../queries/origins";
import { ANY_CHANGE, INSIDE, THIS } from "./writeTargets";

const NONE: ReadonlySet<string> = new Set();

const changesIn = ofNode(({ body }: HirModule) =>
  grouped(body.flatMap((each) => [...namedIn(originOf(each)).changed])),
);

/** The fields of a top-level name's value that the module changes anywhere. */
export function changesOf(module: HirModule | undefined, name: string): ReadonlySet<string> {
  return (module && changesIn(module).get(name)) ?? NONE;
}

/**
 * The fields that a class changes on its objects after their construction: in its methods, in functions in its fields, and in functions
 * that its constructor creates. Linear in the class, once.
 */
export const ownChanges = ofNode((of: HirClass) => changedBy(laterFunctions(of)));

/** The functions of a class that run after the construction of its object. */
export function laterFunctions({ methods, fields }: HirClass): readonly HirFunction[] {
  const own = methods.filter(({ isStatic }) => isStatic !== true);
  const [making, later] = [
    own.filter(({ kind }) => kind === "constructor"),
    own.filter(({ kind }) => kind !== "constructor"),
  ];
  const parts = [
    ...fields.flatMap(({ isStatic, value }) => (isStatic ? [] : laterIn(value))),
    ...making.flatMap(({ function: { body } }) => laterIn(body)),
  ];
  return [...later.map((each) => each.function), ...parts];
}

/** The static fields that its static methods change by `this`. */
export function ownStaticChanges({ methods }: HirClass): ReadonlySet<string> {
  const own = methods.filter(({ isStatic }) => isStatic);
  return changedBy(own.map((each) => each.function));
}

/** The functions in a part that others may call after it has run; callbacks that list methods run at once are excluded. */
function laterIn(part: unknown): readonly HirFunction[] {
  const found: HirFunction[] = [];
  visitInto(part, (node) => {
    if (isFunction(node)) {
      found.push(node);
      return false;
    }
    const isCall = "kind" in node && node.kind === "call" && "callee" in node;
    if (!isCall || !isNode(node.callee) || !("property" in node.callee)) return true;
    return !RUN_AT_ONCE.has(String(node.callee.property));
  });
  return found;
}

/** Methods of lists that run their callback at once. */
const RUN_AT_ONCE: ReadonlySet<string> = new Set(
  "forEach map filter reduce some every find flatMap sort".split(" "),
);

function changedBy(functions: readonly HirFunction[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const hir of functions) {
    for (const each of changesWithin(hir, THIS, namedIn(originOf(hir)).changed)) found.add(each);
  }
  return found;
}

/** The fields of a name's value that a function changes, including through its local aliases. */
export function changesWithin(
  hir: HirFunction,
  root: string,
  all: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  if (all.size === 0) return found;
  const changes = grouped([...all]);
  for (const [name, field] of takenFrom(hir, root)) {
    const own = changes.get(name);
    // By another name than its own, a field keeps its object.
    if (own && field !== undefined) found.add(field === ANY_CHANGE ? field : field + INSIDE);
    else for (const each of own ?? NONE) found.add(each);
  }
  return found;
}

/** Local aliases of an object's fields or of values in these: `const { by } = this`. Undefined stands for the object itself. */
function takenFrom(hir: HirFunction, from: string): ReadonlyMap<string, string | undefined> {
  const given: { readonly pattern: HirPattern; readonly value: HirExpression }[] = [];
  visit(hir.body, (part) => {
    if (!("kind" in part) || !("pattern" in part)) return;
    const node = part as HirStatement; // of the kinds that are asked for
    if (node.kind === "let" && node.value) given.push({ pattern: node.pattern, value: node.value });
    if (node.kind === "forEach") given.push({ pattern: node.pattern, value: node.over });
  });
  const names = new Map<string, string | undefined>([[from, undefined]]);
  for (let before = -1; before < names.size;) {
    before = names.size;
    for (const { pattern, value } of given) {
      const root = rootIn(value, names);
      if (!root) continue;
      if (root.field === undefined && pattern.kind === "object") {
        for (const { key, pattern: inner } of pattern.entries) {
          const field = typeof key === "string" ? key : ANY_CHANGE;
          for (const name of boundIn(inner)) names.set(name, field);
        }
      } else for (const name of boundIn(pattern)) names.set(name, root.field);
    }
  }
  return names;
}

/** The field of the current object that a value is, or is part of; undefined if there is none. */
function rootIn(
  value: HirExpression,
  names: ReadonlyMap<string, string | undefined>,
): { readonly field: string | undefined } | undefined {
  switch (value.kind) {
    case "this":
      return names.has(THIS) ? { field: undefined } : undefined;
    case "name":
      return names.has(value.name) ? { field: names.get(value.name) } : undefined;
    case "typed":
    case "await":
      return rootIn(value.operand, names);
    case "member":
    case "index": {
      const root = rootIn(value.object, names);
      if (!root || root.field !== undefined) return root;
      return { field: value.kind === "member" ? value.property : ANY_CHANGE };
    }
    case "call": {
      const { callee } = value;
      // The result of the object's own method is not followed.
      const isGiven = callee.kind === "member" && GIVING.has(callee.property);
      const root = isGiven ? rootIn(callee.object, names) : undefined;
      return root?.field === undefined ? undefined : root;
    }
    case "binary":
      return rootIn(value.left, names) ?? rootIn(value.right, names);
    case "conditional":
      return rootIn(value.then, names) ?? rootIn(value.otherwise, names);
    case "assign":
      return rootIn(value.value, names);
    default:
      return undefined;
  }
}

/** Methods that return an item of a collection. */
const GIVING: ReadonlySet<string> = new Set(["get", "at", "find", "values", "entries"]);

function boundIn(pattern: HirPattern): readonly string[] {
  const found: string[] = [];
  visit(pattern, (node) => {
    if ("kind" in node && node.kind === "bind" && "name" in node) found.push(String(node.name));
  });
  return found;
}

function grouped(changes: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byName = new Map<string, Set<string>>();
  for (const change of changes) {
    const at = change.indexOf(".");
    const name = change.slice(0, at);
    const fields = byName.get(name) ?? new Set();
    byName.set(name, fields.add(change.slice(at + 1)));
  }
  return byName;
}

// Nodes of HIR, whatever they are.
import type { HirFunction } from "./hir";

/** Every node of a part of HIR, each before what it holds. */
export function visit(part: unknown, run: (node: object) => void): void {
  visitInto(part, (node) => {
    run(node);
    return true;
  });
}

/** The same without what is inside of the nodes for which `run` gives false. */
export function visitInto(part: unknown, run: (node: object) => boolean): void {
  if (!isNode(part)) return;
  const open: object[] = [part];
  for (let each = open.pop(); each; each = open.pop()) {
    if (Array.isArray(each) || run(each)) addChildren(each, open);
  }
}

/** The parts of HIR that a node holds, one level down. */
export function childrenOf(node: object): readonly object[] {
  const found: object[] = [];
  addChildren(node, found);
  return found;
}

/** Adds them to a list. All of HIR is gone over by this several times, so nothing is made on the way. */
export function addChildren(node: object, to: object[]): void {
  if (Array.isArray(node)) {
    for (const value of node as readonly unknown[]) if (isNode(value)) to.push(value);
    return;
  }
  for (const key in node) {
    if (key === "span") continue;
    const value: unknown = node[key as keyof typeof node]; // a key of its own: nodes are plain data
    if (isNode(value)) to.push(value);
  }
}

/** True if a value is an object at all. */
export function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isFunction(value: unknown): value is HirFunction {
  return isNode(value) && "body" in value && "parameters" in value && "isArrow" in value;
}

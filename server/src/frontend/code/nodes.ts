// Generic traversal of HIR nodes.
import type { HirFunction } from "./hir";

/** Visits every node of a part of HIR, each before its children. */
export function visit(part: unknown, run: (node: object) => void): void {
  visitInto(part, (node) => {
    run(node);
    return true;
  });
}

/** Like `visit`, but does not descend into nodes for which `run` returns false. */
export function visitInto(part: unknown, run: (node: object) => boolean): void {
  if (!isNode(part)) return;
  const open: object[] = [part];
  for (let each = open.pop(); each; each = open.pop()) {
    if (Array.isArray(each) || run(each)) addChildren(each, open);
  }
}

/** The direct children of a node. */
export function childrenOf(node: object): readonly object[] {
  const found: object[] = [];
  addChildren(node, found);
  return found;
}

/** Appends a node's children to a list. All of HIR is traversed this way several times, so this allocates nothing. */
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

/** True if a value is an object. */
export function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isFunction(value: unknown): value is HirFunction {
  return isNode(value) && "body" in value && "parameters" in value && "isArrow" in value;
}

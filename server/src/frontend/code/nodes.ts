// Nodes of HIR, whatever they are.

/** Every node of a part of HIR, each before what it holds. */
export function visit(part: unknown, run: (node: object) => void): void {
  const open: unknown[] = [part];
  while (open.length > 0) {
    const each = open.pop();
    if (Array.isArray(each)) {
      for (const item of each as readonly unknown[]) open.push(item);
    } else if (isNode(each)) {
      run(each);
      addChildren(each, open);
    }
  }
}

/** The parts of HIR that a node holds, one level down. */
export function childrenOf(node: object): readonly object[] {
  const found: object[] = [];
  addChildren(node, found);
  return found;
}

function addChildren(node: object, to: unknown[]): void {
  for (const key of Object.keys(node)) {
    if (key === "span") continue;
    const value: unknown = node[key as keyof typeof node]; // a key of its own
    if (isNode(value)) to.push(value);
  }
}

/** Whether a value is an object at all. */
export function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

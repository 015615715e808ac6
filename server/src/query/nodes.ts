// Queries of immutable data alone: their dependencies are their arguments, so that an answer holds as long as these exist. The only
// WeakMaps at the top of modules are here.

/** Remembers the answers of a pure function of an immutable object. */
export function ofNode<Node extends object, Value>(
  compute: (node: Node) => Value,
): (node: Node) => Value {
  const known = new WeakMap<Node, Value>();
  return (node) => {
    const found = known.get(node);
    if (found !== undefined || known.has(node)) {
      // `undefined` is an answer as well.
      return found as Value;
    }
    const value = compute(node);
    known.set(node, value);
    return value;
  };
}

/** Remembers the answers of a pure function of two immutable objects. */
export function ofNodes<First extends object, Second extends object, Value>(
  compute: (first: First, second: Second) => Value,
): (first: First, second: Second) => Value {
  const byFirst = ofNode((first: First) => ofNode((second: Second) => compute(first, second)));
  return (first, second) => byFirst(first)(second);
}

/** Facts about objects beside their fields, as long as these exist: marks of values, state of one reading. */
export type Attribute<Node extends object, Value> = Pick<
  WeakMap<Node, Value>,
  "get" | "set" | "has"
>;

export function attribute<Node extends object, Value>(): Attribute<Node, Value> {
  return new WeakMap<Node, Value>();
}

// How deep adapters go into a tree. They recurse, and whoever interprets what they make recurses as deep.

/** Reads what is inside one level deeper, or not at all where that is too deep. */
export type Deeper = <T>(read: () => T, tooDeep: () => T) => T;

/** Code that people write is far below this. */
const DEEPEST = 400;

export function depthLimit(): Deeper {
  let depth = 0;
  return (read, tooDeep) => {
    if (depth >= DEEPEST) return tooDeep();
    depth += 1;
    try {
      return read();
    } finally {
      depth -= 1;
    }
  };
}

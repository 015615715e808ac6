// Limit on how deep adapters descend into a tree. They are recursive, and so is the interpreter of their result.

/** Reads something one level deeper; calls `tooDeep` instead beyond the limit. */
export type Deeper = <T>(read: () => T, tooDeep: () => T) => T;

/** Hand-written code is nested far less deeply than this. */
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

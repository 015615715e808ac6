// Repeatable random choices: one number gives one program.

export interface Random {
  /** A whole number from 0 up to, and without, `bound`. */
  below(bound: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One of the items. Throws where there is none. */
  pick<T>(items: readonly T[]): T;
  /** The items in another order. */
  shuffled<T>(items: readonly T[]): readonly T[];
}

/** The generator "mulberry32": the same seed gives the same numbers everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const pick = <T>(items: readonly T[]): T => {
    const found = items[below(items.length)];
    if (found === undefined) throw new Error("there is nothing to choose from");
    return found;
  };
  return {
    below,
    pick,
    chance: (probability) => next() < probability,
    shuffled: (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)).flat();
    },
  };
}

/** A number from 0 to below that. */
export type Random = (below: number) => number;

/** A linear congruential generator: the same everywhere. */
export function generator(seed: number): Random {
  let state = (seed * 2_654_435_761) % 2_147_483_648;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

// Advice on a reason that leaves something open.

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/rounds of this loop|rows of the list/u, "--unroll 2 searches a second round"],
];

/** One clause, or undefined where nothing is known to help. */
export function adviceOn(reason: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
}

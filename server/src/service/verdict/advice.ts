// Advice for a reason that leaves a verdict open.

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/rounds of this loop|rows of the list/u, "--unroll 2 searches a second round"],
  [
    / is not supported: what is done with it is not read/u,
    "a file in isolens.models can say what its calls do (docs/reading-code.md)",
  ],
  [/the solver gave up|the search was stopped/u, "a longer --budget may decide it"],
];

/** One clause; undefined if there is no advice. */
export function adviceOn(reason: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
}

/** All orders of the given names, in lexicographic order of their positions. */
export function permutations<T>(names: readonly T[]): readonly (readonly T[])[] {
  if (names.length < 2) return [names];
  return names.flatMap((name) =>
    permutations(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
  );
}

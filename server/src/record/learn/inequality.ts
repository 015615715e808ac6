// Arguments that are never the same: an application that refuses a transfer from an account to itself sends nothing then,
// so that only the values of the runs that it lets pass tell it.
import { isSameColumn, type KnownValue, type Path } from "./knowns";

/** As often as this, runs with values drawn by chance would have had the same in both. */
const EXPECTED = 4;

/** Two arguments for one column whose values overlap and differ in every run. */
export function inequalityOf(
  knowns: readonly KnownValue[],
  inputs: readonly KnownValue[],
  paths: readonly Path[],
): { readonly condition: string; readonly doubt: string } | undefined {
  for (const input of inputs)
    for (const other of knowns) {
      if (other.origin !== "input" || !isSameColumn(other.column, input.column)) continue;
      if (input.column === "" || chanceOfEqual(input, other, paths) < EXPECTED) continue;
      if (paths.some((path) => input.of(path) === other.of(path))) continue;
      const [left, right] = [other.expression, input.expression];
      return {
        condition: `${left} <> ${right}`,
        doubt: `${left.slice(1)} and ${right.slice(1)} differed in all ${String(paths.length)} runs; they are taken to differ always`,
      };
    }
  return undefined;
}

/** The number of runs with equal values, were each argument drawn without regard to the other. */
function chanceOfEqual(left: KnownValue, right: KnownValue, paths: readonly Path[]): number {
  const counts = new Map<unknown, number>();
  for (const path of paths) counts.set(right.of(path), (counts.get(right.of(path)) ?? 0) + 1);
  return paths.reduce((sum, path) => sum + (counts.get(left.of(path)) ?? 0), 0) / paths.length;
}

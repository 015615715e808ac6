// Runs at the same place of the tests, when these ran again with a changed answer: what came from outside was the same, so
// that one of them tells an argument that the other one never sent.
import type { PreparedRun } from "./paths";
import { isEqual, type KnownValue, type Path } from "./knowns";

/** Paths of the runs that had the same arguments from outside as a given one, as far as can be seen. */
export type Twins = (path: Path) => readonly Path[];

/** Twins by path; `key` is that of a path's run. */
export interface PathTwins {
  readonly twins: Twins;
  readonly key: (path: Path) => string | undefined;
}

/** `paths` are those of the runs, in the same order. Linear in the number of runs. */
export function pathTwins(runs: readonly PreparedRun[], paths: readonly Path[]): PathTwins {
  const groups = new Map<string, Path[]>();
  const keys = new Map<Path, string>();
  for (const [at, { twin }] of runs.entries()) {
    const path = paths[at];
    if (path === undefined || twin === undefined) continue;
    keys.set(path, twin);
    groups.set(twin, [...(groups.get(twin) ?? []), path]);
  }
  const isSteady = steadyArguments([...groups.values()]);
  return {
    key: (path) => keys.get(path),
    twins: (path) =>
      (groups.get(keys.get(path) ?? "") ?? []).filter(
        (each) => each !== path && beginAlike(each, path, isSteady),
      ),
  };
}

/** True for an argument of a statement that comes again when the tests run again: moments and random keys do not. */
type IsSteady = (text: string, index: number) => boolean;

function steadyArguments(groups: readonly (readonly Path[])[]): IsSteady {
  const [steady, unsteady] = [new Set<string>(), new Set<string>()];
  for (const [first = [], ...others] of groups)
    for (const other of others)
      for (const [at, { text, arguments: own }] of first.entries()) {
        if (other[at]?.text !== text) break;
        for (const [index, value] of own.entries())
          (isEqual(value, other[at].arguments[index] ?? null) ? steady : unsteady).add(
            `${String(index)} ${text}`,
          );
      }
  return (text, index) => {
    const key = `${String(index)} ${text}`;
    return steady.has(key) || !unsteady.has(key);
  };
}

/** True if two runs sent the same up to the first answer that was changed in one of them. */
function beginAlike(left: Path, right: Path, isSteady: IsSteady): boolean {
  const ends = [left, right]
    .map((path) => path.findIndex(({ isPerturbed }) => isPerturbed))
    .filter((at) => at >= 0);
  const end = Math.min(...ends);
  return left.slice(0, end + 1).every((each, at) => {
    const other = right[at];
    return (
      each.text === other?.text &&
      each.arguments.every(
        (value, index) =>
          !isSteady(each.text, index) || isEqual(value, other.arguments[index] ?? null),
      )
    );
  });
}

/** The runs of the tests, by their numbers, in which an argument was never another one than in the first run's twin. */
export function steadyRuns(
  known: KnownValue,
  here: readonly Path[],
  twins: Twins,
): ReadonlySet<number> {
  const own = new Set(here);
  const steady = new Set([FIRST, ...here.map(testRunOf)]);
  for (const path of here)
    for (const twin of twins(path))
      if (testRunOf(twin) === FIRST && own.has(twin) && !isEqual(known.of(path), known.of(twin)))
        steady.delete(testRunOf(path));
  steady.add(FIRST);
  return steady;
}

/** The tests as they ran without changes. */
const FIRST = 0;

/** The number of the run of the tests that a path is of. */
export function testRunOf(path: Path): number {
  return path[0]?.rerun ?? FIRST;
}

/** An argument of a run that did not show it, as its twins tell it; undefined where none does, or they differ in it. */
export function twinValue(
  known: KnownValue,
  path: Path,
  { here, twins }: { readonly here: readonly Path[]; readonly twins: Twins },
): string | undefined {
  const steady = steadyRuns(known, here, twins);
  if (!steady.has(testRunOf(path))) return undefined;
  const values = twins(path).flatMap((twin) =>
    here.includes(twin) && steady.has(testRunOf(twin)) ? [known.of(twin)] : [],
  );
  const [first] = values;
  return typeof first === "string" && values.every((value) => isEqual(value, first))
    ? first
    : undefined;
}

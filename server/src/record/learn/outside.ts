// Branches that no answer decides: where the tests ran again with changed answers, runs with the same arguments
// went the same way whatever they read.
import type { Decision, DecisionQuestion } from "./decision";
import { isEqual, isKey, type KnownValue, type Path } from "./knowns";

/** Pairs of runs that differ in what a column was. */
const ENOUGH = 2;

/**
 * The condition that something from outside decides, alone or together with what `decideRest` finds for the runs that it
 * does not tell apart; undefined where too few runs say so. Linear in the number of pairs of runs with the same arguments.
 */
export function outsideDecision(
  question: DecisionQuestion,
  decideRest: (question: DecisionQuestion) => Decision,
): Decision | undefined {
  const { here, elsewhere, knowns, twins, fresh } = question;
  const own = new Set(here);
  const others = new Set(elsewhere);
  const pairs = [...here, ...elsewhere].flatMap((path) =>
    twins(path).flatMap((twin): readonly Pair[] =>
      own.has(twin) || others.has(twin)
        ? [{ path, twin, isAltered: own.has(path) !== own.has(twin) }]
        : [],
    ),
  );
  if (pairs.length === 0) return undefined;
  const columns = knowns.filter((known) => known.origin === "column" && !isKey(known.column));
  const differing = (known: KnownValue): readonly Pair[] =>
    pairs.filter(({ path, twin }) => !isEqual(known.of(path), known.of(twin)));
  const tested = columns.map((known) => ({ known, pairs: differing(known) }));
  const isOpen = tested.some(
    ({ known, pairs: { length } }) => length < ENOUGH && isChangeable(known, here),
  );
  if (isOpen) return undefined;
  const deciding = tested.filter(({ pairs: some }) => some.some(({ isAltered }) => isAltered));
  const mixed = new Set(pairs.filter(({ isAltered }) => isAltered).map(({ path }) => path));
  /** No answer that decides elsewhere brought these here. */
  const settled = new Set(
    elsewhere.filter(
      (path) =>
        !mixed.has(path) &&
        twins(path).length > 0 &&
        !twins(path).some((twin) => mixed.has(twin)) &&
        deciding.every(({ pairs: some }) => some.some((pair) => isOfGroup(pair, path, twins))),
    ),
  );
  if (settled.size === 0) return undefined;
  const rest = elsewhere.filter((path) => !settled.has(path));
  const alone = `:${fresh("goes_on")} > 0`;
  if (rest.length === 0) return { condition: alone };
  const { condition, doubt } = decideRest({ ...question, elsewhere: rest });
  return doubt === undefined ? { condition: `${alone} AND ${condition}` } : undefined;
}

/** Two runs with the same arguments, of which one got another answer. */
interface Pair {
  readonly path: Path;
  readonly twin: Path;
  /** They went different ways. */
  readonly isAltered: boolean;
}

function isOfGroup({ path, twin }: Pair, member: Path, twins: DecisionQuestion["twins"]): boolean {
  return path === member || twin === member || twins(member).includes(path);
}

/** Moments are never changed, and NULL cannot be. */
const MOMENT = /^\d{4}-\d\d-\d\d|^\d\d:\d\d/;

function isChangeable(known: KnownValue, paths: readonly Path[]): boolean {
  return paths.some((path) => {
    const value = known.of(path);
    return typeof value === "string" && !MOMENT.test(value);
  });
}

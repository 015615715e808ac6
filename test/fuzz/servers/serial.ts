// True if an outcome is one that some serial order of the same instances gives on the same server.
import { run, runSerially, type Chooser, type RunOutcome } from "./drive";
import { openOrders } from "./orders";
import type { Call, FuzzProgram } from "./program";
import type { Random } from "./random";
import type { Stage } from "./stage";

export interface Search {
  readonly interleavings: number;
  /** Outcomes that no serial order gives. */
  readonly wrong: readonly RunOutcome[];
  /** Why nothing could be tried. */
  readonly refusal?: string;
  /** The text of the program is at fault, not the rows. */
  readonly isFaulty?: boolean;
}

export interface Setting {
  readonly init: readonly string[];
  readonly calls: readonly Call[];
  /** Nothing is left of what earlier runs deleted. */
  readonly isAfresh: boolean;
}

/** The server's complaint about a text that is wrong, whatever its rows are: names that are not there, types that do not fit, no RETURN. */
const IN_ERROR = /(?:^|: )(?:42\w{3}|2F005|3B001|55000|1054|1146|1064|1305|1318) /;

/**
 * Runs interleavings, the given orders first, until one gives what no serial order gives. An instance that failed is as one
 * that did not run.
 */
export async function searchInterleavings(
  stage: Stage,
  program: FuzzProgram,
  { init, calls, isAfresh }: Setting,
  {
    choosers,
    stopAtFirst,
  }: { readonly choosers: readonly Chooser[]; readonly stopAtFirst: boolean },
): Promise<Search> {
  const serial = new Map<string, ReadonlySet<string>>();
  const serialOutcomes = async (present: readonly number[]): Promise<ReadonlySet<string>> => {
    const key = present.join();
    const known = serial.get(key);
    if (known) return known;
    const outcomes = new Set<string>();
    for (const order of permutationsOf(present)) {
      await stage.reset(init, isAfresh);
      const outcome = await runSerially(stage, program, calls, order);
      if (outcome?.committed.length === present.length) outcomes.add(outcome.text);
    }
    serial.set(key, outcomes);
    return outcomes;
  };
  const wrong: RunOutcome[] = [];
  const seen = new Set<string>();
  const orders = openOrders();
  let interleavings = 0;
  for (const choose of choosers) {
    if (orders.areDone()) break;
    const refusal = await stage.reset(init, isAfresh);
    if (refusal !== undefined)
      return { interleavings, wrong, refusal, isFaulty: IN_ERROR.test(refusal) };
    const walk = orders.begin(choose);
    const outcome = await run(
      stage,
      program,
      calls,
      calls.map((_, at) => at),
      walk.choose,
    );
    if (outcome === undefined) continue;
    walk.end();
    interleavings += 1;
    const faulty = outcome.failures.find((each) => IN_ERROR.test(each));
    if (faulty !== undefined) return { interleavings, wrong: [], refusal: faulty, isFaulty: true };
    const key = `${outcome.committed.join()} ${outcome.text}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if ((await serialOutcomes(outcome.committed)).has(outcome.text)) continue;
    wrong.push(outcome);
    if (stopAtFirst) break;
  }
  return { interleavings, wrong };
}

/** Orders of steps: one by one in turn, one inside of the other, and random ones. */
export function someChoosers(random: Random, count: number): readonly Chooser[] {
  return Array.from({ length: count }, (_, number): Chooser => {
    const stay = [0, 0.3, 0.6, 0.8][number % 4] ?? 0;
    let last = -1;
    return (ready) => {
      const others = ready.filter((each) => each !== last);
      const isStaying = ready.includes(last) && (others.length === 0 || random.chance(stay));
      last = isStaying ? last : random.pick(others.length > 0 ? others : ready);
      return last;
    };
  });
}

/** Steps of the first instance after which the others run as a whole. */
const CUTS = 8;

/** Orders in which all others run, one after the other, between two steps of one instance. */
export function nestedChoosers(count: number): readonly Chooser[] {
  const all = Array.from({ length: count }, (_, at) => at);
  return all.flatMap((outer) =>
    Array.from({ length: CUTS }, (_, cut): Chooser => {
      const others = all.filter((each) => each !== outer);
      let steps = 0;
      return (ready) => {
        if (steps <= cut && ready.includes(outer)) {
          steps += 1;
          return outer;
        }
        return others.find((each) => ready.includes(each)) ?? outer;
      };
    }),
  );
}

/** The given order of instances, then whoever is left. */
export function chooserOf(order: readonly number[]): Chooser {
  const left = [...order];
  return (ready) => {
    const at = left.findIndex((each) => ready.includes(each));
    const [chosen] = at === -1 ? [] : left.splice(at, 1);
    return chosen ?? ready[0] ?? 0;
  };
}

function permutationsOf(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutationsOf(items.filter((each) => each !== item)).map((rest) => [item, ...rest]),
  );
}

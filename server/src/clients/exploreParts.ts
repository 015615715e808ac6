// Parallel exploration in parts. Parts are ordered as one explorer would visit them, and their findings are combined in that order, so the
// result does not depend on the division.
import type { RunProblem, Work } from "../exploration/exploration";
import { reasonOf } from "../protocol/fault";
import type { Assertion } from "./assertions";
import type { ExplorableClient } from "./explorableClient";
import {
  exploreClient,
  type BrokenAssertion,
  type ClientExploration,
  type ExploreClientOptions,
} from "./exploreClient";

/** A piece of work to be sent to a runner: plain data. */
export interface Part {
  readonly from: readonly Work[];
  /** Absent for the first part, which looks for keys. */
  readonly universe?: readonly string[];
}

/** The findings of a part and its remaining work, without parts given to others. Plain data. */
export type PartResult = Pick<
  ClientExploration,
  | "histories"
  | "blocked"
  | "states"
  | "broken"
  | "faults"
  | "problems"
  | "remaining"
  | "universe"
  | "restarted"
> & {
  /** Remarks so far on the client's own code that could not be executed as written. */
  readonly remarks?: readonly string[];
};

/** Explores a part for a while. Rejects if it cannot continue, for example if the thread has died. */
export type PartRunner = (part: Part) => Promise<PartResult>;

/** A segment of the exploration, in the order of histories. */
export type Segment =
  | { readonly kind: "work"; readonly work: Work }
  | { readonly kind: "found"; readonly found: Found };

interface Found {
  readonly histories: number;
  readonly blocked: number;
  readonly broken: ReadonlyMap<number, BrokenAssertion>;
  readonly faults: ReadonlyMap<number, string>;
  readonly problems: readonly RunProblem[];
}

export interface PartsOptions {
  readonly stop: () => boolean;
  readonly progress?: (histories: number, broken: number) => void;
  /** Continues an earlier exploration of the same client. */
  readonly begin?: PartsBegin;
}

export interface PartsBegin {
  readonly segments: readonly Segment[];
  readonly states: Iterable<string>;
  readonly universe: readonly string[];
}

export interface PartsResult extends ClientExploration {
  /** Findings and remaining work, in order, for `begin`. */
  readonly segments: readonly Segment[];
  /** The runners' remarks on the client's code. */
  readonly remarks: readonly string[];
  /** The reason why a runner gave up; its part is among the remaining work. */
  readonly failure?: string;
}

const ROOT: Work = { kind: "history", history: { transactions: [] } };
const NOTHING: Found = {
  histories: 0,
  blocked: 0,
  broken: new Map(),
  faults: new Map(),
  problems: [],
};

interface Given {
  readonly kind: "given";
  readonly from: readonly Work[];
}

/** Explores with all runners until nothing is left or it is time to stop. Idle runners get the next part. */
export async function exploreParts(
  runners: readonly PartRunner[],
  { stop, progress, begin }: PartsOptions,
): Promise<PartsResult> {
  let list: (Segment | Given)[] = [...(begin?.segments ?? [{ kind: "work", work: ROOT }])];
  let universe = begin?.universe;
  const states = new Set(begin?.states);
  const remarks = new Set<string>();
  let failure: string | undefined;
  /** Increases with each restart; results of earlier rounds are void. */
  let round = 0;
  const idle = [...runners];
  const busy = new Set<Promise<void>>();

  function take(given: Given, of: number, result: PartResult): void {
    for (const remark of result.remarks ?? []) remarks.add(remark);
    if (of !== round || result.restarted) {
      if (of === round) {
        round += 1;
        list = [{ kind: "work", work: ROOT }];
        states.clear();
      }
      universe = [...new Set([...(universe ?? []), ...result.universe])].sort();
      return;
    }
    universe ??= result.universe;
    for (const state of result.states) states.add(state);
    const { histories, blocked, broken, faults, problems, remaining } = result;
    const found = { histories, blocked, broken, faults, problems };
    const left = remaining.map((work): Segment => ({ kind: "work", work }));
    list = joined(
      list.flatMap((each) =>
        each === given ? [{ kind: "found", found } as const, ...left] : each,
      ),
    );
    const all = totalOf(list);
    progress?.(all.histories, all.broken.size);
  }

  function giveBack(given: Given, of: number): void {
    if (of === round)
      list = list.flatMap((each) =>
        each === given ? given.from.map((work): Segment => ({ kind: "work", work })) : each,
      );
  }

  for (;;) {
    while (idle.length > 0 && failure === undefined && !stop()) {
      // Other runners start when the first part has found the keys.
      const given = nextPart(list, universe === undefined ? 1 : runners.length);
      if (given === undefined || (universe === undefined && busy.size > 0)) break;
      const runner = idle.shift();
      if (runner === undefined) break;
      list = given.list;
      const { part } = given;
      const of = round;
      const running = runner({ from: part.from, ...(universe && { universe }) })
        .then(
          (result) => {
            take(part, of, result);
            idle.push(runner);
          },
          (error: unknown) => {
            failure ??= reasonOf(error);
            giveBack(part, of);
          },
        )
        .finally(() => busy.delete(running));
      busy.add(running);
    }
    if (busy.size === 0) break;
    await Promise.race(busy);
  }
  const segments = list.filter((each): each is Segment => each.kind !== "given");
  const found = totalOf(segments);
  const remaining = segments.flatMap((each) => (each.kind === "work" ? [each.work] : []));
  return {
    ...found,
    exhausted: remaining.length === 0,
    statesSeen: states.size,
    states,
    remaining,
    universe: universe ?? [],
    restarted: false,
    segments,
    remarks: [...remarks],
    ...(failure !== undefined && { failure }),
  };
}

/** Milliseconds after which a runner returns its findings, so that others can help with the rest. */
const SLICE = 300;

/** Explores parts on this thread, each for a time slice. */
export function partRunner(
  client: ExplorableClient,
  assertions: readonly Assertion[],
  { level, turn, stop, now }: ExploreClientOptions & { readonly now: () => number },
): PartRunner {
  return (part) => {
    const end = now() + SLICE;
    let histories = 0;
    return exploreClient(client, assertions, {
      level,
      ...part,
      ...(turn && { turn }),
      progress: (count) => (histories = count),
      // A part must reach its first history, or it would not get shorter.
      stop: () => stop() || (histories > 0 && now() > end),
    });
  };
}

/** The number of histories found in these segments. */
export function historiesIn(segments: readonly Segment[]): number {
  return totalOf(segments).histories;
}

/** Takes the first adjacent works, as many as leave some for all runners. */
function nextPart(
  list: readonly (Segment | Given)[],
  runners: number,
): { readonly part: Given; readonly list: (Segment | Given)[] } | undefined {
  const start = list.findIndex(({ kind }) => kind === "work");
  if (start < 0) return undefined;
  const works = list.filter(({ kind }) => kind === "work").length;
  const most = runners === 1 ? works : Math.ceil(works / (2 * runners));
  const from: Work[] = [];
  for (const each of list.slice(start, start + most)) {
    if (each.kind !== "work") break;
    from.push(each.work);
  }
  const part: Given = { kind: "given", from };
  return { part, list: [...list.slice(0, start), part, ...list.slice(start + from.length)] };
}

/** Merges adjacent finished segments. */
function joined(list: readonly (Segment | Given)[]): (Segment | Given)[] {
  const result: (Segment | Given)[] = [];
  for (const each of list) {
    const last = result.at(-1);
    if (each.kind === "found" && last?.kind === "found")
      result[result.length - 1] = { kind: "found", found: together(last.found, each.found) };
    else result.push(each);
  }
  return result;
}

function totalOf(list: readonly (Segment | Given)[]): Found {
  return list.reduce<Found>(
    (sum, each) => (each.kind === "found" ? together(sum, each.found) : sum),
    NOTHING,
  );
}

/** The combined findings of two consecutive segments, as if one explorer had visited both. */
function together(a: Found, b: Found): Found {
  const broken = new Map(a.broken);
  for (const [at, later] of b.broken) {
    const earlier = a.broken.get(at);
    const first = a.histories + later.first;
    const shown = earlier === undefined || later.stale < earlier.stale ? later : earlier;
    broken.set(at, {
      ...shown,
      count: (earlier?.count ?? 0) + later.count,
      first: earlier?.first ?? first,
    });
  }
  const problems = new Map(
    [...a.problems, ...b.problems].map((each) => [`${each.kind} ${each.message}`, each]),
  );
  return {
    histories: a.histories + b.histories,
    blocked: a.blocked + b.blocked,
    broken,
    faults: new Map([...b.faults, ...a.faults]),
    problems: [...problems.values()],
  };
}

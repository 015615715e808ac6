// Robustness against allocations (Vandevoort, Ketsman and Neven, PODS 2023): the weakest level per transaction at which a program is
// serializable, decided by searching the program at mixed levels. Product levels are not monotone (a lock that works at READ COMMITTED may
// fail at REPEATABLE READ), so each reported allocation was itself searched.
import type { Level } from "../isolation/levels";
import type { Program } from "../program/program";
import type { Allocation, LevelsByTransaction } from "../protocol/allocation";
import { ownEntry } from "../protocol/dictionary";
import type { LevelReport, Unknown } from "../protocol/report";

export interface AllocationQuestion {
  readonly program: Program;
  /** From weak to strong. */
  readonly among: readonly Level[];
  /** The number of transactions that are searched together. */
  readonly bound: number;
  /** The limit for trying allocations one by one; `FEW` by default. */
  readonly mostTried?: number;
}

/** The limit for trying allocations one by one; above it, levels are lowered greedily. */
const FEW = 100;

/**
 * Finds allocations that cannot be weakened. A small number of allocations (levels to the power of transactions) is tried completely,
 * cheapest first. Otherwise the search starts with the strongest level everywhere and lowers one transaction after the other, which is
 * optimal where levels are monotone. On abort the result is the weakest allocation known to suffice, with the transactions that are
 * undecided; a repeated call with the same cache gets further.
 */
export async function allocate(
  { program, among, bound, mostTried = FEW }: AllocationQuestion,
  check: (program: Program) => Promise<LevelReport>,
  signal: AbortSignal,
): Promise<Allocation> {
  const { transactions } = program;
  const top = among.length - 1;
  const base = { among: among.map(({ name }) => name), bound };
  const named = (ranks: readonly number[]): LevelsByTransaction =>
    Object.fromEntries(transactions.map(({ id }, at) => [id, among[ranks[at] ?? top]?.name ?? ""]));
  const known = new Map<string, Sufficiency>();
  let accepted: ReadonlySet<string> | undefined;
  let last: LevelReport | undefined;
  const searched = async (ranks: readonly number[]): Promise<Sufficiency> => {
    const report = await check(withLevels(program, named(ranks)));
    // Statements that were not understood stay open at every level, so what is open at the strongest level does not count against the
    // others.
    accepted ??= new Set(report.unknown.filter(isOfProgram).map(({ reason }) => reason));
    last = report;
    const isFree = report.anomalies.every(({ severity }) => severity === "unused");
    if (!isFree) return "no";
    const isDecided = report.unknown.every(({ reason }) => accepted?.has(reason));
    return isDecided && report.verdict !== "cancelled" ? "yes" : "open";
  };
  const suffices = async (ranks: readonly number[]): Promise<Sufficiency> => {
    const key = ranks.join();
    let found = known.get(key) ?? "open";
    // A search that ran out of time is repeated; what it decided is cached.
    for (let tries = 0; found === "open" && tries < MOST_TRIES && !signal.aborted; tries += 1)
      found = await searched(ranks);
    known.set(key, found);
    return found;
  };
  const strongest = transactions.map(() => top);
  if ((await suffices(strongest)) !== "yes") {
    const reasons = (last?.unknown ?? []).map(({ reason }) => reason);
    const ended = signal.aborted ? [STOPPED] : [];
    const open = [...ended, ...new Set(reasons)].slice(0, MOST_REASONS);
    return { ...base, alternatives: [], isExhaustive: false, open };
  }
  const isExhaustive = among.length ** transactions.length <= mostTried;
  const found = isExhaustive
    ? await minimalAllocations(transactions.length, top, suffices, signal)
    : [await lowered(strongest, suffices, signal)];
  // Fallback: the strongest level everywhere suffices.
  const all = found.length > 0 ? found : [strongest];
  const [weakest = strongest] = all;
  const [levels, ...alternatives] = all.map(named);
  const open = transactions.flatMap(({ name }, at) =>
    among.slice(0, weakest[at] ?? 0).flatMap((level, rank) => {
      const decided = known.get(weakest.with(at, rank).join()) ?? "open";
      return decided === "open"
        ? [`it is not decided whether ${name} may run at ${level.name}`]
        : [];
    }),
  );
  return {
    ...base,
    ...(levels && { levels }),
    alternatives,
    isExhaustive: isExhaustive && !signal.aborted,
    open: [...(signal.aborted ? [STOPPED] : []), ...open, ...(accepted ?? [])].slice(
      0,
      MOST_REASONS + open.length,
    ),
  };
}

const MOST_REASONS = 5;
/** Attempts per allocation, each with a full time budget. */
const MOST_TRIES = 3;
const STOPPED = "the time was over before all was decided: ask again, or with a larger --budget";

/** True if the reason is something that was not understood: it has a place. Timeouts and memory limits have none. */
function isOfProgram({ file }: Unknown): boolean {
  return file !== undefined;
}

/** The answer, as far as it is known, to whether an allocation keeps the program serializable. */
type Sufficiency = "yes" | "no" | "open";
type Suffices = (ranks: readonly number[]) => Promise<Sufficiency>;

/** All sufficient allocations that no one-step weakening keeps sufficient, cheapest first. */
async function minimalAllocations(
  count: number,
  top: number,
  suffices: Suffices,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const all = ranksOf(count, top).sort((a, b) => costOf(a) - costOf(b));
  const found: (readonly number[])[] = [];
  for (const ranks of all) {
    if (signal.aborted) break;
    const isWeaker = found.some((each) => each.every((rank, at) => rank <= (ranks[at] ?? 0)));
    if (!isWeaker && (await suffices(ranks)) === "yes") found.push(ranks);
  }
  return found;
}

function ranksOf(count: number, top: number): (readonly number[])[] {
  if (count === 0) return [[]];
  const levels = Array.from({ length: top + 1 }, (_, rank) => rank);
  return ranksOf(count - 1, top).flatMap((rest) => levels.map((rank) => [...rest, rank]));
}

/** The cost orders allocations: a stronger level costs more than any number of the level below it. */
function costOf(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : (ranks.length + 1) ** rank), 0);
}

/** Lowers each transaction to the weakest level that suffices beside the others, until nothing changes. */
async function lowered(
  from: readonly number[],
  suffices: Suffices,
  signal: AbortSignal,
): Promise<readonly number[]> {
  let ranks = from;
  for (let changed = true; changed;) {
    changed = false;
    for (let at = 0; at < ranks.length; at += 1) {
      for (let rank = 0; rank < (ranks[at] ?? 0) && !signal.aborted; rank += 1) {
        const next = ranks.map((own, n) => (n === at ? rank : own));
        if ((await suffices(next)) !== "yes") continue;
        ranks = next;
        changed = true;
        break;
      }
    }
  }
  return ranks;
}

function withLevels(program: Program, levels: LevelsByTransaction): Program {
  const transactions = program.transactions.map((each) => {
    const name = ownEntry(levels, each.id);
    return name === undefined ? each : { ...each, level: { name, from: "comment" as const } };
  });
  return { ...program, transactions };
}

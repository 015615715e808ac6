// The weakest level per transaction at which a program is serializable: robustness against allocations (Vandevoort, Ketsman
// and Neven, PODS 2023), decided by searching the program at mixed levels. Levels of products are not monotone (a lock that
// works at READ COMMITTED may not at REPEATABLE READ), so every allocation that is told was searched itself.
import type { Level } from "../isolation/levels";
import type { Program } from "../program/program";
import type { Allocation, LevelsByTransaction } from "../protocol/allocation";
import { ownEntry } from "../protocol/dictionary";
import type { LevelReport, Unknown } from "../protocol/report";

export interface AllocationQuestion {
  readonly program: Program;
  /** From weak to strong. */
  readonly among: readonly Level[];
  /** How many transactions at a time are searched. */
  readonly bound: number;
  /** So many allocations are tried one by one; `FEW` where it is absent. */
  readonly mostTried?: number;
}

/** So many allocations are tried one by one; beyond, levels are lowered greedily. */
const FEW = 100;

/**
 * Allocations that cannot be weakened. Tries all where they are few (the cheapest first, levels to the power of
 * transactions); else begins with the strongest level everywhere and lowers one transaction after the other, which is
 * optimal where levels are monotone.
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
  const known = new Map<string, boolean>();
  let accepted: ReadonlySet<string> | undefined;
  let last: LevelReport | undefined;
  const suffices = async (ranks: readonly number[]): Promise<boolean> => {
    const key = ranks.join();
    const before = known.get(key);
    if (before !== undefined) return before;
    const report = await check(withLevels(program, named(ranks)));
    // A statement that was not understood is as open at the strongest level; what a search left open there is not decided.
    accepted ??= new Set(report.unknown.filter(isOfProgram).map(({ reason }) => reason));
    last = report;
    const isFree = report.anomalies.every(({ severity }) => severity === "unused");
    const isDecided = report.unknown.every(({ reason }) => accepted?.has(reason));
    const found = isFree && isDecided && report.verdict !== "cancelled";
    known.set(key, found);
    return found;
  };
  const strongest = transactions.map(() => top);
  const open = (reasons: Iterable<string> = accepted ?? []): readonly string[] => [
    ...(signal.aborted ? ["it was stopped before all was decided"] : []),
    ...[...new Set(reasons)].slice(0, MOST_REASONS),
  ];
  if (!(await suffices(strongest))) {
    const reasons = last?.unknown.map(({ reason }) => reason);
    return { ...base, alternatives: [], isExhaustive: false, open: open(reasons) };
  }
  const isExhaustive = among.length ** transactions.length <= mostTried;
  const found = isExhaustive
    ? await minimalAllocations(transactions.length, top, suffices, signal)
    : [await lowered(strongest, suffices, signal)];
  const [levels, ...alternatives] = found.map(named);
  return {
    ...base,
    ...(levels && { levels }),
    alternatives,
    isExhaustive: isExhaustive && !signal.aborted,
    open: open(),
  };
}

const MOST_REASONS = 5;

/** True for something that was not understood, at its place; what time or memory ended has none. */
function isOfProgram({ file }: Unknown): boolean {
  return file !== undefined;
}

type Suffices = (ranks: readonly number[]) => Promise<boolean>;

/** All that suffice and of which no one-step weakening does, the cheapest first. */
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
    if (!isWeaker && (await suffices(ranks))) found.push(ranks);
  }
  return found;
}

function ranksOf(count: number, top: number): (readonly number[])[] {
  if (count === 0) return [[]];
  const levels = Array.from({ length: top + 1 }, (_, rank) => rank);
  return ranksOf(count - 1, top).flatMap((rest) => levels.map((rank) => [...rest, rank]));
}

/** A stronger level costs more than any number of the one below it. */
function costOf(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : (ranks.length + 1) ** rank), 0);
}

/** Each transaction in turn at the weakest level that suffices beside the others; again until nothing changes. */
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
        if (!(await suffices(next))) continue;
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

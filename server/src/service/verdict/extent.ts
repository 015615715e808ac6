// The extent of a search: of the pairs of transactions that share a table, those ruled out by their texts, those solved, and those still
// open; in total and per transaction.
import type { FlatProgram, FlatTransaction } from "../../analysis/operations/operation";
import type { Levels } from "../../isolation/mixedLevels";
import type { SearchExtent, SearchedPairs } from "../../protocol/report";
import type { MayCycle, Planner } from "../search/plan";
import type { SearchResult } from "../search/search";

export interface Extent {
  readonly whole: SearchExtent;
  /** Pairs by transaction id. */
  readonly pairs: ReadonlyMap<string, SearchedPairs>;
}

interface Asked {
  readonly flat: FlatProgram;
  readonly plan: Planner;
  readonly levels: Levels;
  readonly may: MayCycle;
  /** True if something about the transaction is open, whatever its partner. */
  readonly isOpen: (id: string) => boolean;
  /** True if a part of the transaction may read or write any table. */
  readonly isOpaque: (id: string) => boolean;
}

/** Programs with more pairs are not counted: it would take too long. */
const MOST_PAIRS = 400_000;

/** The extent of a search; undefined for too many transactions. O(pairs that share a table). */
export function extentOf(
  { flat: { transactions }, plan, levels, may, isOpen, isOpaque }: Asked,
  searched: SearchResult,
): Extent | undefined {
  const partners = sharingPartners(transactions);
  const total = partners.reduce((sum, each) => sum + each.size, 0);
  if (total > MOST_PAIRS) return undefined;
  const { units, omitted } = plan(levels, 2);
  const keyOf = (members: readonly number[]): string => [...members].sort((a, b) => a - b).join();
  const planned = new Set(units.map((unit) => keyOf(unit.transactions)));
  const unreached = new Set(searched.unreached.map(keyOf));
  const undecided = new Set(searched.undecided.map(({ members }) => keyOf(members)));
  const found = new Map(
    searched.findings.map(({ members, finding }) => [keyOf(members), finding.confirmation.status]),
  );
  const open = transactions.map(({ id }) => isOpen(id));
  const opaque = transactions.map(({ id }) => isOpaque(id));
  const pairs = new Map<string, SearchedPairs>();
  const whole = { pairs: 0, ruledOut: 0, searched: 0 };
  for (const [one, others] of partners.entries()) {
    let [racing, settled] = [0, 0];
    for (const other of others) {
      const key = keyOf([one, other]);
      const isPlanned = planned.has(key);
      const isAsked = isPlanned && !unreached.has(key);
      const isRuledOut = !isPlanned && (omitted.length === 0 || !may([one, other]));
      if (one <= other) {
        whole.pairs += 1;
        if (isRuledOut) whole.ruledOut += 1;
        if (isAsked) whole.searched += 1;
      }
      const isClear = open[one] !== true && open[other] !== true && !found.has(key);
      const isDone = (isAsked || isRuledOut) && !undecided.has(key);
      if (found.get(key) === "confirmed") racing += 1;
      else if (opaque[one] === true || opaque[other] === true) continue;
      else if ((isDone && isClear) || (isRuledOut && !may([one, other]))) settled += 1;
    }
    const { id } = transactions[one] ?? { id: "" };
    const marked = opaque[one] === true && { isOpaque: true as const };
    pairs.set(id, { sharing: others.size, racing, settled, ...marked });
  }
  return { whole, pairs };
}

/** The partners of each transaction: those that touch a table that it writes, or write one that it touches. */
function sharingPartners(transactions: readonly FlatTransaction[]): readonly ReadonlySet<number>[] {
  const users = new Map<
    string,
    { readonly touching: Set<number>; readonly writing: Set<number> }
  >();
  for (const [at, { operations }] of transactions.entries())
    for (const { kind, table } of operations) {
      const own = users.get(table) ?? { touching: new Set<number>(), writing: new Set<number>() };
      users.set(table, own);
      own.touching.add(at);
      if (kind !== "read") own.writing.add(at);
    }
  const partners = transactions.map(() => new Set<number>());
  for (const { touching, writing } of users.values())
    for (const writer of writing)
      for (const toucher of touching) {
        partners[writer]?.add(toucher);
        partners[toucher]?.add(writer);
      }
  return partners;
}

// Which units to ask about: the planners of the two backends, kept from programs that are too large for them.
import type { FlatProgram, FlatTransaction } from "../analysis/operations/operation";
import { planPapers } from "../analysis/search/papers";
import { planProduct } from "../analysis/search/products";
import type { Unit } from "../analysis/search/unit";
import type { Level } from "../isolation/levels";

export interface Plan {
  /** In the order in which they should be asked. */
  readonly units: readonly Unit[];
  /** Why the plan is not complete. */
  readonly omitted: readonly string[];
}

export type Planner = (level: Level, size: number) => Plan;

/** A planner over one flat program that remembers its plans. */
export function planner(flat: FlatProgram): Planner {
  const known = new Map<string, Plan>();
  return (level, size) => {
    const key = `${level.name} ${String(size)}`;
    const plan = known.get(key) ?? makePlan(flat, level, size);
    known.set(key, plan);
    return plan;
  };
}

/** Planning looks at every sequence of transactions; so many are a matter of a second. */
const MOST_SEQUENCES = 1_000_000;
/** Every pair is looked at in depth. */
const MOST_PAIRS = 160_000;

function fits(transactions: number, size: number): boolean {
  return transactions ** 2 <= MOST_PAIRS && transactions ** size <= MOST_SEQUENCES;
}

function makePlan(flat: FlatProgram, level: Level, size: number): Plan {
  if (fits(flat.transactions.length, size))
    return { units: planAll(flat, level, size), omitted: [] };
  // No cycle passes between transactions that share no written table, so each component is a program of its own.
  const units: Unit[] = [];
  const omitted: string[] = [];
  for (const members of components(flat.transactions)) {
    if (!fits(members.length, size)) {
      const count = String(members.length);
      omitted.push(
        `${count} transactions share tables, too many to search every ${String(size)} of them; check fewer files at a time`,
      );
      continue;
    }
    const transactions = members.flatMap((member) => flat.transactions[member] ?? []);
    for (const unit of planAll({ ...flat, transactions }, level, size)) {
      units.push({ transactions: unit.transactions.map((each) => members[each] ?? 0) });
    }
  }
  return { units, omitted };
}

function planAll(flat: FlatProgram, level: Level, size: number): readonly Unit[] {
  return level.family === "product"
    ? planProduct(flat, level, size)
    : planPapers(flat, level, size);
}

/** Transactions that are connected by tables which some transaction writes; those without any are left out. */
function components(transactions: readonly FlatTransaction[]): readonly (readonly number[])[] {
  const written = new Set<string>();
  for (const { operations } of transactions) {
    for (const { kind, table } of operations) if (kind !== "read") written.add(table);
  }
  const parent = new Map<string, string>();
  const root = (table: string): string => {
    const above = parent.get(table);
    if (above === undefined || above === table) return table;
    const top = root(above);
    parent.set(table, top);
    return top;
  };
  const tables = transactions.map(({ operations }) => [
    ...new Set(operations.map(({ table }) => table).filter((table) => written.has(table))),
  ]);
  for (const [first, ...rest] of tables) {
    if (first === undefined) continue;
    for (const other of rest) parent.set(root(other), root(first));
  }
  const members = new Map<string, number[]>();
  tables.forEach(([first], n) => {
    if (first === undefined) return;
    const key = root(first);
    members.set(key, [...(members.get(key) ?? []), n]);
  });
  return [...members.values()];
}

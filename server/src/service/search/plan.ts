// The units to solve: the planners of the two backends, guarded against programs that are too large for them.
import type { FlatProgram, FlatTransaction } from "../../analysis/operations/operation";
import { planPapers } from "../../analysis/search/literature/backend";
import { planProduct } from "../../analysis/search/products/backend";
import type { Unit } from "../../analysis/search/unit";
import { compareWorth, worthOf } from "../../analysis/search/worth";
import { AXIOMS } from "../../isolation/levels";
import type { Axiom, PaperLevel } from "../../isolation/levels";
import { distinctLevels, keyOfLevels, paperLevelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";

export interface Plan {
  /** The units in the order in which they should be solved. */
  readonly units: readonly Unit[];
  /** Reasons why the plan is incomplete. */
  readonly omitted: readonly string[];
}

/** The units of `size` transactions at the levels; `among` restricts them to these transactions. */
export type Planner = (levels: Levels, size: number, among?: readonly number[]) => Plan;

/** False if the members form no cycle through all of them, in any order. Called often, so it must be cheap. */
export type MayCycle = (members: readonly number[]) => boolean;

/** A planner over one flat program that memoises its plans. At `tested.levels` it skips what `tested.may` rules out. */
export function planner(
  flat: FlatProgram,
  tested?: { readonly levels: Levels; readonly may: MayCycle },
): Planner {
  const known = new Map<string, Plan>();
  return (levels, size, among) => {
    const key = `${keyOfLevels(levels)} ${String(size)} ${among?.join() ?? ""}`;
    const may = levels === tested?.levels ? tested.may : ANY;
    const plan = known.get(key) ?? makePlan({ flat, levels, size, may }, among);
    known.set(key, plan);
    return plan;
  };
}

const ANY: MayCycle = () => true;

interface Planning {
  readonly flat: FlatProgram;
  readonly levels: Levels;
  readonly size: number;
  readonly may: MayCycle;
}

/** Planning enumerates sequences of transactions; this many take about a second. */
const MOST_SEQUENCES = 1_000_000;
/** Names listed in a sentence. */
const MOST_NAMES = 5;
/** Limit for the detailed look at every pair. */
const MOST_PAIRS = 160_000;

function fits(transactions: number, size: number): boolean {
  return transactions ** 2 <= MOST_PAIRS && transactions ** size <= MOST_SEQUENCES;
}

function makePlan(planning: Planning, among?: readonly number[]): Plan {
  const { flat, size } = planning;
  if (among) return { units: planPart(planning, among), omitted: [] };
  if (fits(flat.transactions.length, size)) return { units: planAll(planning), omitted: [] };
  // No cycle connects transactions that share no written table, so each component is planned separately.
  const units: Unit[] = [];
  const omitted: string[] = [];
  for (const members of components(flat.transactions)) {
    const plan = (some: readonly number[]) => planPart(planning, some);
    if (fits(members.length, size)) units.push(...plan(members));
    else if (size === 2) {
      const anew = eachOnce(planning);
      const pairs = pairsByTable(flat, members, (some) => planPart(anew, some));
      units.push(...pairs.units);
      omitted.push(...pairs.omitted);
    } else {
      const count = String(members.length);
      omitted.push(
        `${count} transactions share tables, too many to search every ${String(size)} of them; check fewer files at a time`,
      );
    }
  }
  return { units: mostWorthFirst(flat, units), omitted };
}

/** The planning that passes over what it was asked for before: a pair that shares several tables is planned with the first of them. */
function eachOnce(planning: Planning): Planning {
  const asked = new Set<string>();
  const may = (some: readonly number[]): boolean => {
    const key = some.join();
    if (asked.has(key)) return false;
    asked.add(key);
    return planning.may(some);
  };
  return { ...planning, may };
}

/** Units sorted by worth; equal ones keep the order of their plan. */
function mostWorthFirst(flat: FlatProgram, units: readonly Unit[]): readonly Unit[] {
  const worth = worthOf(flat);
  return units
    .map((unit) => ({ unit, worth: worth(unit.transactions) }))
    .sort((a, b) => compareWorth(a.worth, b.worth))
    .map(({ unit }) => unit);
}

/**
 * The pairs of a large component: two transactions in a cycle share a table that one of them writes. If too many share one table, each is
 * paired with itself only.
 */
function pairsByTable(
  { transactions }: FlatProgram,
  members: readonly number[],
  plan: (members: readonly number[]) => readonly Unit[],
): Plan {
  const tablesOf = (member: number, writes: boolean): ReadonlySet<string> =>
    new Set(
      (transactions[member]?.operations ?? [])
        .filter(({ kind }) => !writes || kind !== "read")
        .map(({ table }) => table),
    );
  const sharing = new Map<string, number[]>();
  for (const member of members) for (const table of tablesOf(member, true)) sharing.set(table, []);
  for (const member of members)
    for (const table of tablesOf(member, false)) sharing.get(table)?.push(member);
  const alone = members.flatMap((member) => plan([member]));
  const found = new Map(alone.map((unit) => [unit.transactions.join(), unit]));
  const crowded: string[] = [];
  let room = MOST_PAIRS;
  for (const [table, own] of [...sharing].sort(([, a], [, b]) => a.length - b.length)) {
    room -= own.length ** 2;
    if (room < 0) crowded.push(table);
    else for (const unit of plan(own)) found.set(unit.transactions.join(), unit);
  }
  if (crowded.length === 0) return { units: [...found.values()], omitted: [] };
  const some = crowded.slice(0, MOST_NAMES);
  const tables = some.length < crowded.length ? [...some, "others"] : some;
  const omitted = [
    `too many transactions share the tables ${tables.join(", ")} to search every two of them; check fewer files at a time`,
  ];
  return { units: [...found.values()], omitted };
}

/** The plan of some transactions. */
function planPart(planning: Planning, members: readonly number[]): readonly Unit[] {
  const { flat, may } = planning;
  const whole = (some: readonly number[]): readonly number[] =>
    some.map((each) => members[each] ?? 0);
  const part: Planning = {
    ...planning,
    flat: { ...flat, transactions: members.flatMap((member) => flat.transactions[member] ?? []) },
    may: (some) => may(whole(some)),
  };
  return planAll(part).map(({ transactions }) => ({ transactions: whole(transactions) }));
}

function planAll(planning: Planning): readonly Unit[] {
  const { flat, levels, size, may } = planning;
  if (distinctLevels(levels).every((level) => level.family === "product"))
    return planProduct(flat, levels, size, may);
  const units = levels.family === "paper" ? planPapers(flat, levels, size) : planMixture(planning);
  return units.filter(({ transactions }) => may(transactions));
}

/** Each tuple is planned with the axioms common to the levels of its members. */
function planMixture({ flat, levels, size }: Planning): readonly Unit[] {
  const own = flat.transactions.map(({ id }) => paperLevelAt(levels, id));
  const [some] = own;
  if (some === undefined) return [];
  const plans = new Map<string, ReadonlySet<string>>();
  const plannedAt = (members: readonly PaperLevel[]): ReadonlySet<string> => {
    const key = [...new Set(members.map((level) => level.name))].sort().join(" ");
    const known = plans.get(key);
    if (known) return known;
    const units = planPapers(flat, { ...some, axioms: inCommon(members) }, size);
    const made = new Set(units.map((unit) => unit.transactions.join()));
    plans.set(key, made);
    return made;
  };
  return planPapers(flat, { ...some, axioms: inCommon(own) }, size).filter(({ transactions }) =>
    plannedAt(transactions.flatMap((member) => own[member] ?? [])).has(transactions.join()),
  );
}

/** The axioms that all of these levels have. */
function inCommon(levels: readonly PaperLevel[]): readonly Axiom[] {
  return AXIOMS.filter((axiom) => levels.every((level) => level.axioms.includes(axiom)));
}

/** Connected components of transactions that share a written table; those without any are left out. */
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

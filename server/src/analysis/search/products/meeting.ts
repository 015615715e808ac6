// The possible steps of larger cycles at products' levels, from pairs alone: these rule out most tuples of three and four. Answers about
// pairs are cached per solver factory; they depend only on the pair's content and on what the rest of the tuple does to its tables.
import { attribute, ofNode } from "../../../query/nodes";
import { productLevelAt } from "../../../isolation/mixedLevels";
import type { Levels } from "../../../isolation/mixedLevels";
import type { SolverFactory } from "../../../solver/solver";
import { ALONE, BACKWARD, canMeet, encodeMeeting } from "../../encoding/product/meeting";
import { makeTuple } from "../../encoding/product/tuple";
import { INTERNED_BASE } from "../../operations/operation";
import type { FlatProgram } from "../../operations/operation";
import type { SearchLimits, Unit } from "../unit";

/** True if a cycle may step from one position of the commit order to another. */
export type MayLead = (from: number, to: number) => boolean;

/** Cached pairs; the oldest are evicted. */
const MOST_REMEMBERED = 5000;

const answersBy = ofNode((_solvers: SolverFactory) => new Map<string, boolean>());

/**
 * The steps that pairs leave open for these transactions in this commit order: all steps along it, and those against it that the pair
 * allows; pairs of one unit need no step along it. True if the solver gives up.
 */
export function meetings(
  solvers: SolverFactory,
  flat: FlatProgram,
  levels: Levels,
  { transactions, evenPartly }: Unit,
  limits: SearchLimits,
): MayLead {
  const known = new Map<string, boolean>();
  return (from, to) => {
    if (from < to) return true;
    const pair = [transactions[to], transactions[from]] as const;
    const key = pair.join();
    const before = known.get(key);
    if (before !== undefined) return before;
    const [first, second] = pair;
    if (first === undefined || second === undefined) return false;
    const question = { flat, levels, company: transactions, alone: evenPartly !== true };
    const may = mayMiss(solvers, question, [first, second], limits);
    known.set(key, may);
    return may;
  };
}

/** True if some cycle passes through all positions of a commit order of this size. */
export function hasCycle(size: number, mayLead: MayLead): boolean {
  const extend = (path: readonly number[]): boolean => {
    const last = path.at(-1) ?? 0;
    if (path.length === size) return mayLead(last, 0);
    for (let next = 1; next < size; next += 1)
      if (!path.includes(next) && mayLead(last, next) && extend([...path, next])) return true;
    return false;
  };
  return extend([0]);
}

interface Question {
  readonly flat: FlatProgram;
  readonly levels: Levels;
  readonly company: readonly number[];
  /** True if the later transaction may not depend on the earlier one. */
  readonly alone: boolean;
}

type Pair = readonly [number, number];

function mayMiss(
  solvers: SolverFactory,
  question: Question,
  pair: Pair,
  limits: SearchLimits,
): boolean {
  const known = answersBy(solvers);
  const key = `${String(limits.resourceLimit)} ${keyOf(question, pair)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const answer = ask(solvers, question, pair, limits);
  known.set(key, answer);
  for (const oldest of known.keys()) {
    if (known.size <= MOST_REMEMBERED) break;
    known.delete(oldest);
  }
  return answer;
}

function ask(
  solvers: SolverFactory,
  { flat, levels, company, alone }: Question,
  pair: Pair,
  limits: SearchLimits,
): boolean {
  const members = pair.flatMap((index) => flat.transactions[index] ?? []);
  if (!members.every(canMeet)) return true;
  const text = encodeMeeting(flat, levels, pair, company);
  if (text === undefined) return false;
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    limits.asked?.();
    solver.add(text);
    return solver.check(alone ? [BACKWARD, ALONE] : [BACKWARD]) !== "unsat";
  } finally {
    solver.dispose();
  }
}

/** Cache key of the answer; the same in every program that contains these transactions. */
function keyOf({ flat, levels, company, alone }: Question, pair: Pair): string {
  const tuple = makeTuple(flat, levels, pair, company);
  const tables = [...tuple.tables.values()].map((table) => [
    textOf(flat, table.table),
    [...table.mutable].sort(),
    [...table.updated].sort(),
    [...table.nullable].sort(),
    table.closed,
    table.missed,
  ]);
  const members = tuple.transactions.map((each) => [
    textOf(flat, each),
    productLevelAt(levels, each.id).name,
  ]);
  return JSON.stringify([members, tables, alone]);
}

const texts = attribute<object, string>();

/** Plain data of a program as text, independent of how the program numbers its interned texts. */
function textOf({ interned }: FlatProgram, data: object): string {
  const known = texts.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify(data, (_, value: unknown) =>
    typeof value === "number" ? (interned[value - INTERNED_BASE] ?? value) : value,
  );
  texts.set(data, text);
  return text;
}

// Which steps a larger cycle can have at products' levels, from pairs alone: most tuples of three and four are ruled out
// by them. Answers about pairs are remembered per solver factory; they depend on the pair's own content, on what its
// company does to its tables, and nothing else.
import { productLevelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { SolverFactory } from "../../solver/solver";
import { BACKWARD, FORWARD, canMeet, encodeMeeting } from "../encoding/productMeeting";
import { makeTuple } from "../encoding/productTuple";
import { INTERNED_BASE } from "../operations/operation";
import type { FlatProgram } from "../operations/operation";
import type { SearchLimits } from "./unit";

/** Whether a step of a cycle in which no fewer instances form one may lead from one place of the commit order to another. */
export type MayLead = (from: number, to: number) => boolean;

/** Pairs that are remembered: beyond that the oldest go. */
const MOST_REMEMBERED = 5000;

const remembered = new WeakMap<SolverFactory, Map<string, ReadonlySet<string>>>();

/** The steps that pairs leave open for these transactions in this commit order; true where the solver gives up. */
export function meetings(
  solvers: SolverFactory,
  flat: FlatProgram,
  levels: Levels,
  transactions: readonly number[],
  limits: SearchLimits,
): MayLead {
  return (from, to) => {
    const [first, second] = [transactions[Math.min(from, to)], transactions[Math.max(from, to)]];
    if (first === undefined || second === undefined || from === to) return false;
    const steps = stepsBetween(
      solvers,
      { flat, levels, company: transactions },
      [first, second],
      limits,
    );
    return steps.has(from < to ? FORWARD : BACKWARD);
  };
}

/** Whether some cycle passes through all places of a commit order of that many. */
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
}

type Pair = readonly [number, number];

function stepsBetween(
  solvers: SolverFactory,
  question: Question,
  pair: Pair,
  limits: SearchLimits,
): ReadonlySet<string> {
  const known = remembered.get(solvers) ?? new Map<string, ReadonlySet<string>>();
  remembered.set(solvers, known);
  const key = keyOf(question, pair);
  const before = known.get(key);
  if (before !== undefined) return before;
  const steps = askSteps(solvers, question, pair, limits);
  known.set(key, steps);
  for (const oldest of known.keys()) {
    if (known.size <= MOST_REMEMBERED) break;
    known.delete(oldest);
  }
  return steps;
}

function askSteps(
  solvers: SolverFactory,
  { flat, levels, company }: Question,
  pair: Pair,
  limits: SearchLimits,
): ReadonlySet<string> {
  const members = pair.flatMap((index) => flat.transactions[index] ?? []);
  if (!members.every(canMeet)) return new Set([FORWARD, BACKWARD]);
  const { text, open } = encodeMeeting(flat, levels, pair, company);
  if (open.length === 0) return new Set();
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    solver.add(text);
    return new Set(open.filter((step) => solver.check([step]) !== "unsat"));
  } finally {
    solver.dispose();
  }
}

/** What the answer depends on; the same in every program that holds these transactions. */
function keyOf({ flat, levels, company }: Question, pair: Pair): string {
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
  return JSON.stringify([members, tables]);
}

const texts = new WeakMap<object, string>();

/** Plain data of a program as text, however the program numbers its words. */
function textOf({ interned }: FlatProgram, data: object): string {
  const known = texts.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify(data, (_, value: unknown) =>
    typeof value === "number" ? (interned[value - INTERNED_BASE] ?? value) : value,
  );
  texts.set(data, text);
  return text;
}

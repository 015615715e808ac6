// The possible steps of larger cycles, from pairs alone: these rule out most tuples of three and four. Answers about pairs are cached per
// solver factory, keyed by the pair's content, which alone they depend on.
import { ofNode } from "../../../query/nodes";
import { ownEntry } from "../../../protocol/dictionary";
import type { SolverFactory } from "../../../solver/solver";
import {
  DEPENDS,
  MISSES,
  NO_CONFLICT,
  encodeMeeting,
  writtenColumns,
} from "../../encoding/relational/meeting";
import { INTERNED_BASE } from "../../operations/operation";
import type { FlatProgram } from "../../operations/operation";
import type { SearchLimits } from "../unit";
import type { SearchedLevel } from "./levels";
import { mayReverse } from "./plan";

/** A possible step from one transaction to another. */
interface Step {
  readonly depends: boolean;
  /** True if each may miss a write of the other: the only step against arbitration. */
  readonly reverses: boolean;
}

/** Cached pairs; the oldest are evicted. */
const MOST_REMEMBERED = 5000;

const stepsBy = ofNode((_solvers: SolverFactory) => new Map<string, Step>());

/**
 * True if pairs do not rule out a cycle at the level over these transactions in this order; also if the solver gives up. For levels with
 * atomic visibility of transactions.
 */
export function mayCycle(
  solvers: SolverFactory,
  flat: FlatProgram,
  level: SearchedLevel,
  transactions: readonly number[],
  limits: SearchLimits,
): boolean {
  const steps: Step[] = [];
  const written = writtenColumns(flat, transactions);
  for (const [at, from] of transactions.entries()) {
    const to = transactions[(at + 1) % transactions.length] ?? from;
    const question = { flat, written, noConflict: level.inAll.includes("noConflict") };
    const step = stepBetween(solvers, question, [from, to], limits);
    if (!step.depends) return false;
    steps.push(step);
  }
  return mayReverse(
    level.inAll,
    steps.map((step) => step.reverses),
  );
}

interface Question {
  readonly flat: FlatProgram;
  readonly noConflict: boolean;
  /** Columns that some transaction of the tuple writes. */
  readonly written: ReadonlySet<string>;
}

function stepBetween(
  solvers: SolverFactory,
  question: Question,
  [from, to]: readonly [number, number],
  limits: SearchLimits,
): Step {
  const known = stepsBy(solvers);
  const key = keyOf(question, [from, to]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const step = askStep(solvers, question, [from, to], limits);
  known.set(key, step);
  for (const oldest of known.keys()) {
    if (known.size <= MOST_REMEMBERED) break;
    known.delete(oldest);
  }
  return step;
}

/** The pair's content as a key, equal in every program that contains these transactions, however it numbers its interned texts. */
function keyOf({ flat, noConflict, written }: Question, pair: readonly number[]): string {
  const transactions = pair.map((index) => flat.transactions[index]);
  const names = transactions.flatMap((each) => each?.operations.map(({ table }) => table) ?? []);
  const tables = [...new Set(names)].sort().map((name) => ownEntry(flat.tables, name));
  const columns = [...written].filter((name) => names.includes(name.slice(0, name.indexOf("."))));
  return JSON.stringify([noConflict, columns.sort(), transactions, tables], (_, value: unknown) =>
    typeof value === "number" ? (flat.interned[value - INTERNED_BASE] ?? value) : value,
  );
}

function askStep(
  solvers: SolverFactory,
  { flat, noConflict, written }: Question,
  pair: readonly [number, number],
  limits: SearchLimits,
): Step {
  const { text, assumptions } = encodeMeeting(flat, pair, written);
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    solver.add(text);
    const always = [...assumptions, ...(noConflict ? [NO_CONFLICT] : [])];
    const reverses = solver.check([MISSES, ...always]) !== "unsat";
    return { reverses, depends: reverses || solver.check([DEPENDS, ...always]) !== "unsat" };
  } finally {
    solver.dispose();
  }
}

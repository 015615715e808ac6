// The effect of an axiom, decided over all small executions. A "for all" axiom over k statements that fails in some execution fails in the
// sub-execution of these k, and the built-in axioms are closed under sub-executions; so executions of k statements decide it. With "exists"
// they are a sample.
import { countVariables, relationsIn } from "./formula";
import type { WrittenAxiom } from "./formula";
import { refutation } from "./evaluateFormula";
import type { FormulaHistory } from "./evaluateFormula";

/** The effect of an axiom in addition to others. */
export type Effect =
  /** It excludes some executions. */
  | "excludes"
  /** It excludes something only if a session runs several transactions. */
  | "sessions"
  /** It follows from the others. */
  | "follows"
  /** There were too many executions to try. */
  | "undecided";

/** Limits of statements and of executions. */
const MOST_STATEMENTS = 5;
const MOST_HISTORIES = 20_000;

/** The effect of the axiom on executions that satisfy the others. */
export function effectOf(axiom: WrittenAxiom, others: readonly WrittenAxiom[]): Effect {
  const variables = countVariables(axiom.formula);
  const relations = relationsIn(axiom.formula);
  let budget = MOST_HISTORIES;
  const tellsApart = (sessions: boolean): boolean | undefined => {
    for (let size = 1; size <= Math.min(Math.max(1, variables), MOST_STATEMENTS); size += 1) {
      for (const history of histories(size, { relations, sessions, serial: false })) {
        budget -= 1;
        if (budget < 0) return undefined;
        if (refutation(axiom, history) === undefined) continue;
        if (others.every((other) => refutation(other, history) === undefined)) return true;
      }
    }
    return variables > MOST_STATEMENTS ? undefined : false;
  };
  const alone = tellsApart(false);
  if (alone !== false) return alone === true ? "excludes" : "undecided";
  if (!relations.has("so")) return "follows";
  const within = tellsApart(true);
  if (within === undefined) return "undecided";
  return within ? "sessions" : "follows";
}

/** A serial run that the axiom rejects, in words; undefined if there is none. */
export function refusedSerialRun(axiom: WrittenAxiom): string | undefined {
  const relations = relationsIn(axiom.formula);
  const largest = Math.max(1, Math.min(countVariables(axiom.formula), MOST_STATEMENTS));
  for (let size = 1; size <= largest; size += 1) {
    for (const history of histories(size, { relations, sessions: true, serial: true })) {
      if (refutation(axiom, history) !== undefined) return describe(history);
    }
  }
  return undefined;
}

interface Kinds {
  readonly relations: ReadonlySet<string>;
  /** True if sessions may run several transactions. */
  readonly sessions: boolean;
  readonly serial: boolean;
}

/** All executions of this many statements, numbered by arbitration; rows vary only if the formula mentions them. */
function* histories(
  size: number,
  { relations, sessions, serial }: Kinds,
): Generator<FormulaHistory> {
  for (const transaction of partitions(size)) {
    const of = (statement: number): number => transaction[statement] ?? 0;
    if (serial && transaction.some((each, at) => at > 0 && of(at - 1) > each)) continue;
    const transactions = Math.max(...transaction) + 1;
    const apart = pairsOf(size).filter(([a, b]) => of(a) !== of(b));
    const grouped = sessions && relations.has("so") ? partitions(transactions) : [[]];
    // Session order need not follow arbitration, except at some levels.
    const orders = serial || grouped.length === 1 ? [1] : [1, -1];
    for (let written = 0; written < 1 << size; written += 1) {
      const writes = (statement: number): boolean => (written & (1 << statement)) !== 0;
      const seen = apart.filter(([writer]) => writes(writer));
      const both = pairsOf(size).filter(([a, b]) => writes(a) && writes(b));
      const conflicts = relations.has("conflict") ? both : [];
      const sameKeys = relations.has("samekey") ? both : [];
      for (const session of grouped.flatMap((each) => orders.map((order) => ({ each, order }))))
        for (const conflict of subsets(conflicts))
          for (const sameKey of subsets(sameKeys))
            for (const sees of serial ? [pairTest(seen)] : subsets(seen))
              yield {
                size,
                transactionOf: of,
                programOrder: (a, b) => of(a) === of(b) && a < b,
                sessionOrder: (a, b) =>
                  session.each[of(a)] !== undefined &&
                  session.each[of(a)] === session.each[of(b)] &&
                  session.order * (of(b) - of(a)) > 0,
                arbitration: (a, b) => a < b,
                sees: (reader, writer) => sees(writer, reader),
                writes,
                conflict: (a, b) =>
                  a === b ? writes(a) : conflict(Math.min(a, b), Math.max(a, b)),
                sameKey: (a, b) => a !== b && sameKey(Math.min(a, b), Math.max(a, b)),
              };
    }
  }
}

type Pair = readonly [number, number];
type PairTest = (a: number, b: number) => boolean;

function pairsOf(size: number): readonly Pair[] {
  return Array.from({ length: size }, (_, b) =>
    Array.from({ length: b }, (__, a): Pair => [a, b]),
  ).flat();
}

function pairTest(pairs: readonly Pair[]): PairTest {
  const known = new Set(pairs.map(([a, b]) => a * 16 + b));
  return (a, b) => known.has(a * 16 + b);
}

function* subsets(pairs: readonly Pair[]): Generator<PairTest> {
  for (let chosen = 0; chosen < 1 << pairs.length; chosen += 1) {
    yield pairTest(pairs.filter((_, at) => (chosen & (1 << at)) !== 0));
  }
}

/** All partitions of 0..size-1, groups numbered by their first members. */
function partitions(size: number): readonly (readonly number[])[] {
  let all: (readonly number[])[] = [[]];
  for (let at = 0; at < size; at += 1) {
    all = all.flatMap((groups) => {
      const next = Math.max(-1, ...groups) + 1;
      return Array.from({ length: next + 1 }, (_, group) => [...groups, group]);
    });
  }
  return all;
}

/** "T1: write, read; T2: read". */
function describe({ size, transactionOf, writes }: FormulaHistory): string {
  const parts: string[] = [];
  for (let statement = 0; statement < size; statement += 1) {
    const at = transactionOf(statement);
    const before = parts[at];
    const does = writes(statement) ? "write" : "read";
    parts[at] = before === undefined ? `T${String(at + 1)}: ${does}` : `${before}, ${does}`;
  }
  return parts.join("; ");
}

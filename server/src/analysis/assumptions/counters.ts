// Monotone counters, found in the text: a column that transactions only increase, and ids that are taken from it. Each candidate says that
// used ids are below the counter; it is assumed only if every transaction preserves it.
import type { ComparisonOperator, Expression } from "../../program/expression";
import type { Invariant } from "../../program/program";
import { ownEntry } from "../../protocol/dictionary";
import type { FlatProgram, FlatTransaction, Operation, Term } from "../operations/operation";
import { HIDDEN } from "../operations/operation";
import { parts } from "../operations/terms";

/** Candidates over the same counter and ids, strongest first: the first that holds implies the rest. */
export type CounterCandidates = readonly Invariant[];

/**
 * The candidates of a program. An id is the value of a counter column, plus a constant, read or returned from a row that the transaction
 * increases; the row is identified by a literal or by values that the inserted row has as well.
 */
export function counterCandidates(flat: FlatProgram): readonly CounterCandidates[] {
  const found = new Map<string, CounterCandidates>();
  for (const transaction of flat.transactions) {
    const counters = countersOf(transaction);
    for (const insert of transaction.operations) {
      if (insert.kind !== "insert") continue;
      for (const [column, value] of Object.entries(insert.set)) {
        for (const counter of counters) {
          if (counter.table === insert.table || !isTakenFrom(value, counter, transaction)) continue;
          const candidates = belowCounter(insert, column, counter);
          const [first] = candidates;
          if (first) found.set(first.text, candidates);
        }
      }
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, candidates]) => candidates);
}

/** A column of one row that the transaction increases. */
interface Counter {
  readonly table: string;
  readonly column: string;
  /** The key of its row. */
  readonly key: Readonly<Record<string, Term>>;
}

function countersOf(transaction: FlatTransaction): readonly Counter[] {
  return transaction.operations.flatMap((update): readonly Counter[] => {
    const { kind, pick, set, table, key } = update;
    if (kind !== "update" || pick !== "point" || table.startsWith(HIDDEN)) return [];
    return Object.entries(set).flatMap(([column, value]) => {
      const counter = { table, column, key };
      const { base, offset } = withoutConstant(value);
      const own = base.kind === "column" && base.column === column;
      const moves = offset > 0 && (own || readsCounter(base, counter, transaction));
      return moves ? [counter] : [];
    });
  });
}

/** Splits a term into a base and an added constant. */
function withoutConstant(term: Term): { readonly base: Term; readonly offset: number } {
  if (term.kind !== "add" && term.kind !== "subtract") return { base: term, offset: 0 };
  const { left, right } = term;
  const sign = term.kind === "add" ? 1 : -1;
  if (right.kind === "int") {
    const { base, offset } = withoutConstant(left);
    return { base, offset: offset + sign * right.value };
  }
  if (left.kind !== "int" || sign < 0) return { base: term, offset: 0 };
  const { base, offset } = withoutConstant(right);
  return { base, offset: offset + left.value };
}

/** True if the value is the counter's up to a constant; branches without a value do not matter. */
function isTakenFrom(value: Term, counter: Counter, transaction: FlatTransaction): boolean {
  if (value.kind === "conditional") {
    const ends = [value.then, value.otherwise].filter(({ kind }) => kind !== "null");
    return ends.length > 0 && ends.every((each) => isTakenFrom(each, counter, transaction));
  }
  return readsCounter(withoutConstant(value).base, counter, transaction);
}

/** True if the term is, up to a constant, an operation's result for the counter's column. */
function readsCounter(term: Term, counter: Counter, transaction: FlatTransaction): boolean {
  if (term.kind !== "output") return false;
  const source = transaction.operations[term.operation];
  if (source?.table !== counter.table || !sameKey(source, counter)) return false;
  const given = ownEntry(source.outputs, term.name);
  const base = given && withoutConstant(given).base;
  return base?.kind === "column" && base.column === counter.column;
}

function sameKey(operation: Operation, { key }: Counter): boolean {
  const columns = Object.keys(key);
  return columns.every((column) => {
    const [a, b] = [ownEntry(operation.key, column), ownEntry(key, column)];
    return a !== undefined && b !== undefined && same(a, b);
  });
}

/** Structural equality. Keys are small terms; large ones are compared by identity. */
function same(a: Term, b: Term): boolean {
  if (a === b) return true;
  if (parts(a).length > 0 || parts(b).length > 0) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The invariant `ids.column < counter.column` for rows that belong together. */
function belowCounter(insert: Operation, id: string, counter: Counter): CounterCandidates {
  const joined: { readonly column: string; readonly to: Expression; readonly text: string }[] = [];
  for (const [column, term] of Object.entries(counter.key)) {
    const partner = Object.entries(insert.set).find(
      ([other, value]) => other !== id && same(value, term),
    );
    if (partner) {
      const [other] = partner;
      const to = columnOf(insert.table, other);
      joined.push({ column, to, text: `${insert.table}.${other}` });
    } else if (term.kind === "int") {
      const to: Expression = { kind: "literal", value: term.value, type: "int" };
      joined.push({ column, to, text: String(term.value) });
    } else return [];
  }
  const where: Expression = {
    kind: "and",
    operands: joined.map(({ column, to }) => ({
      kind: "comparison",
      operator: "=",
      left: to,
      right: columnOf(counter.table, column),
    })),
  };
  const condition = joined.map(({ column, text }) => `${text} = ${counter.table}.${column}`);
  const suffix = condition.length > 0 ? ` where ${condition.join(" and ")}` : "";
  return (["<", "<="] satisfies ComparisonOperator[]).map((operator): Invariant => ({
    text: `${insert.table}.${id} ${operator} ${counter.table}.${counter.column}${suffix}`,
    origin: "inferred",
    relations: [insert.table, counter.table].map((table) => ({
      alias: table,
      table,
      kind: "base",
      join: "cross",
    })),
    where,
    condition: {
      kind: "comparison",
      operator,
      left: columnOf(insert.table, id),
      right: columnOf(counter.table, counter.column),
    },
  }));
}

function columnOf(relation: string, column: string): Expression {
  return { kind: "column", relation, column };
}

// The flat form for proofs: values that depend on the number of rows, or on all of them together, are havocked. A proof covers every
// database, so no fixed number of rows would suffice.
import { isPoint } from "../encoding/relational/instances";
import type { FlatProgram, FlatTransaction, Operation, Term } from "../operations/operation";
import { columnsIn, rewriter, parts } from "../operations/terms";

/** The program with aggregates, counts and subqueries over sets of rows havocked: an over-approximation. */
export function openForm(flat: FlatProgram): FlatProgram {
  return { ...flat, transactions: flat.transactions.map((each) => openTransaction(flat, each)) };
}

function openTransaction(flat: FlatProgram, transaction: FlatTransaction): FlatTransaction {
  const open = opener(flat, transaction);
  const openAll = (terms: Readonly<Record<string, Term>>): Readonly<Record<string, Term>> =>
    Object.fromEntries(Object.entries(terms).map(([name, term]) => [name, open(term)]));
  const operations = transaction.operations.map((each): Operation => ({
    ...each,
    guard: open(each.guard),
    key: openAll(each.key),
    where: open(each.where),
    outputs: openAll(each.outputs),
    set: openAll(each.set),
    ...(each.update && { update: openAll(each.update) }),
    ...(each.updateWhere && { updateWhere: open(each.updateWhere) }),
    ...(each.undone && {
      undone: each.undone.map(({ when, from }) => ({ when: open(when), from })),
    }),
  }));
  const { steps, exceeds } = transaction;
  return {
    ...transaction,
    operations,
    aborts: open(transaction.aborts),
    ...(steps && { steps: steps.map((step) => ({ ...step, guard: open(step.guard) })) }),
    ...(exceeds && { exceeds: open(exceeds) }),
  };
}

/** Replaces terms, keeping shared structure. */
function opener(flat: FlatProgram, transaction: FlatTransaction): (term: Term) => Term {
  const isSet = (operation: number): boolean => {
    const of = transaction.operations[operation];
    return of !== undefined && of.pick === "all" && !isPoint(flat, of);
  };
  const replaced = (term: Term): Term | undefined => {
    switch (term.kind) {
      case "output": {
        if (!isSet(term.operation)) return undefined;
        const { aggregate } = transaction.operations[term.operation] ?? {};
        const of = aggregate?.output === term.name ? aggregate.function : undefined;
        const id = `open ${String(term.operation)} ${term.name}`;
        if (of === "exists") return { kind: "unknown", id, type: "bool" };
        const value: Term = { kind: "unknown", id, type: "int" };
        return of === "count" ? value : orNull(id, value);
      }
      case "found":
        return isSet(term.operation)
          ? { kind: "unknown", id: `open ${String(term.operation)} found`, type: "bool" }
          : undefined;
      case "count":
        return isSet(term.operation)
          ? { kind: "unknown", id: `open ${String(term.operation)} count`, type: "int" }
          : undefined;
      case "over": {
        const of = transaction.operations[term.operation];
        return of && isPoint(flat, of) ? undefined : openOver(term, open);
      }
      default:
        return undefined;
    }
  };
  const open = rewriter(replaced);
  return open;
}

/** An unknown value, the same for equal current rows of one instance. */
function openOver(term: Extract<Term, { kind: "over" }>, open: (term: Term) => Term): Term {
  const id = `open over ${JSON.stringify(term)}`;
  const columns = [...columnsIn(term)].sort().map((column): Term => ({ kind: "column", column }));
  const joined = joinedIn(term).map(open);
  const own: Term = { kind: "unknown", id, type: "int" };
  const value = (of: string, type: "bool" | "int"): Term => ({
    kind: "apply",
    name: `${of} open`,
    type,
    strict: false,
    arguments: [own, ...columns, ...joined],
  });
  if (term.function === "exists") return value("exists", "bool");
  if (term.function === "total") return value("total", "int");
  return {
    kind: "conditional",
    condition: value("empty", "bool"),
    then: { kind: "null" },
    otherwise: value(term.function, "int"),
  };
}

/** Values of rows of other, enclosing `over`s. */
function joinedIn(over: Extract<Term, { kind: "over" }>): readonly Term[] {
  const found = new Map<string, Term>();
  const visit = (term: Term, bound: readonly number[], seen: Set<Term>): void => {
    if (seen.has(term)) return;
    seen.add(term);
    if (term.kind === "joined" && !bound.includes(term.operation))
      found.set(`${String(term.operation)} ${term.name}`, term);
    if (term.kind === "over") {
      const inner = new Set<Term>();
      for (const part of parts(term)) visit(part, [...bound, term.operation], inner);
    } else for (const part of parts(term)) visit(part, bound, seen);
  };
  visit(over, [], new Set());
  return [...found.values()];
}

function orNull(id: string, value: Term): Term {
  return {
    kind: "conditional",
    condition: { kind: "unknown", id: `${id} empty`, type: "bool" },
    then: { kind: "null" },
    otherwise: value,
  };
}

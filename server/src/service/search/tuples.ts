// Tuples of transactions as independent problems: the part of a program that a tuple needs, and the cache key of its answer.
import { createHash } from "node:crypto";
import type { Unit } from "../../analysis/search/unit";
import type { Invariant, Program, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import { tablesNamedIn, tablesOf } from "../statements";
import { ofNode } from "../../query/nodes";

/** All units over one multiset of transactions: their orders are one question to a person. */
export interface Tuple {
  /** Ascending indexes into the program's transactions. */
  readonly members: readonly number[];
  readonly units: readonly Unit[];
}

/** Groups units by multiset, in order of first occurrence. */
export function gatherTuples(units: readonly Unit[]): readonly Tuple[] {
  const tuples = new Map<string, { members: readonly number[]; units: Unit[] }>();
  for (const unit of units) {
    const members = [...unit.transactions].sort((a, b) => a - b);
    const known = tuples.get(members.join());
    if (known) known.units.push(unit);
    else tuples.set(members.join(), { members, units: [unit] });
  }
  return [...tuples.values()];
}

/** True if a proper sub-multiset of an ascending multiset is known. O(2^n) for small n. */
export function containsSmaller(members: readonly number[], known: ReadonlySet<string>): boolean {
  for (let part = 1; part < 2 ** members.length - 1; part += 1) {
    const chosen = members.filter((_, n) => (part & (1 << n)) !== 0);
    if (known.has(chosen.join())) return true;
  }
  return false;
}

/** A tuple as a separate problem: a program of its transactions alone, and its units with indexes into that. */
export interface OwnProblem {
  readonly program: Program;
  readonly units: readonly Unit[];
  /** Equal for equal problems, wherever they are in the files. */
  readonly key: string;
}

/** Cuts tuples out of one program; per-transaction work is memoised. */
export function tupleCutter(program: Program): (tuple: Tuple) => OwnProblem {
  const parts = program.transactions.map((transaction) => partOf(transaction));
  const tables = new Map(program.schema.tables.map((table) => [table.name, table]));
  const digests = new Map(program.schema.tables.map((table) => [table.name, digest(table)]));
  const children = foreignChildren(program.schema.tables);
  return (tuple) => {
    const distinct = [...new Set(tuple.members)];
    const own = distinct.flatMap((member) => [...(parts[member]?.tables ?? [])]);
    const { invariants, asked } = relevantInvariants(program, new Set(own));
    const totals = relevantTotals(program, new Set(own));
    const counted = totals.flatMap((each) => [...tablesNamedIn(each)]);
    const names = closure([...own, ...asked, ...counted], tables, children);
    const units = tuple.units.map((unit) => ({
      ...unit,
      transactions: unit.transactions.map((member) => distinct.indexOf(member)),
    }));
    return {
      program: {
        schema: { tables: names.flatMap((name) => tables.get(name) ?? []) },
        transactions: distinct.flatMap((member) => program.transactions[member] ?? []),
        ...(invariants.length > 0 && { invariants }),
        ...(totals.length > 0 && { totals }),
        notes: [],
        files: [],
      },
      units,
      key: digest([
        distinct.map((member) => parts[member]?.digest),
        names.map((name) => digests.get(name) ?? name),
        units,
        // The solver's results name invariants by text, so texts are part of the key.
        invariants.map((each) => [each.text, each]),
        totals.map((each) => [each.text, each]),
      ]),
    };
  };
}

/**
 * The invariants over these tables, and the tables in which they require rows. One that names another table says nothing about these: that
 * table may be empty.
 */
function relevantInvariants(program: Program, tables: ReadonlySet<string>) {
  const present = new Set(tables);
  let invariants: readonly Invariant[] = [];
  for (let before = -1; before < invariants.length;) {
    before = invariants.length;
    invariants = (program.invariants ?? []).filter(({ relations }) =>
      relations.every(({ table }) => present.has(table)),
    );
    for (const { condition } of invariants)
      if (condition.kind === "exists")
        for (const { table } of condition.query.relations) present.add(table);
  }
  return { invariants, asked: [...present].filter((table) => !tables.has(table)) };
}

/** The totals over tables that these transactions use. */
function relevantTotals(
  { totals = [] }: Program,
  tables: ReadonlySet<string>,
): readonly Invariant[] {
  return totals.filter((each) => [...tablesNamedIn(each)].some((table) => tables.has(table)));
}

interface Part {
  readonly tables: ReadonlySet<string>;
  readonly digest: string;
}

/** Memo of transactions that did not change between two programs, by identity. */
const partOf = ofNode((transaction: Transaction): Part => {
  return { tables: tablesOf(transaction), digest: digest(transaction) };
});

/** Positions and spelling are no part of the problem: results get them back from the current program. */
const PLACES: ReadonlySet<string> = new Set(["source", "header", "text", "through", "annotations"]);

/** A short hash of plain data without its positions. */
export function digest(value: unknown): string {
  const text = JSON.stringify(value, (key, field: unknown) =>
    PLACES.has(key) ? undefined : field,
  );
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

function foreignChildren(tables: readonly Table[]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const table of tables) {
    for (const key of table.foreignKeys) {
      children.set(key.table, [...(children.get(key.table) ?? []), table.name]);
    }
  }
  return children;
}

/** The named tables, their referenced tables (transitively), and the direct children of the named ones. */
function closure(
  named: readonly string[],
  tables: ReadonlyMap<string, Table>,
  children: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const found = new Set<string>();
  const open = [...named, ...named.flatMap((name) => children.get(name) ?? [])];
  while (open.length > 0) {
    const name = open.pop();
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    for (const key of tables.get(name)?.foreignKeys ?? []) open.push(key.table);
  }
  return [...found].sort();
}

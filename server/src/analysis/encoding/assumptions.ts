// The encodings' assumptions on initial rows and arguments. Each is guarded by a literal, so that an unsat core tells which of them the
// answer rests on.
import { ownEntry } from "../../protocol/dictionary";
import { fromRowColumn } from "../operations/operation";
import type { FlatInvariant, FlatProgram, Term } from "../operations/operation";
import { FALSE, TRUE, and, imp, not } from "./smt";
import type { Script, Smt } from "./smt";
import { asInt, isTrue } from "./sqlValue";
import type { SqlValue } from "./sqlValue";

/** An assumption by its name in results: `invariant`, `check` or `precondition` with its subject, or `rollbacks`. */
export interface Assumption {
  readonly literal: string;
  readonly name: string;
}

/** The assumptions that an encoding has used so far. */
export interface Assumptions {
  /** The literal that guards the named assumption. */
  literal(name: string): Smt;
  all(): readonly Assumption[];
}

/** Assumptions of one script. */
export function createAssumptions(script: Script): Assumptions {
  const known = new Map<string, Smt>();
  return {
    literal: (name) => {
      const before = known.get(name);
      if (before !== undefined) return before;
      const literal = script.constant(`ASSUME${String(known.size)}`, "Bool");
      known.set(name, literal);
      return literal;
    },
    all: () => [...known].map(([name, literal]) => ({ name, literal })),
  };
}

export function invariantName(text: string): string {
  return `invariant ${text}`;
}

/** The `index`-th CHECK of the table. */
export function checkName(table: string, index: number): string {
  return `check ${String(index)} ${table}`;
}

/** The `index`-th precondition of the transaction. */
export function preconditionName(transaction: string, index: number): string {
  return `precondition ${String(index)} ${transaction}`;
}

/** The assumption that transactions roll back only where their text says so. */
export const NO_ROLLBACKS = "rollbacks";

/** The kind, number and subject in an assumption's name. */
export function readAssumptionName(
  name: string,
):
  | { readonly kind: "invariant"; readonly text: string }
  | { readonly kind: "check" | "precondition"; readonly index: number; readonly of: string }
  | { readonly kind: "rollbacks" }
  | undefined {
  if (name === NO_ROLLBACKS) return { kind: "rollbacks" };
  const [, kind, index, of] = /^(check|precondition) (\d+) (.*)$/su.exec(name) ?? [];
  if (kind === "check" || kind === "precondition")
    return { kind, index: Number(index), of: of ?? "" };
  const [, text] = /^invariant (.*)$/su.exec(name) ?? [];
  return text === undefined ? undefined : { kind: "invariant", text };
}

/** A row, as the terms of its key columns. */
export type AssumedRow = readonly Smt[];

/** The initial rows, as far as asserting invariants needs them. */
export interface StartRows {
  readonly flat: FlatProgram;
  readonly script: Script;
  readonly assumptions: Assumptions;
  /** References that the database itself enforces, which are no assumptions. */
  readonly references: readonly FlatInvariant[];
  alive(table: string, row: AssumedRow): Smt;
  column(table: string, row: AssumedRow, column: string): SqlValue;
  /** The value of a term over these columns. */
  value(term: Term, column: (name: string) => SqlValue): SqlValue;
  /** True if rows of the table are part of the encoding; rows of other tables are added to the witness. */
  knows(table: string): boolean;
  /** Makes a row known that an invariant requires. */
  mention(table: string, row: AssumedRow): void;
}

/** Asserts invariants as rows become known. */
export interface InvariantAsserter {
  /** To be called once with every row that may exist initially. O(r^n) for n tables with r rows each. */
  add(table: string, row: AssumedRow): void;
}

/** The depth to which chains of required rows are encoded; the witness adds the rest. */
const DEEPEST = 4;

/** Creates an asserter for the program's invariants and for the references between rows. */
export function invariantAsserter(start: StartRows): InvariantAsserter {
  const { references } = start;
  const invariants = [...(start.flat.invariants ?? []), ...references];
  const rows = new Map<string, AssumedRow[]>();
  const depth = { now: 0, names: 0 };
  let started = false;
  /** Invariants over no row require a row unconditionally. */
  const assertRowless = (): void => {
    if (started) return;
    started = true;
    for (const invariant of invariants)
      if (invariant.tables.length === 0) assertOn(start, invariant, [], depth);
  };
  return {
    add: (table, row) => {
      assertRowless();
      const before = rows.get(table) ?? [];
      if (before.some((each) => each.join(" ") === row.join(" "))) return;
      rows.set(table, [...before, row]);
      for (const invariant of invariants)
        for (const [at, name] of invariant.tables.entries()) {
          if (name !== table) continue;
          // Each combination with the new row once: earlier places range over older rows only.
          const choices = invariant.tables.map((other, place) => {
            if (place === at) return [row];
            return other === table && place < at ? before : (rows.get(other) ?? []);
          });
          for (const combination of combinations(choices)) {
            const named = combination.map((each, place): readonly [string, AssumedRow] => [
              invariant.tables[place] ?? "",
              each,
            ]);
            assertOn(start, invariant, named, depth);
          }
        }
    },
  };
}

function combinations(choices: readonly (readonly AssumedRow[])[]): readonly AssumedRow[][] {
  return choices.reduce<readonly AssumedRow[][]>(
    (all, choice) => all.flatMap((each) => choice.map((row) => [...each, row])),
    [[]],
  );
}

function assertOn(
  start: StartRows,
  invariant: FlatInvariant,
  rows: readonly (readonly [string, AssumedRow])[],
  depth: { now: number; names: number },
): void {
  const { script } = start;
  const broken = isTrue(start.value(invariant.broken, rowColumns(start, rows)));
  if (broken === FALSE) return;
  const alive = rows.map(([table, row]) => start.alive(table, row));
  const literal = start.references.includes(invariant)
    ? TRUE
    : start.assumptions.literal(invariantName(invariant.text));
  const premise = and(literal, ...alive);
  if (!invariant.exists) {
    script.assert(imp(premise, not(broken)));
    return;
  }
  if (!start.knows(invariant.exists.table) || depth.now >= DEEPEST) return;
  depth.now += 1;
  depth.names += 1;
  const sought = soughtExists(start, invariant.exists, rows, `q${String(depth.names)}`);
  script.assert(imp(and(premise, broken), sought));
  depth.now -= 1;
}

/** The condition that the row required by an invariant exists; without a given key, it is a fresh row of that name. */
function soughtExists(
  start: StartRows,
  exists: NonNullable<FlatInvariant["exists"]>,
  rows: readonly (readonly [string, AssumedRow])[],
  name: string,
): Smt {
  const { script } = start;
  const known = rowColumns(start, rows);
  const primaryKey = ownEntry(start.flat.tables, exists.table)?.primaryKey ?? [];
  const bound = primaryKey.map((column) => {
    const term = ownEntry(exists.key, column);
    return term && start.value(term, known);
  });
  const row = bound.map((value, at) =>
    value ? script.name(asInt(value), "Int") : script.constant(`${name}_${String(at)}`, "Int"),
  );
  start.mention(exists.table, row);
  const columns = rowColumns(start, [...rows, [exists.table, row]]);
  return and(
    ...bound.map((value) => (value ? not(value.isNull) : TRUE)),
    start.alive(exists.table, row),
    isTrue(start.value(exists.where, columns)),
  );
}

/** The columns of these rows, under the names of the invariants. */
function rowColumns(
  start: StartRows,
  rows: readonly (readonly [string, AssumedRow])[],
): (name: string) => SqlValue {
  return (name) => {
    const { row, column } = fromRowColumn(name);
    const [table, key] = rows[row] ?? ["", []];
    return start.column(table, key, column);
  };
}

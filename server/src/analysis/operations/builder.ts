// The state of flattening one transaction: the operations so far, the terms of variables and results, and losses.
import type { Expression, ValueType, Query } from "../../program/expression";
import type { Command } from "../../program/statement";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { Precision } from "../../protocol/report";
import type { FlatStep, FlatTransaction, Operation, Term } from "./operation";
import { createIdentities, type Identities } from "./identity";
import { HIDDEN } from "./operation";
import type { FlatTables } from "./tables";
import { FALSE, TRUE, and, conditional, mentionsRow, neverNull } from "./terms";

/** The meaning of names in a statement. Outside of statements there are no rows. */
export interface Scope {
  /** A column of a relation; undefined if this scope does not have the relation. */
  readonly column?: (relation: string, column: string) => Term | undefined;
  readonly excluded?: (column: string) => Term;
  /** Zero-based index of the current row among those of set-returning calls. */
  readonly set?: number;
  /** True if this read may never run: it belongs to a row that may be absent or to a case that may not hold. */
  readonly perhaps?: true;
  readonly aggregate?: (expression: Extract<Expression, { kind: "aggregate" }>) => Term | undefined;
}

export const NO_ROWS: Scope = {};

/** One row of a result (NULLs without it), and whether it exists. */
export interface RowTerms {
  readonly row: Readonly<Record<string, Term>>;
  readonly found: Term;
}

/** An earlier result: its first row, whether it exists, and the number of rows. */
export interface ResultTerms extends RowTerms {
  /** The values in the order of the outputs, which may share names. */
  readonly values: readonly Term[];
  readonly size: Term;
  /** The rows after the first, in order, as far as a loop iterates over them. */
  readonly next?: readonly RowTerms[];
  /** True if there are no other rows. */
  readonly whole?: boolean;
}

/** An operation under construction: later relations of a join may need more of its columns. */
export type Draft = Operation & { readonly outputs: Record<string, Term> };

/** Adds a query's operations to the current statement; `member` asks whether this value is among its rows. */
export type AskQuery = (query: Query, outer: Scope, member?: Term) => ResultTerms;

/** A block with a handler whose body is being flattened, with the errors that it catches. */
export interface GuardedBlock {
  readonly block: Extract<Command, { kind: "try" }>;
  readonly errors: CaughtError[];
}

export interface CaughtError {
  readonly when: Term;
  /** The condition that the error does not occur. */
  readonly avoided: Term;
  /** Its SQLSTATE. */
  readonly code: string;
  /** The failing statement; undefined for an error that the program raises. */
  readonly step?: number;
  /** In a unit: the transaction in which the error occurred. */
  readonly part?: PartDraft | undefined;
}

export interface Builder {
  /** The flattening of queries in FROM and in expressions, injected because queries contain expressions. */
  readonly query: AskQuery;
  readonly subquery: AskQuery;
  readonly tables: FlatTables;
  readonly operations: Draft[];
  readonly steps: FlatStep[];
  readonly parameters: FlatTransaction["parameters"][number][];
  readonly losses: Set<string>;
  readonly guesses: Set<string>;
  /** True if an access is missing from the operations; `losses` says which. */
  isPartial: boolean;
  /** True if two rounds represent all of a loop, and tests over rows are about arbitrary rows. */
  readonly anyRounds: boolean;
  readonly variables: Map<string, Term>;
  readonly results: Map<string, ResultTerms>;
  readonly affected: Map<string, Term>;
  readonly aborts: Term[];
  readonly returns: { readonly guard: Term; readonly value: Term }[];
  readonly shown: Term[];
  readonly observed: Term[];
  readonly visible: { readonly operation: number; readonly name: string }[];
  /** Blocks with handlers around the current command, innermost last. */
  readonly guarded: GuardedBlock[];
  /** Savepoints, with the index of the next operation. */
  readonly savepoints: Map<string, number>;
  /** In a unit: its transactions so far. */
  readonly parts?: PartDraft[];
  /** Structural identity of values. */
  readonly identities: Identities;
  readonly work: { done: number };
  /** The number of rows of a result that loops iterate over. */
  readonly wanted: Map<string, number>;
  /** Tests over all rows of a result that has more rows than are represented, with the represented number. */
  readonly beyond: Map<string, number>;
  /** The current round of each running loop, from 0. */
  readonly rounds: Map<string, number>;
  /** Counters of database-generated values, per site. */
  readonly drawn: Map<string, number>;
  /** Variables that are havocked by loops whose rounds represent others. */
  readonly forgotten: NonNullable<FlatTransaction["forgotten"]>[number][];
  /** The path condition of the current command; never NULL. */
  path: Term;
  /** The precision of the current statement. */
  precision: Precision;
}

/** A transaction of a unit. */
export interface PartDraft {
  readonly single: boolean;
  /** The level that it declares. */
  readonly level?: string | undefined;
  readonly guard: Term;
  /** Its first statement and its first operation. */
  readonly from: number;
  readonly firstOperation: number;
  /** The first statement after it; undefined while it is open. */
  to?: number;
  /** Paths on which it is rolled back. */
  readonly undone: Term[];
  /** Those of them on which control continues after it. */
  readonly left: Term[];
}

export interface BuilderOptions {
  readonly isUnit?: boolean;
  readonly anyRounds?: boolean;
}

/** Creates a builder for a transaction with these parameters, which flattens queries by the given functions. */
export function createBuilder(
  tables: FlatTables,
  parameters: FlatTransaction["parameters"],
  ask: (builder: () => Builder) => { readonly query: AskQuery; readonly subquery: AskQuery },
  { isUnit = false, anyRounds = false }: BuilderOptions = {},
): Builder {
  const builder: Builder = {
    ...ask(() => builder),
    tables,
    operations: [],
    steps: [],
    parameters: [...parameters],
    losses: new Set(),
    guesses: new Set(),
    isPartial: false,
    anyRounds,
    variables: new Map(),
    results: new Map(),
    affected: new Map(),
    aborts: [],
    returns: [],
    shown: [],
    observed: [],
    visible: [],
    guarded: [],
    savepoints: new Map(),
    ...(isUnit && { parts: [] }),
    identities: createIdentities(),
    work: { done: 0 },
    wanted: new Map(),
    beyond: new Map(),
    rounds: new Map(),
    drawn: new Map(),
    forgotten: [],
    path: TRUE,
    precision: "exact",
  };
  return builder;
}

/** Adds an operation to the current statement, with defaults for missing fields. */
export function addOperation(
  builder: Builder,
  parts: Partial<Operation> & Pick<Operation, "kind" | "table">,
): Draft {
  const step = builder.steps.length - 1;
  const draft: Draft = {
    index: builder.operations.length,
    step,
    statement: builder.steps[step]?.statement ?? "",
    lock: "none",
    key: {},
    where: TRUE,
    pick: "point",
    set: {},
    onDuplicate: "error",
    mustFind: false,
    precision: builder.precision,
    ...parts,
    guard: and(builder.path, parts.guard ?? TRUE),
    outputs: { ...parts.outputs },
  };
  builder.operations.push(draft);
  return draft;
}

/** The scope of reads that may never run. */
export function inDoubt(scope: Scope): Scope {
  return scope.perhaps ? scope : { ...scope, perhaps: true };
}

/** Marks operations added to the current statement as possibly not executed. */
export function perhaps<Result>(builder: Builder, add: () => Result): Result {
  return amended(builder, add, () => () => ({ perhaps: true }));
}

/** Restricts operations added to the current statement to a condition (never NULL). */
export function askedWhere<Result>(
  builder: Builder,
  condition: () => Term,
  add: () => Result,
): Result {
  return amended(builder, add, () => {
    const holds = condition();
    if (holds === TRUE) return () => ({});
    if (mentionsRow(holds)) return () => ({ perhaps: true });
    return ({ asked = TRUE }) => ({ asked: and(holds, asked) });
  });
}

function amended<Result>(
  builder: Builder,
  add: () => Result,
  amend: () => (operation: Operation) => Partial<Operation>,
): Result {
  const before = builder.operations.length;
  const result = add();
  const added = builder.operations.slice(before);
  if (added.length === 0) return result;
  const more = amend();
  for (const [at, each] of added.entries())
    builder.operations[before + at] = { ...each, ...more(each) };
  return result;
}

/** A column of the row that an earlier operation selected. */
export function outputOf(draft: Draft, column: string): Term {
  addOutput(draft, column);
  return { kind: "output", operation: draft.index, name: column };
}

/** A column of each row that an operation ranges over. */
export function joinedColumn(draft: Draft, column: string): Term {
  addOutput(draft, column);
  return { kind: "joined", operation: draft.index, name: column };
}

function addOutput({ outputs }: Draft, column: string): void {
  if (!Object.hasOwn(outputs, column)) setEntry(outputs, column, { kind: "column", column });
}

/** A value that no other instance and no row has: a hidden parameter. */
export function freshTerm(builder: Builder, site: string, type: ValueType): Term {
  const count = (builder.drawn.get(site) ?? 0) + 1;
  builder.drawn.set(site, count);
  const name = `${HIDDEN}${site}:${String(count)}`;
  builder.parameters.push({ name, type, fresh: true });
  return { kind: "parameter", name };
}

/** Records an access that is left out, with the reason. */
export function leaveOut(builder: Builder, why: string): void {
  builder.losses.add(why);
  builder.isPartial = true;
}

/** An unknown value, with the reason. */
export function unknownTerm(builder: Builder, id: string, type: ValueType, why: string): Term {
  builder.losses.add(why);
  return { kind: "unknown", id, type };
}

/** An uninterpreted function of these values, with the reason. */
export function applyTerm(
  builder: Builder,
  what: { readonly name: string; readonly type: ValueType; readonly strict: boolean },
  args: readonly Term[],
  why: string,
): Term {
  builder.guesses.add(why);
  return { kind: "apply", ...what, arguments: args };
}

/** The value of a name after an assignment under the current path: elsewhere the old value holds. */
export function merge(builder: Builder, value: Term, older: Term | undefined): Term {
  return older === undefined ? value : conditional(builder.path, value, older);
}

/** Stores a result; under other paths the result of an earlier loop round remains. */
export function setResult(builder: Builder, name: string, result: ResultTerms): void {
  const older = builder.results.get(name);
  const mergedRow = (row: RowTerms, before: RowTerms | undefined): RowTerms => ({
    row: Object.fromEntries(
      Object.entries(row.row).map(([field, term]) => [
        field,
        merge(builder, term, ownEntry(before?.row, field)),
      ]),
    ),
    found: merge(builder, row.found, before?.found),
  });
  const merged = older && {
    ...result,
    ...mergedRow(result, older),
    size: merge(builder, result.size, older.size),
    ...(result.next && {
      next: result.next.map((row, at) => mergedRow(row, older.next?.[at])),
    }),
  };
  builder.results.set(name, merged ?? result);
}

/** The open transaction of a unit; undefined between its transactions, and outside of units. */
export function openPart({ parts }: Builder): PartDraft | undefined {
  const last = parts?.at(-1);
  return last?.to === undefined ? last : undefined;
}

export function orAll(conditions: readonly Term[]): Term {
  return conditions.length === 0
    ? FALSE
    : conditions.length === 1
      ? (conditions[0] ?? FALSE)
      : { kind: "or", operands: conditions };
}

/** True if the term is NULL in some run. */
export function mayBeNull({ parameters }: Builder, term: Term): boolean {
  if (term.kind === "parameter")
    return parameters.some(({ name, nullable }) => name === term.name && nullable);
  return !neverNull(term) && term.kind !== "unknown";
}

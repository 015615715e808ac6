// The state of flattening one transaction: the operations so far, what variables and results stand for, what was lost.
import type { Expression, ValueType } from "../../program/expression";
import type { Command, Query } from "../../program/statement";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { Precision } from "../../protocol/report";
import type { FlatStep, FlatTransaction, Operation, Term } from "./operation";
import { createIdentities, type Identities } from "./identity";
import { HIDDEN } from "./operation";
import type { FlatTables } from "./tables";
import { FALSE, TRUE, and, conditional, mentionsRow, neverNull } from "./terms";

/** Meaning of the names of a statement. Outside of statements there are no rows. */
export interface Scope {
  /** A column of a relation; undefined when this scope does not know the relation. */
  readonly column?: (relation: string, column: string) => Term | undefined;
  readonly excluded?: (column: string) => Term;
  /** The number, from 0, of the row at hand among those that calls in the outputs give. */
  readonly set?: number;
  /** This read may never run: it belongs to a row that may be absent or to a case that may not hold. */
  readonly perhaps?: true;
  readonly aggregate?: (expression: Extract<Expression, { kind: "aggregate" }>) => Term | undefined;
}

export const NO_ROWS: Scope = {};

/** One row of a result (NULL without it), and whether there is one. */
export interface RowTerms {
  readonly row: Readonly<Record<string, Term>>;
  readonly found: Term;
}

/** Meaning of an earlier result: its first row, whether there is one, how many. */
export interface ResultTerms extends RowTerms {
  /** The same in the order of the outputs, of which several may share a name. */
  readonly values: readonly Term[];
  readonly size: Term;
  /** The rows behind the first, in their order, as far as a loop goes through them. */
  readonly next?: readonly RowTerms[];
  /** It has no rows but these. */
  readonly whole?: boolean;
}

/** An operation under construction: later relations of a join may ask for more of its columns. */
export type Draft = Operation & { readonly outputs: Record<string, Term> };

/** Adds the operations of a query to the statement at hand; `member`: is this value among its rows? */
export type AskQuery = (query: Query, outer: Scope, member?: Term) => ResultTerms;

/** A block with a handler whose body is being flattened, with the errors that it catches. */
export interface GuardedBlock {
  readonly block: Extract<Command, { kind: "try" }>;
  readonly errors: CaughtError[];
}

export interface CaughtError {
  readonly when: Term;
  /** That it does not happen. */
  readonly avoided: Term;
  /** Its SQLSTATE. */
  readonly code: string;
  /** The statement that failed; undefined for an error of the program's own. */
  readonly step?: number;
  /** In a unit: the transaction that the error happened in. */
  readonly part?: PartDraft | undefined;
}

export interface Builder {
  /** A query in FROM, and one in an expression: given from outside, since queries contain expressions. */
  readonly query: AskQuery;
  readonly subquery: AskQuery;
  readonly tables: FlatTables;
  readonly operations: Draft[];
  readonly steps: FlatStep[];
  readonly parameters: FlatTransaction["parameters"][number][];
  readonly losses: Set<string>;
  readonly guesses: Set<string>;
  /** True where an access is not among the operations: `losses` says which. */
  isPartial: boolean;
  /** True where two rounds stand for all of a loop, and questions about rows are asked of any rows. */
  readonly anyRounds: boolean;
  readonly variables: Map<string, Term>;
  readonly results: Map<string, ResultTerms>;
  readonly affected: Map<string, Term>;
  readonly aborts: Term[];
  readonly returns: { readonly guard: Term; readonly value: Term }[];
  readonly shown: Term[];
  readonly observed: Term[];
  readonly visible: { readonly operation: number; readonly name: string }[];
  /** Blocks with handlers around the command at hand, the innermost last. */
  readonly guarded: GuardedBlock[];
  /** Savepoints, by the operation that follows each. */
  readonly savepoints: Map<string, number>;
  /** In a unit: its transactions so far. */
  readonly parts?: PartDraft[];
  /** Tells structures apart. */
  readonly identities: Identities;
  readonly work: { done: number };
  /** How many rows of a result loops go through. */
  readonly wanted: Map<string, number>;
  /** Questions about all rows of a result that has more than are represented, with the rows that are. */
  readonly beyond: Map<string, number>;
  /** The round of each running loop, from 0. */
  readonly rounds: Map<string, number>;
  /** Values that the database makes up, per site. */
  readonly drawn: Map<string, number>;
  /** Variables that loops make unknown whose rounds stand for others. */
  readonly forgotten: NonNullable<FlatTransaction["forgotten"]>[number][];
  /** The condition under which the command at hand runs; never NULL. */
  path: Term;
  /** How well the statement at hand was understood. */
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
  /** The first statement behind it; undefined while it is open. */
  to?: number;
  /** Paths on which it is undone. */
  readonly undone: Term[];
  /** The conditions among them on which control goes on behind it. */
  readonly left: Term[];
}

export interface BuilderOptions {
  readonly isUnit?: boolean;
  readonly anyRounds?: boolean;
}

/** A builder of a transaction with these parameters, whose queries are flattened by the given functions. */
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

/** Adds an operation to the statement at hand; what is left out is the plainest. */
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

/** The scope of what may never be asked. */
export function inDoubt(scope: Scope): Scope {
  return scope.perhaps ? scope : { ...scope, perhaps: true };
}

/** Operations that it adds to the statement at hand may never be asked. */
export function perhaps<Result>(builder: Builder, add: () => Result): Result {
  return amended(builder, add, () => () => ({ perhaps: true }));
}

/** Operations that it adds to the statement at hand are asked only where the condition holds, which is not NULL. */
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

/** A column of the row that an earlier operation chose. */
export function outputOf(draft: Draft, column: string): Term {
  addOutput(draft, column);
  return { kind: "output", operation: draft.index, name: column };
}

/** A column of each of the rows that an operation goes over. */
export function joinedColumn(draft: Draft, column: string): Term {
  addOutput(draft, column);
  return { kind: "joined", operation: draft.index, name: column };
}

function addOutput({ outputs }: Draft, column: string): void {
  if (!Object.hasOwn(outputs, column)) setEntry(outputs, column, { kind: "column", column });
}

/** A value that no other instance and no row has: a parameter that the user does not see. */
export function freshTerm(builder: Builder, site: string, type: ValueType): Term {
  const count = (builder.drawn.get(site) ?? 0) + 1;
  builder.drawn.set(site, count);
  const name = `${HIDDEN}${site}:${String(count)}`;
  builder.parameters.push({ name, type, fresh: true });
  return { kind: "parameter", name };
}

/** An access that is left out, with the reason. */
export function leaveOut(builder: Builder, why: string): void {
  builder.losses.add(why);
  builder.isPartial = true;
}

/** Some value, with the reason why nothing is known about it. */
export function unknownTerm(builder: Builder, id: string, type: ValueType, why: string): Term {
  builder.losses.add(why);
  return { kind: "unknown", id, type };
}

/** An unknown function of these values, with the reason why no more is known about it. */
export function applyTerm(
  builder: Builder,
  what: { readonly name: string; readonly type: ValueType; readonly strict: boolean },
  args: readonly Term[],
  why: string,
): Term {
  builder.guesses.add(why);
  return { kind: "apply", ...what, arguments: args };
}

/** Meaning of a name after it was set on the path at hand: the older meaning holds elsewhere. */
export function merge(builder: Builder, value: Term, older: Term | undefined): Term {
  return older === undefined ? value : conditional(builder.path, value, older);
}

/** Remembers a result; one of an earlier round of a loop stays where this one did not run. */
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

/** The transaction of a unit that is open; undefined between its transactions, and where there is no unit. */
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

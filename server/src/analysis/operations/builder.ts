// The state of flattening one transaction: the operations so far, what variables and results stand for, what was lost.
import type { Expression, ValueType } from "../../program/expression";
import type { Query } from "../../program/statement";
import type { Precision } from "../../protocol/report";
import type { FlatStep, FlatTransaction, Operation, Term } from "./operation";
import { HIDDEN } from "./operation";
import type { FlatTables } from "./tables";
import { FALSE, TRUE, and, conditional } from "./terms";

/** What the names of a statement stand for. Outside of statements there are no rows. */
export interface Scope {
  /** A column of a relation; undefined when this scope does not know the relation. */
  readonly column?: (relation: string, column: string) => Term | undefined;
  readonly excluded?: (column: string) => Term;
  readonly aggregate?: (expression: Extract<Expression, { kind: "aggregate" }>) => Term | undefined;
}

export const NO_ROWS: Scope = {};

/** What an earlier result stands for: its first row (NULL without one), whether there is one, how many. */
export interface ResultTerms {
  readonly row: Readonly<Record<string, Term>>;
  /** The same in the order of the outputs, of which several may share a name. */
  readonly values: readonly Term[];
  readonly found: Term;
  readonly size: Term;
}

/** An operation under construction: later relations of a join may ask for more of its columns. */
export type Draft = Operation & { readonly outputs: Record<string, Term> };

/** Adds the operations of a query to the statement at hand; `member`: is this value among its rows? */
export type AskQuery = (query: Query, outer: Scope, member?: Term) => ResultTerms;

export interface Builder {
  /** A query in FROM, and one in an expression: given from outside, since queries contain expressions. */
  readonly query: AskQuery;
  readonly subquery: AskQuery;
  readonly tables: FlatTables;
  readonly operations: Draft[];
  readonly steps: FlatStep[];
  readonly parameters: FlatTransaction["parameters"][number][];
  readonly losses: Set<string>;
  readonly variables: Map<string, Term>;
  readonly results: Map<string, ResultTerms>;
  readonly affected: Map<string, Term>;
  readonly aborts: Term[];
  readonly returns: { readonly guard: Term; readonly value: Term }[];
  readonly shown: Term[];
  readonly observed: Term[];
  readonly visible: { readonly operation: number; readonly name: string }[];
  /** Values that the database makes up, per site. */
  readonly drawn: Map<string, number>;
  /** The condition under which the command at hand runs; never NULL. */
  path: Term;
  /** How well the statement at hand was understood. */
  precision: Precision;
}

/** A builder of a transaction with these parameters, whose queries are flattened by the given functions. */
export function createBuilder(
  tables: FlatTables,
  parameters: FlatTransaction["parameters"],
  ask: (builder: () => Builder) => { readonly query: AskQuery; readonly subquery: AskQuery },
): Builder {
  const builder: Builder = {
    ...ask(() => builder),
    tables,
    operations: [],
    steps: [],
    parameters: [...parameters],
    losses: new Set(),
    variables: new Map(),
    results: new Map(),
    affected: new Map(),
    aborts: [],
    returns: [],
    shown: [],
    observed: [],
    visible: [],
    drawn: new Map(),
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

/** A column of the row that an earlier operation chose. */
export function outputOf(draft: Draft, column: string): Term {
  draft.outputs[column] ??= { kind: "column", column };
  return { kind: "output", operation: draft.index, name: column };
}

/** A value that no other instance and no row has: a parameter that the user does not see. */
export function freshTerm(builder: Builder, site: string, type: ValueType): Term {
  const count = (builder.drawn.get(site) ?? 0) + 1;
  builder.drawn.set(site, count);
  const name = `${HIDDEN}${site}:${String(count)}`;
  builder.parameters.push({ name, type, fresh: true });
  return { kind: "parameter", name };
}

/** Some value, with the reason why nothing is known about it. */
export function unknownTerm(builder: Builder, id: string, type: ValueType, why: string): Term {
  builder.losses.add(why);
  return { kind: "unknown", id, type };
}

/** What a name stands for after it was set on the path at hand: the older meaning holds elsewhere. */
export function merge(builder: Builder, value: Term, older: Term | undefined): Term {
  return older === undefined ? value : conditional(builder.path, value, older);
}

/** Remembers a result; one of an earlier round of a loop stays where this one did not run. */
export function setResult(builder: Builder, name: string, result: ResultTerms): void {
  const older = builder.results.get(name);
  const merged = older && {
    row: Object.fromEntries(
      Object.entries(result.row).map(([field, term]) => [
        field,
        merge(builder, term, older.row[field]),
      ]),
    ),
    values: result.values,
    found: merge(builder, result.found, older.found),
    size: merge(builder, result.size, older.size),
  };
  builder.results.set(name, merged ?? result);
}

export function orAll(conditions: readonly Term[]): Term {
  return conditions.length === 0
    ? FALSE
    : conditions.length === 1
      ? (conditions[0] ?? FALSE)
      : { kind: "or", operands: conditions };
}

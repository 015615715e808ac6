// Names inside of one statement: relations with their columns, from the innermost query outwards.
import type { Node, SelectStmt } from "libpg-query";
import type { Expression, ValueType, Query, Relation } from "../../../program/expression";
import { mapColumns } from "../../../program/mapColumns";
import type { Taint } from "../../../program/precision";
import type { LockStatement } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import type { LoweringContext } from "../lowering";
import { typeOf } from "../types";

/** A relation with its known columns. */
export interface Source {
  readonly relation: Relation;
  /** Undefined if it may have any column. */
  readonly columns: readonly string[] | undefined;
  /** Set if the rows are those of an earlier statement in the same WITH: the expressions for its columns. */
  readonly fields?: ReadonlyMap<string, Expression>;
  /** Set if its rows are single values, in this column: its name means the value. */
  readonly scalar?: string;
  /** True if the values are records, whose fields may be named without qualification. */
  readonly isRecord?: boolean;
}

/** The rows of a query's windows: those before grouping, DISTINCT and ordering. */
export interface WindowRows {
  readonly relations: readonly Relation[];
  readonly where: Expression;
  /** The windows named in WINDOW. */
  readonly windows: readonly Node[];
  /** True if GROUP BY, HAVING or an aggregate transforms the rows first. */
  readonly grouped: boolean;
}

export interface Scope {
  readonly sources: readonly Source[];
  readonly outer?: Scope;
  /** True in ON CONFLICT DO UPDATE, where `excluded` is the proposed row. */
  readonly excluded?: boolean;
  /** Columns joined by USING or NATURAL: `*` lists them once. */
  readonly merged?: ReadonlySet<string>;
  /** In the outputs and the order of a query: the rows for its window functions. */
  readonly windowRows?: WindowRows;
}

export const NO_SOURCES: Scope = { sources: [] };

/** The meaning of a name in the WITH clause. */
export type Cte =
  | { readonly kind: "query"; readonly query: Query }
  /** A data-changing query: its rows are the result of a separate statement. */
  | {
      readonly kind: "rows";
      readonly result: string;
      readonly columns: readonly string[];
      /** New names for its first columns. */
      readonly names: readonly string[];
      /** `one`: always exactly one row; `at most one`: its users run if the row exists. */
      readonly count: "one" | "at most one" | "many";
    }
  | { readonly kind: "opaque"; readonly columns: readonly string[] | undefined };

/** The state of lowering one statement. */
export interface Work {
  readonly context: LoweringContext;
  readonly source: SourceRange;
  readonly taint: Taint[];
  readonly ctes: ReadonlyMap<string, Cte>;
  /** The nesting depth of the current expression. */
  readonly depth: { now: number };
  readonly recursion: Recursion;
  /** Result names of the data-changing WITH queries in use. */
  readonly usedRows: Set<string>;
  /** The locks that its functions ask for, in order; absent where nothing can run before it. */
  readonly locks?: LockStatement[];
}

/** The injected lowering of expressions and queries: see recursion.ts. */
export interface Recursion {
  readonly expression: (node: Node, scope: Scope, work: Work) => Expression;
  readonly query: (select: SelectStmt, outer: Scope | undefined, work: Work) => Query;
}

/** Records a loss of the statement, once per reason. */
export function taint(work: Work, reason: string, effect: Taint["effect"] = "over"): void {
  const known = work.taint.some((each) => each.reason === reason && each.effect === effect);
  if (!known) work.taint.push({ effect, reason, source: work.source });
}

/** Marks the statement: its result has columns of an unknown relation. */
export function loseColumns(work: Work, relation: string): void {
  const reason = `the columns of ${relation} are not known`;
  if (work.taint.some((each) => each.reason === reason)) return;
  work.taint.push({ effect: "over", reason, source: work.source, unknown: "columns" });
}

/** An unknown value of rows and arguments, with its reason as a loss of the statement. */
export function lose(
  work: Work,
  reason: string,
  dependsOn: readonly Expression[] = [],
  type: ValueType = "other",
): Expression {
  taint(work, reason);
  return unknownValue(work, reason, dependsOn, type);
}

/** A value with unknown dependencies. */
export function loseOutside(
  work: Work,
  reason: string,
  dependsOn: readonly Expression[] = [],
  type: ValueType = "other",
  effect: "outside" | "approx" = "outside",
): Expression {
  taint(work, reason, effect);
  return unknownValue(work, reason, dependsOn, type);
}

function unknownValue(
  work: Work,
  reason: string,
  dependsOn: readonly Expression[],
  type: ValueType,
): Expression {
  return { kind: "unknown", id: work.context.ids.fresh("u"), type, dependsOn, why: reason };
}

/** The columns of a relation, if known. */
export function columnsOf(relation: Relation, work: Work): readonly string[] | undefined {
  if (relation.query !== undefined) return relation.query.outputs.map((output) => output.name);
  if (relation.kind !== "base") return undefined;
  return work.context.table(relation.table)?.columns.map((column) => column.name);
}

/** The query of the view of that name; an inferred table is no view. */
export function findView(name: string, { context }: Work): Query | undefined {
  const table = context.table(name);
  return table === undefined || table.inferred ? context.view?.(name) : undefined;
}

/** The relation with its columns. */
export function sourceOfRelation(relation: Relation, work: Work): Source {
  const fields = generatedColumns(relation, work);
  return { relation, columns: columnsOf(relation, work), ...(fields && { fields }) };
}

/** The expressions of a table's generated columns in its rows. */
function generatedColumns(
  relation: Relation,
  work: Work,
): ReadonlyMap<string, Expression> | undefined {
  if (relation.kind !== "base") return undefined;
  const table = work.context.table(relation.table);
  const own = table?.columns.filter(({ generated }) => generated && generated.kind !== "unknown");
  if (table === undefined || own === undefined || own.length === 0) return undefined;
  const inRow = (column: string): Expression => ({
    kind: "column",
    relation: relation.alias,
    column,
  });
  return new Map(
    own.map(({ name, generated }) => [
      name,
      mapColumns(generated ?? inRow(name), ({ column }) => inRow(column)),
    ]),
  );
}

/** A column by name: of the innermost relation that has it, then variables, then the likeliest relation. */
export function resolveColumn(path: readonly string[], scope: Scope, work: Work): Expression {
  const column = path.at(-1) ?? "";
  const qualifier = path.at(-2);
  return qualifier === undefined
    ? resolvePlain(column, scope, work)
    : resolveQualified(path, qualifier, column, scope, work);
}

function resolvePlain(column: string, scope: Scope, work: Work): Expression {
  const known = findSource(scope, ({ columns }) => columns?.includes(column) === true);
  const { conflict } = work.context;
  const variable = known && !conflict ? undefined : work.context.variable([column]);
  if (known !== undefined) {
    if (variable === undefined) return columnOf(known, column);
    if (conflict === "variable") return variable;
    const reason = `${column} is a column and a variable, so that PL/pgSQL refuses the statement`;
    return loseOutside(work, reason, [columnOf(known, column), variable]);
  }
  if (variable !== undefined) return variable;
  if (SYSTEM_COLUMNS.has(column)) return loseOutside(work, `the system column ${column}`);
  const whole = findSource(scope, ({ relation }) => relation.alias === column);
  if (whole !== undefined) return rowOf(whole, work);
  const likely =
    findSource(scope, ({ columns }) => columns === undefined) ?? inferredSource(scope, work);
  if (likely !== undefined) return columnOf(likely, column);
  const record = findSource(scope, ({ isRecord }) => isRecord === true);
  if (record?.scalar !== undefined) return fieldOf(record, record.scalar, column);
  return unknownColumn(column, scope, work);
}

function resolveQualified(
  path: readonly string[],
  qualifier: string,
  column: string,
  scope: Scope,
  work: Work,
): Expression {
  if (qualifier === "excluded" && scope.excluded === true)
    return excludedColumn(column, scope, work);
  const known = findSource(scope, ({ relation }) => relation.alias === qualifier);
  if (known === undefined) {
    const variable = work.context.variable(path);
    return variable ?? lose(work, `${path.join(".")} is not known here`);
  }
  if (SYSTEM_COLUMNS.has(column)) return loseOutside(work, `the system column ${column}`);
  if (known.scalar !== undefined && known.columns?.includes(column) === false) {
    return fieldOf(known, known.scalar, column);
  }
  if (known.columns?.includes(column) === false && !isInferred(known, work)) {
    return unknownColumn(path.join("."), { sources: [known] }, work);
  }
  return columnOf(known, column);
}

/** A column of the proposed row; a generated one is computed from it. */
function excludedColumn(column: string, { sources }: Scope, work: Work): Expression {
  const inRow = (name: string): Expression => ({ kind: "excluded", column: name });
  const target = sources[0]?.relation.table ?? "";
  const { generated } =
    work.context.table(target)?.columns.find(({ name }) => name === column) ?? {};
  if (generated === undefined || generated.kind === "unknown") return inRow(column);
  return mapColumns(generated, ({ column: name }) => inRow(name));
}

function fieldOf(source: Source, scalar: string, field: string): Expression {
  const value = columnOf(source, scalar);
  return { kind: "call", name: `field ${field}`, arguments: [value], deterministic: true };
}

/** A row as one value; an inferred table's columns are not all known. */
function rowOf(source: Source, work: Work): Expression {
  const { columns, relation } = source;
  if (source.scalar !== undefined) return columnOf(source, source.scalar);
  const values = (columns ?? []).map((column) => columnOf(source, column));
  if (columns === undefined || relation.kind === "opaque" || isInferred(source, work)) {
    return lose(work, `the whole row ${relation.alias}`, values);
  }
  return { kind: "call", name: "row", arguments: values, deterministic: true };
}

/** `t.*` as one value. */
export function resolveRow(alias: string, scope: Scope, work: Work): Expression {
  const source = findSource(scope, ({ relation }) => relation.alias === alias);
  if (source !== undefined) return rowOf(source, work);
  return work.context.variable([alias]) ?? lose(work, `${alias} is not known here`);
}

export function columnOf(source: Source, column: string): Expression {
  return source.fields?.get(column) ?? { kind: "column", relation: source.relation.alias, column };
}

/** A column that no table in scope has. If there is a table, it stays a column, to be noted later. */
function unknownColumn(name: string, scope: Scope, work: Work): Expression {
  const column = name.split(".").at(-1) ?? name;
  const likely = findSource(scope, ({ relation }) => relation.kind === "base");
  if (likely === undefined) return lose(work, `${name} is not known here`);
  taint(work, `${name} is not known here`);
  return columnOf(likely, column);
}

const SYSTEM_COLUMNS = new Set(["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]);

function isInferred(source: Source, work: Work): boolean {
  const { relation } = source;
  return relation.kind === "base" && work.context.table(relation.table)?.inferred === true;
}

function inferredSource(scope: Scope, work: Work): Source | undefined {
  return findSource(scope, (source) => isInferred(source, work));
}

function findSource(scope: Scope, accepts: (source: Source) => boolean): Source | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const found = at.sources.find(accepts);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The type of an expression, if known. */
export function typeIn(expression: Expression, scope: Scope, work: Work): ValueType | undefined {
  const relations: Relation[] = [];
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    relations.push(...at.sources.map(({ relation }) => relation));
  }
  const { table, types } = work.context;
  return typeOf(expression, relations, {
    table,
    parameters: types?.parameters ?? NONE,
    variables: types?.variables ?? NONE,
    results: new Map(),
  });
}

const NONE: ReadonlyMap<string, ValueType> = new Map();

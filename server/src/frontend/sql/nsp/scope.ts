// Which relation a column belongs to, in a query lowered from node-sql-parser's tree.
import type { Expression, ValueType, Query, Relation } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { SourceRange } from "../../../protocol/source";
import { sourceOf, type LoweringContext } from "../lowering";
import { typeOf } from "../types";
import type { Node } from "./ast";

/** A relation with its known columns. */
export interface Source {
  readonly relation: Relation;
  /** Undefined if it may have any column. */
  readonly columns: readonly string[] | undefined;
}

export interface Scope {
  readonly sources: readonly Source[];
  readonly outer?: Scope;
  /** True in ON CONFLICT DO UPDATE, where `excluded` is the proposed row. */
  readonly excluded?: boolean;
}

/** The state of lowering one statement. */
export interface Work {
  readonly context: LoweringContext;
  readonly source: SourceRange;
  readonly taint: Taint[];
  /** Common table expressions by name. */
  readonly ctes: ReadonlyMap<string, Query>;
  /** The nesting depth of the current expression: the tree of a long sum is as deep as the sum is long. */
  readonly depth: { now: number };
  /** Lowers a query inside of an expression; injected because queries and expressions contain each other. */
  readonly lowerQuery: (node: Node | undefined, outer: Scope, work: Work) => Query;
}

/** The context for resolving names and recording losses. */
export type Place = Pick<Work, "context" | "source" | "taint">;

/** The work on the statement of a context. */
export function startWork(context: LoweringContext, lowerQuery: Work["lowerQuery"]): Work {
  const source = sourceOf(context.piece);
  return { context, source, taint: [], ctes: new Map(), depth: { now: 0 }, lowerQuery };
}

/** An unknown value, with its reason as a loss of the statement. */
export function lose(
  work: Place,
  reason: string,
  dependsOn: readonly Expression[],
  effect: "over" | "outside" = "over",
): Expression {
  const { source, context } = work;
  work.taint.push({ effect, reason, source });
  const id = context.ids.fresh("u");
  return { kind: "unknown", id, type: "other", dependsOn, why: reason };
}

/** The columns of a relation, if known. */
export function columnsOf(relation: Relation, work: Place): readonly string[] | undefined {
  if (relation.query !== undefined) return relation.query.outputs.map((output) => output.name);
  if (relation.kind !== "base") return undefined;
  return work.context.table(relation.table)?.columns.map((column) => column.name);
}

/** A column by name, resolved from the innermost query outwards; then variables; then the likeliest relation. */
export function resolveColumn(
  qualifier: string | undefined,
  column: string,
  scope: Scope,
  work: Place,
): Expression {
  if (qualifier === "excluded" && scope.excluded === true) return { kind: "excluded", column };
  if (qualifier !== undefined) {
    for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
      if (at.sources.some(({ relation }) => relation.alias === qualifier)) {
        return { kind: "column", relation: qualifier, column };
      }
    }
    const variable = work.context.variable([qualifier, column]);
    return variable ?? lose(work, `${qualifier}.${column} is not known here`, []);
  }
  const known = findSource(scope, ({ columns }) => columns?.includes(column) === true);
  if (known !== undefined) return { kind: "column", relation: known.relation.alias, column };
  const variable = work.context.variable([column]);
  if (variable !== undefined) return variable;
  const likely =
    findSource(scope, ({ columns }) => columns === undefined) ?? findSource(scope, () => true);
  if (likely === undefined) return lose(work, `${column} is not known here`, []);
  return { kind: "column", relation: likely.relation.alias, column };
}

function findSource(scope: Scope, accepts: (source: Source) => boolean): Source | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const found = at.sources.find(accepts);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The type of an expression, if known. */
export function typeIn(expression: Expression, scope: Scope, work: Place): ValueType | undefined {
  const relations: Relation[] = [];
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    relations.push(...at.sources.map(({ relation }) => relation));
  }
  const { table, types } = work.context;
  const none: ReadonlyMap<string, ValueType> = new Map();
  return typeOf(expression, relations, {
    table,
    parameters: types?.parameters ?? none,
    variables: types?.variables ?? none,
    results: new Map(),
  });
}

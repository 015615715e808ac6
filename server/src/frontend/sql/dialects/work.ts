// One statement of another dialect while it is lowered: its losses, its names, its common table expressions.
import type { Dialect } from "../../../program/dialect";
import type { Expression, Query } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { SourceRange } from "../../../protocol/source";
import { sourceOf, type LoweringContext } from "../lowering";
import { lose, resolveColumn, type Scope } from "../nsp/scope";
import type { SyntaxExpression, SyntaxOutput, SyntaxQuery } from "./syntax";

export interface Work {
  readonly context: LoweringContext;
  readonly dialect: Dialect;
  readonly source: SourceRange;
  readonly taint: Taint[];
  /** The locks that GET_LOCK took on the way. */
  readonly heldKeys: Expression[];
  readonly ctes: ReadonlyMap<string, Query>;
  /** Outputs of the query at hand, which GROUP BY and HAVING may name by their aliases. */
  readonly aliases: ReadonlyMap<string, SyntaxOutput>;
  /** The columns that the statement returns have labels with the case of its text. */
  readonly labelled?: boolean;
  /** In an upsert: names by which the row that was proposed goes, and its columns' names there. */
  readonly proposed?: {
    readonly aliases: readonly string[];
    readonly columns: ReadonlyMap<string, string>;
  };
}

/**
 * The context of lowering expressions of one scope. Expressions, calls and queries contain each other: the functions tie
 * that knot.
 */
export interface Expressions {
  readonly scope: Scope;
  readonly work: Work;
  readonly lowerQuery: (query: SyntaxQuery, outer: Scope, work: Work) => Query;
  readonly value: (node: SyntaxExpression, of: Expressions) => Expression;
  readonly condition: (node: SyntaxExpression, of: Expressions) => Expression;
}

/** The work on the statement of a context. */
export function startWork(context: LoweringContext, dialect: Dialect): Work {
  const source = sourceOf(context.piece);
  const lists = { taint: [], heldKeys: [] };
  return { context, dialect, source, ...lists, ctes: new Map(), aliases: new Map() };
}

/** Records that something was weakened. */
export function weaken(work: Work, reason: string, effect: "over" | "outside" = "over"): void {
  if (work.taint.some((loss) => loss.reason === reason)) return;
  work.taint.push({ effect, reason, source: work.source });
}

/** Marks the statement: its result has columns of a relation that nobody knows. */
export function loseColumns(work: Work, relation: string): void {
  const reason = `the columns of ${relation} are not known`;
  if (work.taint.some((loss) => loss.reason === reason)) return;
  work.taint.push({ effect: "over", reason, source: work.source, unknown: "columns" });
}

export function isMysql({ dialect }: Pick<Work, "dialect">): boolean {
  return dialect === "mysql" || dialect === "mariadb";
}

/** Meaning of a name: in MySQL a local variable before a column, elsewhere after it. */
export function resolveName(path: readonly string[], scope: Scope, work: Work): Expression {
  const column = path.at(-1) ?? "";
  const qualifier = path.at(-2);
  const { proposed } = work;
  if (qualifier === undefined) {
    const local = isMysql(work) ? work.context.variable([column.toLowerCase()]) : undefined;
    if (local !== undefined) return local;
    const renamed = proposed?.columns.get(column);
    if (renamed !== undefined) return { kind: "excluded", column: renamed };
  } else if (proposed?.aliases.includes(qualifier) === true) {
    return { kind: "excluded", column: proposed.columns.get(column) ?? column };
  }
  return resolveColumn(qualifier, column, scope, work);
}

/** An unknown condition. */
export function loseCondition(
  work: Work,
  reason: string,
  parts: readonly Expression[],
): Expression {
  const value = lose(work, reason, parts);
  return value.kind === "unknown" ? { ...value, type: "bool" } : value;
}

// The state of lowering one statement of another dialect: its losses, names, and common table expressions.
import type { Dialect } from "../../../program/dialect";
import type { Expression, Query } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { LockStatement } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import { sourceOf, type LoweringContext } from "../lowering";
import { lose, resolveColumn, type Scope } from "../nsp/scope";
import type { SyntaxExpression, SyntaxOutput, SyntaxQuery } from "./syntax";

export interface Work {
  readonly context: LoweringContext;
  readonly dialect: Dialect;
  readonly source: SourceRange;
  readonly taint: Taint[];
  /** The locks that GET_LOCK asks for so far, or RELEASE_LOCK gives up. */
  readonly locks: LockStatement[];
  readonly ctes: ReadonlyMap<string, Query>;
  /** Outputs of the current query, which GROUP BY and HAVING may name by alias. */
  readonly aliases: ReadonlyMap<string, SyntaxOutput>;
  /** True if returned columns are labelled with the text's case. */
  readonly labelled?: boolean;
  /** In an upsert: names of the proposed row, and of its columns. */
  readonly proposed?: {
    readonly aliases: readonly string[];
    readonly columns: ReadonlyMap<string, string>;
  };
}

/**
 * The context for lowering expressions in one scope; the functions are injected because expressions, calls and queries contain each other.
 */
export interface Expressions {
  readonly scope: Scope;
  readonly work: Work;
  readonly lowerQuery: (query: SyntaxQuery, outer: Scope, work: Work) => Query;
  readonly value: (node: SyntaxExpression, of: Expressions) => Expression;
  readonly condition: (node: SyntaxExpression, of: Expressions) => Expression;
}

/** The initial state for the statement of a context. */
export function startWork(context: LoweringContext, dialect: Dialect): Work {
  const source = sourceOf(context.piece);
  const lists = { taint: [], locks: [] };
  return { context, dialect, source, ...lists, ctes: new Map(), aliases: new Map() };
}

/** Records a weakening. */
export function weaken(work: Work, reason: string, effect: "over" | "outside" = "over"): void {
  if (work.taint.some((loss) => loss.reason === reason)) return;
  work.taint.push({ effect, reason, source: work.source });
}

/** Marks the statement: its result has columns of an unknown relation. */
export function loseColumns(work: Work, relation: string): void {
  const reason = `the columns of ${relation} are not known`;
  if (work.taint.some((loss) => loss.reason === reason)) return;
  work.taint.push({ effect: "over", reason, source: work.source, unknown: "columns" });
}

export function isMysql({ dialect }: Pick<Work, "dialect">): boolean {
  return dialect === "mysql" || dialect === "mariadb";
}

/** The meaning of a name: in MySQL a local variable before a column, elsewhere after it. */
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

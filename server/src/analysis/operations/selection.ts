// The selection of one relation's rows by conditions: equalities on its key, and the rest.
import type { Expression, Relation } from "../../program/expression";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { Builder, Scope } from "./builder";
import { inDoubt } from "./builder";
import { flattenExpression } from "./expression";
import type { Term } from "./operation";
import { tableOf } from "./tables";
import { TRUE, and, compare } from "./terms";

/** The selection of rows of a base relation. */
export interface Selection {
  readonly key: Readonly<Record<string, Term>>;
  readonly where: Term;
  /** True if the key is complete. */
  readonly point: boolean;
}

/** A scope with the columns of the current row of a relation. */
export function atHand(relation: string, scope: Scope): Scope {
  return {
    ...scope,
    perhaps: true,
    column: (alias, column) =>
      alias === relation ? { kind: "column", column } : scope.column?.(alias, column),
  };
}

/** The selection by conditions on a relation; `known` has the columns of others. */
export function selectionOf(
  builder: Builder,
  relation: Relation,
  conjuncts: readonly Expression[],
  known: Scope,
): Selection {
  const { primaryKey } = tableOf(builder.tables, relation.table);
  const key: Record<string, Term> = {};
  const where: Term[] = [];
  const scope = atHand(relation.alias, known);
  // If a condition that concerns no row fails, nothing else is evaluated.
  const asked = conjuncts.every((each) => relationsIn(each).length > 0) ? known : inDoubt(known);
  for (const conjunct of conjuncts) {
    const equality = equalityOf(conjunct, relation.alias);
    if (
      equality !== undefined &&
      primaryKey.includes(equality.column) &&
      !relationsIn(equality.value).includes(relation.alias)
    ) {
      const value = flattenExpression(builder, equality.value, asked);
      const bound = ownEntry(key, equality.column);
      if (bound === undefined) setEntry(key, equality.column, value);
      else where.push(compare("=", bound, value));
      continue;
    }
    where.push(flattenExpression(builder, conjunct, scope));
  }
  const point = primaryKey.every((column) => ownEntry(key, column) !== undefined);
  return { key, where: where.length === 0 ? TRUE : and(...where), point };
}

/** `relation.column = value` in either direction. */
export function equalityOf(
  conjunct: Expression,
  alias: string,
): { readonly column: string; readonly value: Expression } | undefined {
  const isComparison = conjunct.kind === "comparison" && conjunct.operator === "=";
  if (!isComparison && conjunct.kind !== "sameValue") return undefined;
  const { left, right } = conjunct;
  if (left.kind === "column" && left.relation === alias && !relationsIn(right).includes(alias))
    return { column: left.column, value: right };
  if (right.kind === "column" && right.relation === alias && !relationsIn(left).includes(alias))
    return { column: right.column, value: left };
  return undefined;
}

/** The aliases that an expression mentions, including those in subqueries. */
export function relationsIn(expression: Expression): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    // Expressions share structure: each part is visited once.
    seen.add(value);
    if ("kind" in value && value.kind === "column" && "relation" in value) {
      if (typeof value.relation === "string") found.add(value.relation);
      return;
    }
    Object.values(value).forEach(visit);
  };
  visit(expression);
  return [...found];
}

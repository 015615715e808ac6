// Free columns of an expression or query.
import type { Expression, Query } from "../../program/expression";

export interface ColumnName {
  readonly relation: string;
  readonly column: string;
}

/** The columns of relations outside of it, each once. */
export function freeColumns(of: Expression | Query): readonly ColumnName[] {
  const found = new Map<string, ColumnName>();
  const visit = (value: unknown, bound: ReadonlySet<string>): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, bound);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    if (isColumn(value)) {
      if (!bound.has(value.relation)) found.set(`${value.relation}.${value.column}`, value);
      return;
    }
    const own = "relations" in value && "outputs" in value ? aliasesOf(value.relations) : [];
    const inside = own.length > 0 ? new Set([...bound, ...own]) : bound;
    for (const each of Object.values(value)) visit(each, inside);
  };
  visit(of, new Set());
  return [...found.values()];
}

function isColumn(value: object): value is ColumnName {
  return (
    "kind" in value &&
    value.kind === "column" &&
    "relation" in value &&
    typeof value.relation === "string" &&
    "column" in value
  );
}

function aliasesOf(relations: unknown): readonly string[] {
  if (!Array.isArray(relations)) return [];
  return relations.flatMap((each: unknown) =>
    typeof each === "object" && each !== null && "alias" in each && typeof each.alias === "string"
      ? [each.alias]
      : [],
  );
}

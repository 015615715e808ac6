// Which columns of a result are whole numbers of 64 bits, which drivers of PostgreSQL give as texts.
import type { Expression, Output, Relation } from "../../../../program/expression";
import type { Table } from "../../../../program/schema";

export function wideColumns(
  outputs: readonly Output[],
  relations: readonly Relation[],
  table: (name: string) => Table | undefined,
): ReadonlySet<string> {
  const isNarrow = (value: Expression): boolean => {
    switch (value.kind) {
      case "literal":
        return true;
      case "column": {
        const relation = relations.find(({ alias }) => alias === value.relation);
        if (relation?.kind !== "base") return false;
        const columns = table(relation.table)?.columns;
        return columns?.find(({ name }) => name === value.column)?.isWide !== true;
      }
      case "aggregate":
        return /^(?:min|max)$/u.test(value.function) && !!value.operand && isNarrow(value.operand);
      case "arithmetic":
        return isNarrow(value.left) && isNarrow(value.right);
      case "negate":
        return isNarrow(value.operand);
      case "coalesce":
        return value.operands.every(isNarrow);
      default:
        return false;
    }
  };
  return new Set(outputs.flatMap(({ name, value }) => (isNarrow(value) ? [] : [name])));
}

// Which columns of a result are never NULL: columns that their tables declare so, where no outer join fills them.
import type { Table } from "../../../../program/schema";
import type { Output, Relation } from "../../../../program/expression";

export function requiredColumns(
  outputs: readonly Output[],
  relations: readonly Relation[],
  table: (name: string) => Table | undefined,
): ReadonlySet<string> {
  const isOuter = relations.some(({ join }) => join !== "inner" && join !== "cross");
  return new Set(
    outputs.flatMap(({ name, value }) => {
      if (value.kind === "aggregate") return value.function === "count" ? [name] : [];
      if (value.kind !== "column" || isOuter) return [];
      const relation = relations.find(({ alias }) => alias === value.relation);
      const column =
        relation?.kind === "base"
          ? table(relation.table)?.columns.find((each) => each.name === value.column)
          : undefined;
      return column && !column.nullable ? [name] : [];
    }),
  );
}

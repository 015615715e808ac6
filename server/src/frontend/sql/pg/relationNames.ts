// Names of tables in PostgreSQL's parse tree.
import type { RangeVar } from "libpg-query";
import type { LoweringContext } from "../lowering";
import { nameSpaceOf, relationName, type NameSpace } from "../relationNames";
import { rangeVarsOf, tableName } from "./ast";

/** The name of the table that a reference in a statement means. */
export function nameOfRelation(
  relation: RangeVar | undefined,
  context: Pick<LoweringContext, "piece" | "table">,
): string {
  return nameIn(relation, nameSpaceOf(context, "postgres"));
}

/** The name of the table that a reference means. */
export function nameIn(relation: RangeVar | undefined, names: NameSpace): string {
  return relationName({ name: tableName(relation), schema: relation?.schemaname }, names);
}

/**
 * A definition whose references have these names, but for those of its queries, which are read where they run. Linear in the tree; the tree
 * itself where there is nothing to rename.
 */
export function withRelationNames<Tree extends object>(node: Tree, names: NameSpace): Tree {
  const renamed = new Map<object, string>();
  for (const each of rangeVarsOf(node)) {
    const name = nameIn(each, names);
    if (name !== tableName(each)) renamed.set(each, name);
  }
  return renamed.size === 0 ? node : withNames(node, renamed);
}

function withNames<Part>(part: Part, names: ReadonlyMap<object, string>): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => withNames(each, names)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  const relname = names.get(part);
  if (relname !== undefined) {
    // Only a RangeVar is among them.
    const { schemaname: _schema, ...relation } = part as RangeVar;
    const named: RangeVar = { ...relation, relname };
    return named as Part;
  }
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    return [key, key === "SelectStmt" ? value : withNames(value, names)] as const;
  });
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}

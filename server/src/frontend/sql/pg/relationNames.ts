// Names of tables: tables of one name in several schemas are told apart by their schema, all others go by their name alone.
import type { RangeVar } from "libpg-query";
import type { Table } from "../../../program/schema";
import { rangeVarsOf, tableName } from "./ast";

/** The schema of tables whose definition names none. */
export const DEFAULT_SCHEMA = "public";

export function homeOf({ schema = DEFAULT_SCHEMA }: Table): string {
  return schema;
}

/** True for a table whose name here has its schema before it. */
export function goesBySchema(table: Table): boolean {
  return table.name.startsWith(qualifiedName(homeOf(table), ""));
}

export function qualifiedName(schema: string, name: string): string {
  return `${schema}.${name}`;
}

/** The name of the table that a reference means: `tableOf` has tables by their names. */
export function relationName(relation: RangeVar | undefined, tableOf: TableOf): string {
  const name = tableName(relation);
  const schema = relation?.schemaname;
  if (schema === undefined) return name;
  const qualified = qualifiedName(schema, name);
  const home = tableOf(name)?.schema;
  const isOther = home !== undefined && home !== schema;
  return isOther || tableOf(qualified)?.inferred === false ? qualified : name;
}

type TableOf = (name: string) => Table | undefined;

/** A tree whose references have these names. Linear in the tree; the tree itself where there is nothing to rename. */
export function withRelationNames<Tree extends object>(node: Tree, tableOf: TableOf): Tree {
  const names = new Map<object, string>();
  for (const each of rangeVarsOf(node)) {
    const name = relationName(each, tableOf);
    if (name !== tableName(each)) names.set(each, name);
  }
  return names.size === 0 ? node : withNames(node, names);
}

function withNames<Part>(part: Part, names: ReadonlyMap<object, string>): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => withNames(each, names)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  const relname = names.get(part);
  if (relname !== undefined) return { ...part, relname };
  const entries = Object.entries(part).map(
    ([key, value]: [string, unknown]) => [key, withNames(value, names)] as const,
  );
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}

/** The schema that `SET search_path` makes the default; undefined for other statements, and where none is named. */
export function searchPathOf(sql: string): string | undefined {
  const found = SEARCH_PATH.exec(sql);
  const [, quoted, bare] = found ?? [];
  return quoted ?? bare?.toLowerCase();
}

const SEARCH_PATH =
  /^\s*(?:--[^\n]*\n\s*)*set\s+(?:session\s+|local\s+)?search_path\s*(?:=|\bto\b)\s*(?:["']([^"']+)["']|([a-z_][\w$]*))/iu;

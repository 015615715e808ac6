// Reading PostgreSQL's parse tree: names, lists, and fields that the tree omits if they are empty.
import type { A_Const, Node, RangeVar, TypeName } from "libpg-query";
import { typeKey } from "./schema/typeNames";

/** The kind of a node: its only key. */
export function kindOf(node: Node): string {
  return Object.keys(node)[0] ?? "nothing";
}

/** The text of a String node. */
export function stringOf(node: Node | undefined): string | undefined {
  return node !== undefined && "String" in node ? (node.String.sval ?? "") : undefined;
}

/** The texts of a list of String nodes; other nodes are skipped. */
export function stringsOf(nodes: readonly Node[] | undefined): readonly string[] {
  return (nodes ?? []).flatMap((node) => stringOf(node) ?? []);
}

/** The last of a list of names: an object without its schema. */
export function lastName(nodes: readonly Node[] | undefined): string {
  return stringsOf(nodes).at(-1) ?? "";
}

/** The schema in a list of names; undefined for a bare name. */
export function schemaOf(nodes: readonly Node[] | undefined): string | undefined {
  return stringsOf(nodes).at(-2);
}

/** The items of a List node. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  return node !== undefined && "List" in node ? (node.List.items ?? []) : [];
}

/** The values of `(a, b)` or `ROW(a, b)`. */
export function rowOf(node: Node): readonly Node[] | undefined {
  return "RowExpr" in node ? (node.RowExpr.args ?? []) : undefined;
}

export function tableName(relation: RangeVar | undefined): string {
  return relation?.relname ?? "";
}

/** The key of a type, see `typeKey`, with `[]` for an array. */
export function typeText(type: TypeName | undefined): string {
  const name = typeKey(stringsOf(type?.names));
  return (type?.arrayBounds ?? []).length > 0 ? `${name}[]` : name;
}

/** The value of a constant; numbers beyond JavaScript's exact integers are rounded. */
export function constantOf(constant: A_Const): number | string | boolean | null {
  if (constant.isnull === true) return null;
  if (constant.ival !== undefined) return constant.ival.ival ?? 0;
  if (constant.fval !== undefined) return Number(constant.fval.fval ?? "0");
  if (constant.boolval !== undefined) return constant.boolval.boolval ?? false;
  if (constant.sval !== undefined) return constant.sval.sval ?? "";
  return constant.bsval?.bsval ?? "";
}

/** All tables that a tree mentions, with their places, including common table expressions. */
export function rangeVarsOf(node: unknown): readonly RangeVar[] {
  const found: RangeVar[] = [];
  const waiting: unknown[] = [node];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== "object" || part === null) continue;
    // Only a RangeVar has this property.
    if ("relname" in part && typeof part.relname === "string") found.push(part as RangeVar);
    else for (const value of Object.values(part)) waiting.push(value as unknown);
  }
  return found;
}

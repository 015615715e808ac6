// Checked access to node-sql-parser's trees, whose published types do not match its results.
import { ownEntry } from "../../../protocol/dictionary";

export type Node = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The property as a node, undefined if it is none. */
export function child(node: Node | undefined, name: string): Node | undefined {
  const value = ownEntry(node, name);
  return isNode(value) ? value : undefined;
}

/** The nodes of a list property; empty if it is none. */
export function children(node: Node | undefined, name: string): readonly Node[] {
  const value = ownEntry(node, name);
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The property as text: a string, or the `value` of a node with one. */
export function text(node: Node | undefined, name: string): string | undefined {
  const value = ownEntry(node, name);
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return isNode(value) ? text(value, "value") : undefined;
}

/** A name in the text: lower case unless it was quoted, which only some nodes show. */
export function identifier(node: Node | undefined, name: string): string | undefined {
  const value = ownEntry(node, name);
  if (isNode(value)) {
    const inner = child(value, "expr") ?? value;
    const written = text(inner, "value");
    if (written === undefined) return undefined;
    return inner["type"] === "double_quote_string" ? written : written.toLowerCase();
  }
  return typeof value === "string" ? value : undefined;
}

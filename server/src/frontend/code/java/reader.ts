// Shared reader of the parts of the Java adapter: the text, how deep they are, and each other. One part per kind of
// node; they call each other through this value.
import { childOf, type SyntaxNode } from "../workspace/codeParsers";
import type { Deeper } from "../depthLimit";
import type { HirAnnotation, HirClass, HirExpression, HirStatement } from "../hir";
import type { Span } from "../../sql/text/split";
import type { Scope } from "./scope";

export interface JavaReader {
  readonly text: string;
  /** Lombok's annotations may add members to the classes of the file. */
  readonly hasLombok: boolean;
  expression(node: SyntaxNode | undefined, scope: Scope): HirExpression;
  /** The statements of a block, or the one statement that stands in its place, with a scope of their own. */
  block(node: SyntaxNode | undefined, scope: Scope): readonly HirStatement[];
  /** Statements in a scope that the caller made. */
  statements(nodes: readonly SyntaxNode[], scope: Scope): readonly HirStatement[];
  class(node: SyntaxNode, scope: Scope): HirClass;
  /** `superclass`: the type that an anonymous class or an enum's constant extends. */
  anonymousClass(body: SyntaxNode, superclass: string, scope: Scope): HirClass;
  annotations(node: SyntaxNode, scope: Scope): readonly HirAnnotation[];
  readonly deeper: Deeper;
}

export function spanOf({ start, end }: Span): Span {
  return { start, end };
}

export function textOf(reader: JavaReader, node: SyntaxNode | undefined): string {
  return node === undefined ? "" : reader.text.slice(node.start, node.end);
}

/** The text of the child in a field; empty where there is none. */
export function fieldText(reader: JavaReader, node: SyntaxNode, field: string): string {
  return textOf(reader, childOf(node, field));
}

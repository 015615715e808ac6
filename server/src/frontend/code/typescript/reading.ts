// Shared state of this adapter while it reads one module: the text, and each other's entries.
import type { SyntaxNode } from "../workspace/codeParsers";
import type {
  HirAnnotation,
  HirClass,
  HirExpression,
  HirFunction,
  HirPattern,
  HirStatement,
} from "../hir";
import type { Span } from "../../sql/text/split";

export interface Reading {
  readonly text: string;
  /** `name`: what a function or class without a name of its own is bound to. */
  expression(node: SyntaxNode, name?: string): HirExpression;
  /** A binding, or the target of an assignment. */
  pattern(node: SyntaxNode): HirPattern;
  /** One node may stand for several statements (`let a, b`), or for none (a type). */
  statements(nodes: readonly SyntaxNode[]): readonly HirStatement[];
  /** `annotations`: decorators that stand outside of the node. */
  function(node: SyntaxNode, name?: string, annotations?: readonly HirAnnotation[]): HirFunction;
  class(node: SyntaxNode, name?: string, annotations?: readonly HirAnnotation[]): HirClass;
}

export function spanOf({ start, end }: Span): Span {
  return { start, end };
}

export function slice({ text }: Reading, { start, end }: Span): string {
  return text.slice(start, end);
}

export function hasToken(node: SyntaxNode, token: string): boolean {
  return node.children.some((child) => child.type === token);
}

export function unknown(
  node: Span,
  what: string,
  parts: readonly HirExpression[] = [],
): HirExpression {
  return { kind: "unknown", what, parts, span: spanOf(node) };
}

export function nameAt(node: Span, name: string): HirExpression {
  return { kind: "name", name, span: spanOf(node) };
}

/** Where nothing stands: `return;`, a hole of an array. */
export function nothing(at: Span): HirExpression {
  return { kind: "literal", value: undefined, span: spanOf(at) };
}

/** A type as it is written behind its colon. */
export function typeText(reading: Reading, annotation: SyntaxNode | undefined): string | undefined {
  if (annotation === undefined) return undefined;
  const type = annotation.children.find((child) => child.isNamed);
  return type && slice(reading, type);
}

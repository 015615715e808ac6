// Functions of all kinds (declarations, arrows, methods), their parameters, and decorators.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirAnnotation, HirFunction, HirParameter, HirPattern, HirStatement } from "../hir";
import { readArguments } from "./expressions";
import { hasToken, slice, spanOf, typeText, type Reading } from "./reading";

export function readFunction(
  reading: Reading,
  node: SyntaxNode,
  name?: string,
  annotations: readonly HirAnnotation[] = [],
): HirFunction {
  const own = childOf(node, "name");
  const called = own && node.type !== "method_definition" ? slice(reading, own) : name;
  const body = childOf(node, "body");
  const isArrow = node.type === "arrow_function";
  const returns = typeText(reading, childOf(node, "return_type"));
  return {
    ...(called !== undefined && { name: called }),
    header: headerOf(node, body, annotations),
    parameters: readParameters(reading, node),
    body: readBody(reading, body),
    annotations: [...annotations, ...decoratorsOf(reading, node)],
    isArrow,
    isGenerator: hasToken(node, "*") || node.type.startsWith("generator_function"),
    ...(returns !== undefined && { returns }),
    ...(hasToken(node, "async") && { isAsync: true }),
    span: { start: startOf(node, annotations), end: node.end },
  };
}

/** From the start to before the body, without the white space between. */
export function headerOf(
  node: SyntaxNode,
  body: SyntaxNode | undefined,
  annotations: readonly HirAnnotation[],
): HirFunction["header"] {
  const last = node.children.findLast((child) => body === undefined || child.end <= body.start);
  return { start: startOf(node, annotations), end: last?.end ?? body?.start ?? node.end };
}

/** Decorators that stand before a node belong to it. */
export function startOf(node: SyntaxNode, annotations: readonly HirAnnotation[]): number {
  return Math.min(node.start, annotations[0]?.span.start ?? node.start);
}

/** Decorators that are children of a node. */
export function decoratorsOf(reading: Reading, node: SyntaxNode): readonly HirAnnotation[] {
  return node.children
    .filter((child) => child.type === "decorator")
    .map((child) => readDecorator(reading, child));
}

export function readDecorator(reading: Reading, node: SyntaxNode): HirAnnotation {
  const [inner] = namedChildren(node);
  const isCall = inner?.type === "call_expression";
  const callee = isCall ? childOf(inner, "function") : inner;
  const given = isCall ? readArguments(reading, childOf(inner, "arguments")) : [];
  return {
    name: callee ? slice(reading, callee) : "",
    arguments: given.map(({ value }) => value),
    span: spanOf(node),
  };
}

function readBody(reading: Reading, body: SyntaxNode | undefined): readonly HirStatement[] {
  if (body === undefined) return [];
  if (body.type === "statement_block") return reading.statements(body.children);
  return [{ kind: "return", value: reading.expression(body), span: spanOf(body) }];
}

function readParameters(reading: Reading, node: SyntaxNode): readonly HirParameter[] {
  const single = childOf(node, "parameter");
  if (single) return [readParameter(reading, single)];
  const list = childOf(node, "parameters");
  return list
    ? namedChildren(list)
        // TypeScript's `this: T` is no parameter.
        .filter((child) => child.type !== "ERROR" && childOf(child, "pattern")?.type !== "this")
        .map((child) => readParameter(reading, child))
    : [];
}

function readParameter(reading: Reading, node: SyntaxNode): HirParameter {
  const inner = childOf(node, "pattern") ?? node;
  const type = typeText(reading, childOf(node, "type"));
  const value = inner === node ? undefined : childOf(node, "value");
  const plain = reading.pattern(inner);
  const span = spanOf(node);
  const pattern: HirPattern = value
    ? { kind: "default", pattern: plain, value: reading.expression(value), span }
    : plain;
  return {
    pattern,
    ...(type !== undefined && { type }),
    ...(node.type === "optional_parameter" && { isOptional: true }),
    isRest: inner.type === "rest_pattern",
    annotations: decoratorsOf(reading, node),
    span,
  };
}

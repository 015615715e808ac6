// Java's patterns: a type or record pattern becomes a test that assigns its variables; they are declared before the
// statement that holds it, since Java lets them live on behind it.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirExpression, HirStatement } from "../hir";
import type { Span } from "../../sql/text/split";
import { spanOf, textOf, type JavaReader } from "./reader";
import type { Scope } from "./scope";

export function readInstanceOf(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const span = spanOf(node);
  const left = reader.expression(childOf(node, "left"), scope);
  const pattern = childOf(node, "pattern");
  if (pattern) return readPattern(reader, pattern, left, scope);
  const type = childOf(node, "right");
  const test = instanceOf(left, textOf(reader, type), spanOf(type ?? node), span);
  const name = childOf(node, "name");
  return name ? bound(reader, name, textOf(reader, type), left, test, scope) : test;
}

/** The test that `subject` matches; its variables are assigned when it does. */
export function readPattern(
  reader: JavaReader,
  node: SyntaxNode,
  subject: HirExpression,
  scope: Scope,
): HirExpression {
  const span = spanOf(node);
  switch (node.type) {
    case "pattern": {
      const [inner] = namedChildren(node);
      return inner ? readPattern(reader, inner, subject, scope) : unknownTest(span, [subject]);
    }
    case "type_pattern":
    case "record_pattern_component": {
      const parts = namedChildren(node).filter(({ type }) => type !== "modifiers");
      const [type, name] = parts;
      if (type?.type === "record_pattern") return readPattern(reader, type, subject, scope);
      if (type === undefined || name === undefined) return always(span);
      const written = textOf(reader, type);
      const isAny = written === "var" || node.type === "record_pattern_component";
      const test = isAny ? always(span) : instanceOf(subject, written, spanOf(type), span);
      return bound(reader, name, written === "var" ? undefined : written, subject, test, scope);
    }
    case "record_pattern":
      return readRecord(reader, node, subject, scope);
    default:
      return unknownTest(span, [subject]);
  }
}

function readRecord(
  reader: JavaReader,
  node: SyntaxNode,
  subject: HirExpression,
  scope: Scope,
): HirExpression {
  const span = spanOf(node);
  const [type, ...rest] = namedChildren(node);
  const name = textOf(reader, type).replace(/<[\s\S]*$/u, "");
  const components = scope.file.classes.get(name)?.components;
  const inner = rest
    .filter((child) => child.type === "record_pattern_body")
    .flatMap((body) => namedChildren(body));
  return inner.reduce<HirExpression>(
    (test, component, i) => {
      const property = components?.[i];
      const value: HirExpression =
        property === undefined
          ? { kind: "unknown", what: "component of a record", parts: [subject], span }
          : { kind: "member", object: subject, property, optional: false, span: spanOf(component) };
      const next = readPattern(reader, component, value, scope);
      return { kind: "binary", operator: "&&", left: test, right: next, span };
    },
    instanceOf(subject, name, spanOf(type ?? node), span),
  );
}

/** `test && (name = value, true)`, with `name` declared before the statement. */
function bound(
  reader: JavaReader,
  nameNode: SyntaxNode,
  type: string | undefined,
  value: HirExpression,
  test: HirExpression,
  scope: Scope,
): HirExpression {
  const span = spanOf(nameNode);
  const name = textOf(reader, nameNode);
  declareBefore(name, type, span, scope);
  const assign: HirExpression = {
    kind: "assign",
    target: { kind: "bind", name, span },
    value: type === undefined ? value : { kind: "typed", operand: value, type, span: value.span },
    span,
  };
  const matched: HirExpression = { kind: "sequence", parts: [assign, always(span)], span };
  return test.kind === "literal" && test.value === true
    ? matched
    : { kind: "binary", operator: "&&", left: test, right: matched, span: test.span };
}

/** A variable that an expression binds, declared before the statement which the expression stands in. */
export function declareBefore(
  name: string,
  type: string | undefined,
  span: Span,
  scope: Scope,
): void {
  const declaration: HirStatement = {
    kind: "let",
    pattern: { kind: "bind", name, span },
    ...(type !== undefined && { type }),
    isMutable: true,
    span,
  };
  const known = nearest(scope, (at) => at.isCase === true || at.pending !== undefined);
  (known ?? scope).variables.set(name, type);
  // Fields' values stand in no statement; nothing declares their variables.
  nearest(scope, (at) => at.pending !== undefined)?.pending?.push(declaration);
}

/** The innermost scope inside of the class that is such. */
function nearest(scope: Scope, isSuch: (at: Scope) => boolean): Scope | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (isSuch(at)) return at;
    if (at.class) return undefined;
  }
  return undefined;
}

function instanceOf(left: HirExpression, type: string, typeSpan: Span, span: Span): HirExpression {
  const name = type.replace(/<[\s\S]*$/u, "");
  const right: HirExpression = { kind: "name", name, span: typeSpan };
  return { kind: "binary", operator: "instanceof", left, right, span };
}

function always(span: Span): HirExpression {
  return { kind: "literal", value: true, span };
}

function unknownTest(span: Span, parts: readonly HirExpression[]): HirExpression {
  return { kind: "unknown", what: "pattern", parts, span };
}

// Java's statements as HIR.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirExpression, HirStatement } from "../hir";
import { isClassDeclaration, hasModifier } from "./declarations";
import { fieldText, spanOf, textOf, type JavaReader } from "./reader";
import { innerScope, type Scope } from "./scope";
import { readSwitch } from "./switches";

type Statements = readonly HirStatement[];

/** The statements in order; variables of patterns are declared before the statement that binds them. */
export function readStatements(
  reader: JavaReader,
  nodes: readonly SyntaxNode[],
  scope: Scope,
): Statements {
  return nodes.flatMap((node) => {
    const pending: HirStatement[] = [];
    // The same variables with another place for declarations.
    const read = readStatement(reader, node, { ...scope, pending });
    return [...pending, ...read];
  });
}

/** A block's statements, or the one statement that stands in its place. */
export function readBlock(
  reader: JavaReader,
  node: SyntaxNode | undefined,
  scope: Scope,
): Statements {
  if (node === undefined) return [];
  const nodes = BLOCKS.has(node.type) ? namedChildren(node) : [node];
  return reader.statements(nodes, innerScope(scope));
}

const BLOCKS: ReadonlySet<string> = new Set(["block", "constructor_body"]);

function readStatement(reader: JavaReader, node: SyntaxNode, scope: Scope): Statements {
  const span = spanOf(node);
  const block = (field: string): Statements => reader.block(childOf(node, field), scope);
  const [first, second] = namedChildren(node);
  switch (node.type) {
    case "block":
      return [{ kind: "block", body: reader.block(node, scope), span }];
    case "local_variable_declaration":
      return readVariables(reader, node, scope);
    case "expression_statement":
      return first?.type === "switch_expression"
        ? [readSwitch(reader, first, scope)]
        : [{ kind: "expression", expression: reader.expression(first, scope), span }];
    case "explicit_constructor_invocation":
      return [{ kind: "expression", expression: reader.expression(node, scope), span }];
    case "switch_expression":
    case "switch_statement":
      return [readSwitch(reader, node, scope)];
    case "if_statement": {
      const condition = reader.expression(childOf(node, "condition"), scope);
      return [{ kind: "if", condition, then: block("consequence"), otherwise: block("alternative"), span }]; // prettier-ignore
    }
    case "for_statement":
      return [readFor(reader, node, scope)];
    case "enhanced_for_statement":
      return [readForEach(reader, node, scope)];
    case "while_statement":
    case "do_statement": {
      const isTestLast = node.type === "do_statement";
      const test = reader.expression(childOf(node, "condition"), scope);
      return [{ kind: "while", test, isTestLast, body: block("body"), span }];
    }
    case "return_statement":
    case "yield_statement":
      return [{ kind: "return", ...(first && { value: reader.expression(first, scope) }), span }];
    case "throw_statement":
      return [{ kind: "throw", value: reader.expression(first, scope), span }];
    case "break_statement":
    case "continue_statement": {
      const kind = node.type === "break_statement" ? "break" : "continue";
      return [{ kind, ...(first && { label: textOf(reader, first) }), span }];
    }
    case "labeled_statement": {
      const body = second ? readStatement(reader, second, scope) : [];
      const [only] = body;
      const inner: HirStatement =
        only && body.length === 1 ? only : { kind: "block", body, span: spanOf(second ?? node) };
      return [{ kind: "label", label: textOf(reader, first), body: inner, span }];
    }
    case "try_statement":
    case "try_with_resources_statement":
      return [readTry(reader, node, scope)];
    case "synchronized_statement":
      return [{ kind: "block", body: block("body"), span }];
    // Assertions are off unless a program is started otherwise.
    case "assert_statement":
    case "empty_statement":
    case ";":
      return [];
    default:
      return readOther(reader, node, scope);
  }
}

/** Declarations of local classes, and what could not be parsed: the statements that can be read are kept. */
function readOther(reader: JavaReader, node: SyntaxNode, scope: Scope): Statements {
  const span = spanOf(node);
  if (isClassDeclaration(node)) return [{ kind: "class", class: reader.class(node, scope), span }];
  if (node.type === "ERROR") {
    const inner = namedChildren(node);
    const isStatement = inner.some(({ type }) => /_statement$|_declaration$/u.test(type));
    const what = "syntax error";
    return isStatement
      ? [{ kind: "unknown", what, parts: [], span }, ...reader.statements(inner, scope)]
      : [{ kind: "unknown", what, parts: readable(reader, inner, scope), span }];
  }
  return /expression|invocation|literal|identifier|access|reference/u.test(node.type)
    ? [{ kind: "expression", expression: reader.expression(node, scope), span }]
    : [{ kind: "unknown", what: node.type.replaceAll("_", " "), parts: [], span }];
}

function readable(
  reader: JavaReader,
  nodes: readonly SyntaxNode[],
  scope: Scope,
): readonly HirExpression[] {
  return nodes
    .filter(({ type }) => /expression|invocation|access/u.test(type))
    .map((node) => reader.expression(node, scope));
}

function readVariables(reader: JavaReader, node: SyntaxNode, scope: Scope): Statements {
  const type = fieldText(reader, node, "type");
  const isMutable = !hasModifier(node, "final");
  const declarators = node.children.filter(({ field }) => field === "declarator");
  return declarators.flatMap((declarator): Statements => {
    const name = childOf(declarator, "name");
    if (name === undefined) return [];
    const value = childOf(declarator, "value");
    const full = `${type}${fieldText(reader, declarator, "dimensions")}`;
    const isInferred = full === "var";
    scope.variables.set(textOf(reader, name), isInferred ? inferredType(reader, value) : full);
    return [
      {
        kind: "let",
        pattern: { kind: "bind", name: textOf(reader, name), span: spanOf(name) },
        ...(value && { value: reader.expression(value, scope) }),
        ...(!isInferred && { type: full }),
        isMutable,
        span: declarators.length === 1 ? spanOf(node) : spanOf(declarator),
      },
    ];
  });
}

/** The type of `var x = new T()` and `var x = (T) y`. */
function inferredType(reader: JavaReader, value: SyntaxNode | undefined): string | undefined {
  const isWritten =
    value?.type === "object_creation_expression" || value?.type === "cast_expression";
  return isWritten ? fieldText(reader, value, "type") : undefined;
}

function readFor(reader: JavaReader, node: SyntaxNode, scope: Scope): HirStatement {
  const inner = innerScope(scope);
  const fields = (field: string): readonly SyntaxNode[] =>
    node.children.filter((child) => child.field === field && child.isNamed);
  const init = fields("init").flatMap((child): Statements =>
    child.type === "local_variable_declaration"
      ? readVariables(reader, child, inner)
      : [{ kind: "expression", expression: reader.expression(child, inner), span: spanOf(child) }],
  );
  const test = childOf(node, "condition");
  return {
    kind: "for",
    init,
    ...(test && { test: reader.expression(test, inner) }),
    update: fields("update").map((child) => reader.expression(child, inner)),
    body: reader.block(childOf(node, "body"), inner),
    span: spanOf(node),
  };
}

function readForEach(reader: JavaReader, node: SyntaxNode, scope: Scope): HirStatement {
  const over = reader.expression(childOf(node, "value"), scope);
  const inner = innerScope(scope);
  const name = childOf(node, "name");
  const type = `${fieldText(reader, node, "type")}${fieldText(reader, node, "dimensions")}`;
  inner.variables.set(textOf(reader, name), type === "var" ? undefined : type);
  return {
    kind: "forEach",
    pattern: { kind: "bind", name: textOf(reader, name), span: spanOf(name ?? node) },
    over,
    isKeys: false,
    body: reader.block(childOf(node, "body"), inner),
    span: spanOf(node),
  };
}

function readTry(reader: JavaReader, node: SyntaxNode, scope: Scope): HirStatement {
  const inner = innerScope(scope);
  const resources = childOf(node, "resources");
  const last = node.children.find(({ type }) => type === "finally_clause");
  return {
    kind: "try",
    resources: resources ? readResources(reader, resources, inner) : [],
    body: reader.block(childOf(node, "body"), inner),
    handlers: node.children
      .filter(({ type }) => type === "catch_clause")
      .map((clause) => readHandler(reader, clause, scope)),
    last: last ? reader.block(namedChildren(last)[0], scope) : [],
    span: spanOf(node),
  };
}

/** Those that are only named are closed at the end, too, but declare nothing. */
function readResources(reader: JavaReader, node: SyntaxNode, scope: Scope): Statements {
  return namedChildren(node).flatMap((resource): Statements => {
    const name = childOf(resource, "name");
    const span = spanOf(resource);
    if (name === undefined) {
      const [expression] = namedChildren(resource);
      if (expression === undefined) return [];
      const pattern = { kind: "bind" as const, name: `#resource${String(span.start)}`, span };
      return [{ kind: "let", pattern, value: reader.expression(expression, scope), isMutable: false, span }]; // prettier-ignore
    }
    const written = fieldText(reader, resource, "type");
    const type = written === "var" ? inferredType(reader, childOf(resource, "value")) : written;
    scope.variables.set(textOf(reader, name), type);
    return [
      {
        kind: "let",
        pattern: { kind: "bind", name: textOf(reader, name), span: spanOf(name) },
        value: reader.expression(childOf(resource, "value"), scope),
        ...(written !== "var" && written !== "" && { type: written }),
        isMutable: false,
        span,
      },
    ];
  });
}

function readHandler(
  reader: JavaReader,
  clause: SyntaxNode,
  scope: Scope,
): Extract<HirStatement, { kind: "try" }>["handlers"][number] {
  const inner = innerScope(scope);
  const parameter = clause.children.find(({ type }) => type === "catch_formal_parameter");
  const name = parameter && childOf(parameter, "name");
  const types = parameter?.children.find(({ type }) => type === "catch_type");
  if (name) inner.variables.set(textOf(reader, name), textOf(reader, types));
  return {
    ...(name && { pattern: { kind: "bind", name: textOf(reader, name), span: spanOf(name) } }),
    types: types ? namedChildren(types).map((type) => textOf(reader, type)) : [],
    body: reader.block(childOf(clause, "body"), inner),
  };
}

// Statements. What declares types alone is left out; what is not understood is `unknown` with the expressions in it.
import { childOf, isComment, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirExpression, HirFunction, HirStatement } from "../hir";
import { readAmbient, readEnum, readNamespace } from "./declarations";
import { expressionsIn, isExpression } from "./expressions";
import { hasToken, slice, spanOf, typeText, unknown, type Reading } from "./reading";

/** The statements of a list of nodes; functions do not come first, as they stand. */
export function readStatements(
  reading: Reading,
  nodes: readonly SyntaxNode[],
): readonly HirStatement[] {
  return nodes.flatMap((node) => {
    if (!node.isNamed || isComment(node)) return [];
    const errors = node.children.filter((child) => child.type === "ERROR");
    const wrong = node.type === "ERROR" ? [] : errors.map((each) => broken(reading, each));
    return [...wrong, ...readStatement(reading, node)];
  });
}

/** The names of the parameters of a type. */
function typeParameters(reading: Reading, node: SyntaxNode): readonly string[] {
  const list = childOf(node, "type_parameters");
  return (list ? namedChildren(list) : []).flatMap((each) => {
    const own = childOf(each, "name");
    return own ? [slice(reading, own)] : [];
  });
}

/** Types that are another one: unions, records and functions are types of their own. */
const NAMING: ReadonlySet<string> = new Set([
  "type_identifier",
  "nested_type_identifier",
  "generic_type",
  "type_query",
  "array_type",
  "readonly_type",
  "lookup_type",
  "object_type",
  "union_type",
  "intersection_type",
]);

/** Longer types are of generated code. */
const LONGEST_TYPE = 4000;

function isLong(type: SyntaxNode): boolean {
  const { start, end } = spanOf(type);
  return end - start > LONGEST_TYPE;
}

function readStatement(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const span = spanOf(node);
  switch (node.type) {
    case "expression_statement": {
      const [inner] = namedChildren(node);
      if (inner === undefined) return [];
      if (inner.type === "internal_module") return readNamespace(reading, inner);
      return [{ kind: "expression", expression: reading.expression(inner), span }];
    }
    case "lexical_declaration":
    case "variable_declaration":
      return readDeclaration(reading, node);
    case "function_declaration":
    case "generator_function_declaration": {
      const own = reading.function(node);
      return [{ kind: "function", function: named(own), span }];
    }
    case "class_declaration":
    case "abstract_class_declaration":
      return [{ kind: "class", class: reading.class(node), span }];
    case "enum_declaration":
      return readEnum(reading, node);
    case "module":
    case "internal_module":
      return readNamespace(reading, node);
    case "ambient_declaration":
      return readAmbient(reading, node);
    // At the top of a file it is more than its declaration; here it stands in code that could not be parsed.
    case "export_statement": {
      const inner = childOf(node, "declaration") ?? childOf(node, "value");
      return inner ? reading.statements([inner]) : [];
    }
    case "import_alias":
      return readAlias(reading, node);
    case "if_statement":
      return [
        {
          kind: "if",
          condition: conditionOf(reading, node),
          then: bodyOf(reading, childOf(node, "consequence")),
          otherwise: bodyOf(reading, childOf(node, "alternative")),
          span,
        },
      ];
    case "for_statement":
      return [readFor(reading, node)];
    case "for_in_statement":
      return [readForEach(reading, node)];
    case "while_statement":
    case "do_statement":
      return [
        {
          kind: "while",
          test: conditionOf(reading, node),
          isTestLast: node.type === "do_statement",
          body: bodyOf(reading, childOf(node, "body")),
          span,
        },
      ];
    case "return_statement": {
      const [value] = namedChildren(node);
      return [{ kind: "return", ...(value && { value: reading.expression(value) }), span }];
    }
    case "throw_statement": {
      const [value] = namedChildren(node);
      const thrown = value ? reading.expression(value) : unknown(node, "syntax error");
      return [{ kind: "throw", value: thrown, span }];
    }
    case "try_statement":
      return [readTry(reading, node)];
    case "switch_statement":
      return [readSwitch(reading, node)];
    case "break_statement":
    case "continue_statement": {
      const label = childOf(node, "label");
      const kind = node.type === "break_statement" ? "break" : "continue";
      return [{ kind, ...(label && { label: slice(reading, label) }), span }];
    }
    case "type_alias_declaration": {
      const [name, value] = [childOf(node, "name"), childOf(node, "value")];
      if (!name || !value || !NAMING.has(value.type)) return [];
      if (isLong(value)) return [];
      const parameters = typeParameters(reading, node);
      const type = { name: slice(reading, name), type: slice(reading, value) };
      return [{ kind: "type", ...type, ...(parameters.length > 0 && { parameters }), span }];
    }
    case "interface_declaration": {
      const [name, body] = [childOf(node, "name"), childOf(node, "body")];
      if (!name || !body || isLong(body)) return [];
      const above = namedChildren(node).find(({ type }) => type === "extends_type_clause");
      const parts = [...(above ? namedChildren(above) : []), body];
      const type = parts.map((each) => slice(reading, each)).join(" & ");
      const parameters = typeParameters(reading, node);
      const own = parameters.length > 0 && { parameters };
      return [{ kind: "type", name: slice(reading, name), type, ...own, span }];
    }
    case "labeled_statement":
      return readLabelled(reading, node);
    case "statement_block":
      return [{ kind: "block", body: reading.statements(node.children), span }];
    case "empty_statement":
    case "debugger_statement":
    case "function_signature":
    case "hash_bang_line":
      return [];
    case "ERROR":
      return readBroken(reading, node);
    default:
      if (isExpression(node)) {
        return [{ kind: "expression", expression: reading.expression(node), span }];
      }
      return [
        {
          kind: "unknown",
          what: node.type.replaceAll("_", " "),
          parts: expressionsIn(reading, node),
          span,
        },
      ];
  }
}

/** Code that could not be parsed: statements in it are read, the rest is unknown. */
function readBroken(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const inner = namedChildren(node).filter((child) => !isExpression(child));
  return [broken(reading, node), ...inner.flatMap((child) => readWhole(reading, child))];
}

/** A statement inside an error; names and other pieces are none. */
function readWhole(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const isStatement = /_(?:statement|declaration)$|^statement_block$/u.test(node.type);
  return isStatement ? reading.statements([node]) : [];
}

function broken(reading: Reading, error: SyntaxNode): HirStatement {
  const parts = error.children.flatMap((child) =>
    isExpression(child) ? [reading.expression(child)] : [],
  );
  return { kind: "unknown", what: "syntax error", parts, span: spanOf(error) };
}

function named(own: HirFunction): HirFunction & { readonly name: string } {
  return { ...own, name: own.name ?? "default" };
}

/** `const a = 1, b`: a statement for each. */
export function readDeclaration(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const isMutable = !hasToken(node, "const") && !hasToken(node, "using");
  return namedChildren(node).flatMap((child): readonly HirStatement[] => {
    const target = childOf(child, "name");
    if (child.type !== "variable_declarator" || target === undefined) return [];
    const pattern = reading.pattern(target);
    const type = typeText(reading, childOf(child, "type"));
    const value = childOf(child, "value");
    const name = pattern.kind === "bind" ? pattern.name : undefined;
    const errors = child.children.filter((part) => part.type === "ERROR");
    const read = value && reading.expression(value, name);
    const parts = errors.flatMap((error) => expressionsIn(reading, error));
    const whole =
      errors.length === 0
        ? read
        : unknown(child, "syntax error", [...(read ? [read] : []), ...parts]);
    return [
      {
        kind: "let",
        pattern,
        ...(whole && { value: whole }),
        ...(type !== undefined && { type }),
        isMutable,
        span: spanOf(child),
      },
    ];
  });
}

/** `import a = b.c` */
function readAlias(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const [name, value] = namedChildren(node);
  if (name === undefined || value === undefined) return [];
  const bound = reading.pattern(name);
  const span = spanOf(node);
  return [
    { kind: "let", pattern: bound, value: reading.expression(value), isMutable: false, span },
  ];
}

function conditionOf(reading: Reading, node: SyntaxNode): HirExpression {
  const condition = childOf(node, "condition");
  return condition ? reading.expression(condition) : unknown(node, "syntax error");
}

/** A block's statements, a single statement, or what stands behind `else` and `finally`. */
function bodyOf(reading: Reading, node: SyntaxNode | undefined): readonly HirStatement[] {
  if (node === undefined) return [];
  if (node.type === "statement_block") return reading.statements(node.children);
  if (node.type === "else_clause") {
    const [only] = namedChildren(node);
    return bodyOf(reading, only);
  }
  return reading.statements([node]);
}

function readFor(reading: Reading, node: SyntaxNode): HirStatement {
  const init = childOf(node, "initializer");
  const condition = childOf(node, "condition");
  const update = childOf(node, "increment");
  const isEmpty = condition === undefined || condition.type === "empty_statement";
  const [inner] = condition ? namedChildren(condition) : [];
  const test = condition?.type === "expression_statement" ? inner : condition;
  return {
    kind: "for",
    init: init ? reading.statements([init]) : [],
    ...(!isEmpty && test && { test: reading.expression(test) }),
    update: update ? partsOf(reading.expression(update)) : [],
    body: bodyOf(reading, childOf(node, "body")),
    span: spanOf(node),
  };
}

function partsOf(expression: HirExpression): readonly HirExpression[] {
  return expression.kind === "sequence" ? expression.parts : [expression];
}

function readForEach(reading: Reading, node: SyntaxNode): HirStatement {
  const [left, right] = [childOf(node, "left"), childOf(node, "right")];
  if (left === undefined || right === undefined) return broken(reading, node);
  return {
    kind: "forEach",
    pattern: reading.pattern(left),
    over: reading.expression(right),
    isKeys: childOf(node, "operator")?.type === "in",
    body: bodyOf(reading, childOf(node, "body")),
    span: spanOf(node),
  };
}

function readTry(reading: Reading, node: SyntaxNode): HirStatement {
  const handler = childOf(node, "handler");
  const parameter = handler && childOf(handler, "parameter");
  const last = childOf(node, "finalizer");
  return {
    kind: "try",
    resources: [],
    body: bodyOf(reading, childOf(node, "body")),
    handlers: handler
      ? [
          {
            ...(parameter && { pattern: reading.pattern(parameter) }),
            types: [],
            body: bodyOf(reading, childOf(handler, "body")),
          },
        ]
      : [],
    last: last ? bodyOf(reading, childOf(last, "body")) : [],
    span: spanOf(node),
  };
}

function readSwitch(reading: Reading, node: SyntaxNode): HirStatement {
  const subject = childOf(node, "value");
  const body = childOf(node, "body");
  return {
    kind: "switch",
    subject: subject ? reading.expression(subject) : unknown(node, "syntax error"),
    cases: (body ? namedChildren(body) : []).map((child) => {
      const test = childOf(child, "value");
      const statements = child.children.filter((each) => each.field === "body");
      return {
        tests: test ? [reading.expression(test)] : [],
        body: reading.statements(statements),
      };
    }),
    span: spanOf(node),
  };
}

function readLabelled(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const [label, inner] = [childOf(node, "label"), childOf(node, "body")];
  if (label === undefined || inner === undefined) return [broken(reading, node)];
  const body = reading.statements([inner]);
  const [only] = body;
  const span = spanOf(node);
  const statement: HirStatement =
    body.length === 1 && only !== undefined ? only : { kind: "block", body, span };
  return [{ kind: "label", label: slice(reading, label), body: statement, span }];
}

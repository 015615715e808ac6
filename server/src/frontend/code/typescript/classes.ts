// Classes: fields, methods and what the parameters of a constructor declare.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirAnnotation, HirClass, HirExpression, HirField, HirMethod } from "../hir";
import { decoratorsOf, headerOf, readDecorator, startOf } from "./functions";
import { readKey } from "./patterns";
import { hasToken, slice, spanOf, typeText, type Reading } from "./reading";

export function readClass(
  reading: Reading,
  node: SyntaxNode,
  name?: string,
  annotations: readonly HirAnnotation[] = [],
): HirClass {
  const own = childOf(node, "name");
  const called = own ? slice(reading, own) : name;
  const body = childOf(node, "body");
  return {
    ...(called !== undefined && { name: called }),
    header: headerOf(node, body, annotations),
    ...heritageOf(reading, node),
    isInterface: false,
    ...membersOf(reading, body),
    classes: [],
    annotations: [...annotations, ...decoratorsOf(reading, node)],
    span: { start: startOf(node, annotations), end: node.end },
  };
}

function heritageOf(
  reading: Reading,
  node: SyntaxNode,
): Pick<HirClass, "superclass" | "interfaces"> {
  const heritage = node.children.find((child) => child.type === "class_heritage");
  const clauses = heritage ? namedChildren(heritage) : [];
  const extended = clauses.find((clause) => clause.type === "extends_clause");
  const implemented = clauses.find((clause) => clause.type === "implements_clause");
  // JavaScript's grammar has the expression itself.
  const written = extended
    ? childOf(extended, "value")
    : clauses.find((clause) => clause !== implemented);
  return {
    ...(written && { superclass: slice(reading, written) }),
    interfaces: implemented
      ? namedChildren(implemented).map((type) => slice(reading, childOf(type, "name") ?? type))
      : [],
  };
}

function membersOf(
  reading: Reading,
  body: SyntaxNode | undefined,
): Pick<HirClass, "fields" | "methods"> {
  const fields: HirField[] = [];
  const methods: HirMethod[] = [];
  // A method's decorators stand before it.
  let before: HirAnnotation[] = [];
  for (const member of body ? namedChildren(body) : []) {
    switch (member.type) {
      case "decorator":
        before.push(readDecorator(reading, member));
        continue;
      case "method_definition": {
        const method = readMethod(reading, member, before);
        if (method) methods.push(method);
        if (method?.kind === "constructor") fields.push(...parameterFields(reading, member));
        break;
      }
      case "public_field_definition":
      case "field_definition": {
        const field = readField(reading, member, before);
        if (field) fields.push(field);
        break;
      }
      case "class_static_block":
        fields.push(staticBlock(reading, member));
        break;
      default:
        // Signatures without a body: types.
        break;
    }
    before = [];
  }
  return { fields, methods };
}

function readMethod(
  reading: Reading,
  node: SyntaxNode,
  annotations: readonly HirAnnotation[],
): HirMethod | undefined {
  const key = childOf(node, "name");
  if (key === undefined) return undefined;
  const name = memberName(reading, key);
  const isStatic = hasToken(node, "static");
  return {
    name,
    kind: hasToken(node, "get")
      ? "get"
      : hasToken(node, "set")
        ? "set"
        : name === "constructor" && !isStatic
          ? "constructor"
          : "method",
    isStatic,
    function: reading.function(node, name, annotations),
    isPrivate: isPrivate(reading, node, key),
    span: { start: startOf(node, annotations), end: node.end },
  };
}

function isPrivate(reading: Reading, node: SyntaxNode, key: SyntaxNode): boolean {
  const modifier = node.children.find((child) => child.type === "accessibility_modifier");
  const isNamedSo = key.type === "private_property_identifier";
  return isNamedSo || (modifier !== undefined && slice(reading, modifier) === "private");
}

function readField(
  reading: Reading,
  node: SyntaxNode,
  annotations: readonly HirAnnotation[],
): HirField | undefined {
  const key = childOf(node, "name") ?? childOf(node, "property");
  if (key === undefined) return undefined;
  const name = memberName(reading, key);
  const type = typeText(reading, childOf(node, "type"));
  const value = childOf(node, "value");
  return {
    name,
    ...(type !== undefined && { type }),
    ...(hasToken(node, "?") && { isOptional: true }),
    ...(value && { value: reading.expression(value, name) }),
    isStatic: hasToken(node, "static"),
    isFinal: hasToken(node, "readonly"),
    annotations: [...annotations, ...decoratorsOf(reading, node)],
    span: { start: startOf(node, annotations), end: node.end },
  };
}

/** `constructor(private readonly x: X)` declares a field `x`. */
function parameterFields(reading: Reading, method: SyntaxNode): readonly HirField[] {
  const list = childOf(method, "parameters");
  return (list ? namedChildren(list) : []).flatMap((parameter): readonly HirField[] => {
    const pattern = childOf(parameter, "pattern");
    const isFinal = hasToken(parameter, "readonly");
    const isField = isFinal || hasToken(parameter, "accessibility_modifier");
    if (!isField || pattern?.type !== "identifier") return [];
    const type = typeText(reading, childOf(parameter, "type"));
    return [
      {
        name: slice(reading, pattern),
        ...(type !== undefined && { type }),
        isStatic: false,
        isFinal,
        annotations: decoratorsOf(reading, parameter),
        span: spanOf(parameter),
      },
    ];
  });
}

/** Code that runs with the class: a field without a name, whose value is that of a function called at once. */
function staticBlock(reading: Reading, node: SyntaxNode): HirField {
  const span = spanOf(node);
  const callee: HirExpression = {
    kind: "function",
    function: { ...reading.function(node), isArrow: true },
    span,
  };
  return {
    name: "",
    value: { kind: "call", callee, arguments: [], optional: false, span },
    isStatic: true,
    isFinal: true,
    annotations: [],
    span,
  };
}

function memberName(reading: Reading, key: SyntaxNode): string {
  const known = readKey(reading, key);
  return typeof known === "string" ? known : slice(reading, key);
}

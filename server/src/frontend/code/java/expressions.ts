// Java's expressions as HIR.
import { dictionary } from "../../../protocol/dictionary";
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirArgument, HirEntry, HirExpression, HirPattern } from "../hir";
import type { Span } from "../../sql/text/split";
import { isClassDeclaration, withoutArguments } from "./declarations";
import { readCallable, readLambda } from "./functions";
import { readNumber, readText } from "./literals";
import { readInstanceOf } from "./patterns";
import { fieldText, spanOf, textOf, type JavaReader } from "./reader";
import { classOf, outerThis, readName, readOwnCallee, type Scope } from "./scope";
import { readChoice } from "./switches";
import { isWhole } from "./wholeNumbers";

/** An expression; what is not known is `unknown` with the expressions inside of it. */
export function readExpression(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const span = spanOf(node);
  const read = (child: SyntaxNode | undefined): HirExpression => reader.expression(child, scope);
  const [first] = node.children.length > 0 ? namedChildren(node) : [];
  switch (node.type) {
    case "identifier":
      return node.isMissing
        ? { kind: "unknown", what: "missing", parts: [], span }
        : readName(textOf(reader, node), span, scope);
    case "this":
    case "super":
      return { kind: node.type, span };
    case "true":
    case "false":
      return { kind: "literal", value: node.type === "true", span };
    case "null_literal":
      return { kind: "literal", value: null, span };
    case "string_literal":
    case "character_literal":
      return { kind: "text", runs: readText(reader.text, node.start, node.end), span };
    case "decimal_integer_literal":
    case "hex_integer_literal":
    case "octal_integer_literal":
    case "binary_integer_literal":
    case "decimal_floating_point_literal":
    case "hex_floating_point_literal": {
      const value = readNumber(textOf(reader, node));
      return value === undefined
        ? { kind: "unknown", what: "number beyond what is exact", parts: [], span }
        : { kind: "literal", value, span };
    }
    case "parenthesized_expression":
      return read(first);
    case "cast_expression":
      return readCast(reader, node, scope);
    case "field_access":
      return readField(reader, node, scope);
    case "array_access": {
      const object = read(childOf(node, "array"));
      return { kind: "index", object, index: read(childOf(node, "index")), optional: false, span };
    }
    case "method_invocation":
      return readCall(reader, node, scope);
    case "explicit_constructor_invocation": {
      const constructor = childOf(node, "constructor");
      const callee: HirExpression = {
        kind: constructor?.type === "super" ? "super" : "this",
        span: spanOf(constructor ?? node),
      };
      return { kind: "call", callee, arguments: readArguments(reader, node, scope), optional: false, span }; // prettier-ignore
    }
    case "object_creation_expression":
      return readNew(reader, node, scope);
    case "array_creation_expression":
      return readNewArray(reader, node, scope);
    case "annotation":
    case "marker_annotation": {
      const [given] = readAnnotationArguments(reader, node, scope);
      const span = spanOf(node);
      if (given?.kind === "object") return given;
      const entries: readonly HirEntry[] = given ? [{ kind: "property", key: "value", value: given, span }] : []; // prettier-ignore
      return { kind: "object", entries, span };
    }
    case "array_initializer":
    case "element_value_array_initializer":
      return {
        kind: "array",
        items: namedChildren(node).map((item) => argument(read(item))),
        span,
      };
    case "binary_expression":
      return readBinary(reader, node, scope);
    case "unary_expression": {
      const operator = fieldText(reader, node, "operator");
      return { kind: "unary", operator, operand: read(childOf(node, "operand")), span };
    }
    case "update_expression": {
      const isPrefix = node.children[0]?.isNamed === false;
      const operator = node.children.some(({ type }) => type === "++") ? "+" : "-";
      return { kind: "increment", target: read(first), operator, isPrefix, span };
    }
    case "assignment_expression":
      return readAssignment(reader, node, scope);
    case "ternary_expression": {
      const condition = read(childOf(node, "condition"));
      const then = read(childOf(node, "consequence"));
      return { kind: "conditional", condition, then, otherwise: read(childOf(node, "alternative")), span }; // prettier-ignore
    }
    case "lambda_expression":
      return readLambda(reader, node, scope);
    case "method_reference":
      return readCallable(reader, node, scope);
    case "switch_expression":
    case "switch_statement":
      return readChoice(reader, node, scope);
    case "instanceof_expression":
      return readInstanceOf(reader, node, scope);
    case "class_literal": {
      const object: HirExpression = {
        kind: "name",
        name: textOf(reader, first),
        span: spanOf(first ?? node),
      };
      return { kind: "member", object, property: "class", optional: false, span };
    }
    case "template_expression":
      return {
        kind: "unknown",
        what: "string template",
        parts: partsOf(reader, node, scope),
        span,
      };
    default:
      return { kind: "unknown", what: whatOf(node), parts: partsOf(reader, node, scope), span };
  }
}

export function argument(value: HirExpression): HirArgument {
  return { value, isSpread: false };
}

function whatOf({ type }: SyntaxNode): string {
  return type === "ERROR" ? "syntax error" : type.replaceAll("_", " ");
}

/** The expressions inside of a node that is not understood; classes inside of it are left out. */
export function partsOf(
  reader: JavaReader,
  node: SyntaxNode,
  scope: Scope,
): readonly HirExpression[] {
  return namedChildren(node)
    .filter((child) => !isClassDeclaration(child) && !NO_VALUE.test(child.type))
    .map((child) => reader.expression(child, scope));
}

/** Types, modifiers and names that are no values. */
const NO_VALUE = /_type$|type_|^modifiers$|^dimensions$|annotation|_fragment$|^escape_sequence$/u;

/** A cast of a number with decimals to a whole one cuts them off; every other one gives the value as it is. */
function readCast(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const value = childOf(node, "value");
  const operand = reader.expression(value, scope);
  const span = spanOf(node);
  const type = fieldText(reader, node, "type");
  if (/^(?:int|long|short|byte)$/u.test(type) && value && isWhole(reader, value, scope) === false) {
    const math: HirExpression = { kind: "name", name: "Math", span };
    const callee: HirExpression = { kind: "member", object: math, property: "trunc", optional: false, span }; // prettier-ignore
    return { kind: "call", callee, arguments: [argument(operand)], optional: false, span };
  }
  return { kind: "typed", operand, type, span };
}

function readField(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const span = spanOf(node);
  const object = childOf(node, "object");
  const field = childOf(node, "field");
  if (field?.type === "this") {
    const name = textOf(reader, object);
    return name === classOf(scope)?.name ? { kind: "this", span } : outerThis(name, span);
  }
  // `Outer.super.x`
  if (node.children.some(({ type }) => type === "super") && object?.type !== "super") {
    return member({ kind: "super", span }, textOf(reader, field), span);
  }
  const qualified = qualifiedClass(reader, node, scope);
  if (qualified) return qualified;
  return member(reader.expression(object, scope), textOf(reader, field), span);
}

function member(object: HirExpression, property: string, span: Span): HirExpression {
  return { kind: "member", object, property, optional: false, span };
}

/** `java.sql.Connection`: a name with dots. Packages are written small, and their first part is no variable here. */
function qualifiedClass(
  reader: JavaReader,
  node: SyntaxNode,
  scope: Scope,
): HirExpression | undefined {
  const written = textOf(reader, node);
  if (!/^[a-z][\w]*(?:\.[a-z]\w*)*\.[A-Z]\w*$/u.test(written)) return undefined;
  const [root = ""] = written.split(".");
  const found = readName(root, spanOf(node), scope);
  const isVariable =
    found.kind !== "name" || isVariableName(root, scope) || scope.file.staticImports.has(root);
  if (isVariable && !(found.kind === "member" && TOP_PACKAGES.has(root))) return undefined;
  return { kind: "name", name: written, span: spanOf(node) };
}

/** First parts of packages that are no inherited fields either. */
const TOP_PACKAGES: ReadonlySet<string> = new Set(["java", "javax", "jakarta", "org", "com", "net", "io", "de", "dev"]); // prettier-ignore

function isVariableName(name: string, scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.variables.has(name)) return true;
  }
  return false;
}

function readCall(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const span = spanOf(node);
  const object = childOf(node, "object");
  const name = childOf(node, "name");
  const property = textOf(reader, name);
  const isSuper = node.children.some(({ type, field }) => type === "super" && field !== "object");
  const typeArguments = typeArgumentsOf(reader, childOf(node, "type_arguments"));
  const callee: HirExpression =
    object === undefined
      ? readOwnCallee(property, spanOf(name ?? node), scope)
      : member(
          isSuper ? { kind: "super", span: spanOf(object) } : reader.expression(object, scope),
          property,
          { start: node.start, end: name?.end ?? node.end },
        );
  return {
    kind: "call",
    callee,
    arguments: readArguments(reader, node, scope),
    optional: false,
    ...(typeArguments.length > 0 && { typeArguments }),
    span,
  };
}

export function readArguments(
  reader: JavaReader,
  node: SyntaxNode,
  scope: Scope,
): readonly HirArgument[] {
  const list = childOf(node, "arguments");
  return list === undefined
    ? []
    : namedChildren(list).map((child) => argument(reader.expression(child, scope)));
}

function typeArgumentsOf(reader: JavaReader, node: SyntaxNode | undefined): readonly string[] {
  return node === undefined ? [] : namedChildren(node).map((type) => textOf(reader, type));
}

function readNew(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const type = childOf(node, "type");
  const name = type ? withoutArguments(type, reader.text) : "";
  const generics = type?.children.find((child) => child.type === "type_arguments");
  const typeArguments = typeArgumentsOf(reader, generics);
  const body = node.children.find((child) => child.type === "class_body");
  return {
    kind: "new",
    callee: { kind: "name", name, span: spanOf(type ?? node) },
    arguments: readArguments(reader, node, scope),
    ...(typeArguments.length > 0 && { typeArguments }),
    ...(body && { body: reader.anonymousClass(body, name, scope) }),
    span: spanOf(node),
  };
}

/** `new T[n]` is `new Array<T>(n)`, with the values that the language gives to begin with. */
function readNewArray(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const value = childOf(node, "value");
  if (value) return { ...reader.expression(value, scope), span: spanOf(node) };
  const type = childOf(node, "type");
  return {
    kind: "new",
    callee: { kind: "name", name: "Array", span: spanOf(type ?? node) },
    arguments: node.children
      .filter((child) => child.type === "dimensions_expr")
      .flatMap((child) => namedChildren(child))
      .map((size) => argument(reader.expression(size, scope))),
    typeArguments: [textOf(reader, type)],
    span: spanOf(node),
  };
}

const EQUALITY = dictionary<string | undefined>({ "==": "===", "!=": "!==" });

/** Chains of one operator are long in code that builds texts; they are read from the left without recursion. */
function readBinary(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const spine: SyntaxNode[] = [];
  let left: SyntaxNode | undefined = node;
  while (left?.type === "binary_expression") {
    spine.push(left);
    left = childOf(left, "left");
  }
  const concatenation = readConcatenation(reader, node, scope);
  if (concatenation) return concatenation;
  return spine.length > LONGEST_CHAIN
    ? {
        kind: "unknown",
        what: "long expression",
        parts: [left, ...spine.reverse().map((each) => childOf(each, "right"))].map((operand) =>
          reader.expression(operand, scope),
        ),
        span: spanOf(node),
      }
    : spine.reduceRight(
        (operand, each) => readOperator(reader, each, operand, scope),
        reader.expression(left, scope),
      );
}

const LONGEST_CHAIN = 200;

function readOperator(
  reader: JavaReader,
  node: SyntaxNode,
  left: HirExpression,
  scope: Scope,
): HirExpression {
  const span = spanOf(node);
  const written = fieldText(reader, node, "operator");
  const right = reader.expression(childOf(node, "right"), scope);
  const operator =
    written === "/" ? divisionOf(reader, node, scope) : (EQUALITY[written] ?? written);
  return operator === undefined
    ? { kind: "unknown", what: "division of numbers whose type is not known", parts: [left, right], span } // prettier-ignore
    : { kind: "binary", operator, left, right, span };
}

/** `div` cuts off what is left, `/` does not. */
function divisionOf(reader: JavaReader, node: SyntaxNode, scope: Scope): string | undefined {
  const sides = ["left", "right"].map((field) => childOf(node, field));
  const whole = sides.map((side) => side && isWhole(reader, side, scope));
  if (whole.includes(false)) return "/";
  return whole.every((each) => each === true) ? "div" : undefined;
}

/** A sum that begins with a text, or whose second operand is one, is a template: it joins all its operands. */
function readConcatenation(
  reader: JavaReader,
  node: SyntaxNode,
  scope: Scope,
): HirExpression | undefined {
  const operands: SyntaxNode[] = [];
  let at: SyntaxNode | undefined = node;
  while (at?.type === "binary_expression" && fieldText(reader, at, "operator") === "+") {
    const right = childOf(at, "right");
    if (right) operands.push(right);
    at = childOf(at, "left");
  }
  if (at) operands.push(at);
  operands.reverse();
  if (!operands.slice(0, 2).some((operand) => operand.type === "string_literal")) return undefined;
  const texts: ReturnType<typeof readText>[] = [[]];
  const values: HirExpression[] = [];
  for (const operand of operands) {
    const value = reader.expression(operand, scope);
    if (operand.type === "string_literal" && value.kind === "text") {
      texts.push([...(texts.pop() ?? []), ...value.runs]);
    } else {
      values.push(value);
      texts.push([]);
    }
  }
  const span = spanOf(node);
  return values.length === 0
    ? { kind: "text", runs: texts.flat(), span }
    : { kind: "template", texts, values, span };
}

function readAssignment(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const span = spanOf(node);
  const left = childOf(node, "left");
  const target = patternOf(reader.expression(left, scope));
  const value = reader.expression(childOf(node, "right"), scope);
  const written = fieldText(reader, node, "operator").slice(0, -1);
  if (written === "") return { kind: "assign", target, value, span };
  const operator = written === "/" ? divisionOf(reader, node, scope) : written;
  return operator === undefined
    ? {
        kind: "assign",
        target,
        value: { kind: "unknown", what: "division of numbers whose type is not known", parts: [value], span }, // prettier-ignore
        span,
      }
    : { kind: "assign", target, operator, value, span };
}

/** The target of an assignment to an expression. */
function patternOf(target: HirExpression): HirPattern {
  const { span } = target;
  return target.kind === "name"
    ? { kind: "bind", name: target.name, span }
    : { kind: "place", place: target, span };
}

/** The arguments of an annotation: named ones are a record; `value = x` alone is `x`. */
export function readAnnotationArguments(
  reader: JavaReader,
  annotation: SyntaxNode,
  scope: Scope,
): readonly HirExpression[] {
  const list = childOf(annotation, "arguments");
  if (list === undefined) return [];
  const given = namedChildren(list);
  const pairs = given.filter(({ type }) => type === "element_value_pair");
  if (pairs.length === 0) return given.map((each) => reader.expression(each, scope));
  const entries = pairs.map((pair): HirEntry => ({
    kind: "property",
    key: textOf(reader, childOf(pair, "key")),
    value: reader.expression(childOf(pair, "value"), scope),
    span: spanOf(pair),
  }));
  return [{ kind: "object", entries, span: spanOf(list) }];
}

// Expressions. What only says something about types is left out; what is not understood is `unknown` with its parts.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirArgument, HirEntry, HirExpression, HirPattern } from "../hir";
import { textOf } from "../textRuns";
import { readNumber, readString, readTemplate } from "./literals";
import { readKey } from "./patterns";
import { hasToken, nameAt, nothing, slice, spanOf, unknown, type Reading } from "./reading";

export function readExpression(reading: Reading, node: SyntaxNode, name?: string): HirExpression {
  const read = readPlain(reading, node, name);
  const errors = node.children.filter((child) => child.type === "ERROR");
  if (errors.length === 0) return read;
  const parts = errors.flatMap((error) => expressionsIn(reading, error));
  return unknown(node, "syntax error", [read, ...parts]);
}

/** The outermost expressions somewhere below a node that is not understood. */
export function expressionsIn(reading: Reading, node: SyntaxNode): readonly HirExpression[] {
  return namedChildren(node).flatMap((child) => {
    if (EXPRESSIONS.has(child.type)) return [reading.expression(child)];
    return SILENT.has(child.type) ? [] : expressionsIn(reading, child);
  });
}

/** True if a node is an expression by its type. */
export function isExpression({ type }: SyntaxNode): boolean {
  return EXPRESSIONS.has(type);
}

function readPlain(reading: Reading, node: SyntaxNode, name?: string): HirExpression {
  const span = spanOf(node);
  switch (node.type) {
    case "identifier":
    case "shorthand_property_identifier":
    case "property_identifier":
    case "private_property_identifier":
    case "nested_identifier": {
      const written = slice(reading, node);
      if (written === "") return unknown(node, "syntax error");
      return written === "undefined" ? nothing(node) : dottedName(node, written);
    }
    case "undefined":
      return nothing(node);
    case "null":
      return { kind: "literal", value: null, span };
    case "true":
    case "false":
      return { kind: "literal", value: node.type === "true", span };
    case "number":
      return readNumber(reading, node);
    case "string":
      return readString(reading, node);
    case "template_string":
      return readTemplate(reading, node);
    case "this":
    case "super":
      return { kind: node.type, span };
    case "import":
      return nameAt(node, "import");
    case "parenthesized_expression":
      return readInner(reading, node, name);
    case "await_expression":
      return awaited(readInner(reading, node), span);
    case "as_expression":
    case "satisfies_expression":
    case "non_null_expression":
    case "instantiation_expression":
    case "type_assertion":
      return readTyped(reading, node, name);
    case "member_expression":
    case "subscript_expression":
      return readMember(reading, node);
    case "call_expression":
      return readCall(reading, node);
    case "new_expression":
      return {
        kind: "new",
        callee: readField(reading, node, "constructor"),
        arguments: readArguments(reading, childOf(node, "arguments")),
        ...typeArgumentsOf(reading, node),
        span,
      };
    case "binary_expression":
      return {
        kind: "binary",
        operator: operatorOf(reading, node),
        left: readField(reading, node, "left"),
        right: readField(reading, node, "right"),
        span,
      };
    case "unary_expression": {
      const operand = readField(reading, node, "argument");
      return { kind: "unary", operator: operatorOf(reading, node), operand, span };
    }
    case "update_expression": {
      const operator = operatorOf(reading, node);
      return {
        kind: "increment",
        target: readField(reading, node, "argument"),
        operator: operator === "--" ? "-" : "+",
        isPrefix: childOf(node, "operator")?.start === node.start,
        span,
      };
    }
    case "assignment_expression":
    case "augmented_assignment_expression":
      return readAssignment(reading, node);
    case "ternary_expression":
      return {
        kind: "conditional",
        condition: readField(reading, node, "condition"),
        then: readField(reading, node, "consequence", name),
        otherwise: readField(reading, node, "alternative", name),
        span,
      };
    case "sequence_expression":
      return {
        kind: "sequence",
        parts: namedChildren(node).map((part) => reading.expression(part)),
        span,
      };
    case "object":
      return { kind: "object", entries: readEntries(reading, node), span };
    case "array":
      return { kind: "array", items: readItems(reading, node), span };
    case "arrow_function":
    case "function_expression":
    case "generator_function":
      return { kind: "function", function: reading.function(node, name), span };
    case "class":
      return { kind: "class", class: reading.class(node, name), span };
    case "yield_expression":
      return unknown(node, "yield", expressionsIn(reading, node));
    case "regex":
      // As good as the text that it is written as, which nothing but functions of texts gets.
      return {
        kind: "text",
        runs: [{ text: reading.text.slice(node.start, node.end), start: node.start }],
        span,
      };
    case "jsx_element":
    case "jsx_self_closing_element":
      return unknown(node, "JSX", expressionsIn(reading, node));
    default:
      return unknown(node, node.type.replaceAll("_", " "), expressionsIn(reading, node));
  }
}

/** `a.b.c` where the grammar has one node for it (`import x = a.b`). */
function dottedName(node: SyntaxNode, written: string): HirExpression {
  const [first = "", ...others] = written.split(".").map((part) => part.trim());
  return others.reduce<HirExpression>(
    (object, property) => ({
      kind: "member",
      object,
      property,
      optional: false,
      span: spanOf(node),
    }),
    nameAt(node, first),
  );
}

function readField(
  reading: Reading,
  node: SyntaxNode,
  field: string,
  name?: string,
): HirExpression {
  const child = childOf(node, field);
  return child ? reading.expression(child, name) : unknown(node, "syntax error");
}

function readInner(reading: Reading, node: SyntaxNode, name?: string): HirExpression {
  const inner = namedChildren(node).find((child) => child.type !== "ERROR");
  return inner ? reading.expression(inner, name) : unknown(node, "syntax error");
}

function operatorOf(reading: Reading, node: SyntaxNode): string {
  const operator = childOf(node, "operator");
  return operator ? slice(reading, operator) : "";
}

function readTyped(reading: Reading, node: SyntaxNode, name?: string): HirExpression {
  const parts = namedChildren(node);
  const isPrefix = node.type === "type_assertion";
  const [operand, type] = isPrefix ? [parts[1], parts[0]] : [parts[0], parts[1]];
  if (operand === undefined) return unknown(node, "syntax error");
  const written = type ? slice(reading, type) : hasToken(node, "const") ? "const" : "";
  return {
    kind: "typed",
    operand: reading.expression(operand, name),
    // `<T>x` and `f<T>` have their type in brackets.
    type: /^<.*>$/su.test(written) ? written.slice(1, -1).trim() : written,
    span: spanOf(node),
  };
}

function readMember(reading: Reading, node: SyntaxNode): HirExpression {
  const object = readField(reading, node, "object");
  // The member is awaited, not what has it.
  if (object.kind === "await" && !isInBrackets(childOf(node, "object"))) {
    const operand = memberOf(reading, node, object.operand);
    return { kind: "await", operand, span: spanOf(node) };
  }
  return memberOf(reading, node, object);
}

function memberOf(reading: Reading, node: SyntaxNode, object: HirExpression): HirExpression {
  const optional = node.children.some((child) => child.type === "optional_chain");
  const span = spanOf(node);
  if (node.type === "subscript_expression") {
    return { kind: "index", object, index: readField(reading, node, "index"), optional, span };
  }
  const property = childOf(node, "property");
  const name = property ? slice(reading, property) : "";
  if (name === "") return unknown(node, "syntax error", [object]);
  return { kind: "member", object, property: name, optional, span };
}

/** Of two promises the one that is made is awaited. */
function awaited(operand: HirExpression, span: HirExpression["span"]): HirExpression {
  if (operand.kind !== "conditional") return { kind: "await", operand, span };
  const { then, otherwise } = operand;
  return { ...operand, then: awaited(then, span), otherwise: awaited(otherwise, span) };
}

function isInBrackets(node: SyntaxNode | undefined): boolean {
  return node?.type === "parenthesized_expression";
}

function readCall(reading: Reading, node: SyntaxNode): HirExpression {
  const callee = readField(reading, node, "function");
  const given = childOf(node, "arguments");
  // The grammar takes `await f<T>(x)` for `(await f)<T>(x)`, which nobody writes without parentheses.
  if (callee.kind === "await" && !isInBrackets(childOf(node, "function"))) {
    return awaited(readCallOf(reading, node, callee.operand, given), spanOf(node));
  }
  return readCallOf(reading, node, callee, given);
}

function readCallOf(
  reading: Reading,
  node: SyntaxNode,
  callee: HirExpression,
  given: SyntaxNode | undefined,
): HirExpression {
  if (given?.type === "template_string") return readTemplate(reading, given, callee);
  const span = spanOf(node);
  const rest = {
    arguments: readArguments(reading, given),
    optional: hasToken(node, "?.") || hasToken(node, "optional_chain"),
    ...typeArgumentsOf(reading, node),
    span,
  };
  const { condition, then, otherwise } = eitherMethod(callee) ?? {};
  if (!condition || !then || !otherwise) return { kind: "call", callee, ...rest };
  return {
    kind: "conditional",
    condition,
    then: { kind: "call", callee: then, ...rest },
    otherwise: { kind: "call", callee: otherwise, ...rest },
    span,
  };
}

/** The two methods of `object[condition ? "one" : "other"]`; undefined for all else. */
function eitherMethod(callee: HirExpression) {
  if (callee.kind !== "index" || callee.index.kind !== "conditional") return undefined;
  const { condition, then, otherwise } = callee.index;
  if (then.kind !== "text" || otherwise.kind !== "text") return undefined;
  const named = ({ runs }: typeof then): HirExpression => ({
    ...{ kind: "member", object: callee.object, property: textOf(runs) },
    ...{ optional: callee.optional, span: callee.span },
  });
  return { condition, then: named(then), otherwise: named(otherwise) };
}

/** The arguments in parentheses; none where there are no parentheses. */
export function readArguments(
  reading: Reading,
  node: SyntaxNode | undefined,
): readonly HirArgument[] {
  return node === undefined ? [] : namedChildren(node).map((child) => readArgument(reading, child));
}

function readArgument(reading: Reading, node: SyntaxNode): HirArgument {
  const isSpread = node.type === "spread_element";
  return { value: isSpread ? readInner(reading, node) : reading.expression(node), isSpread };
}

function typeArgumentsOf(
  reading: Reading,
  node: SyntaxNode,
): { readonly typeArguments?: readonly string[] } {
  const given = childOf(node, "type_arguments");
  return given ? { typeArguments: namedChildren(given).map((type) => slice(reading, type)) } : {};
}

function readItems(reading: Reading, node: SyntaxNode): readonly HirArgument[] {
  const items: HirArgument[] = [];
  let isOpen = false;
  for (const child of node.children) {
    if (child.type === ",") {
      if (!isOpen)
        items.push({ value: nothing({ start: child.start, end: child.start }), isSpread: false });
      isOpen = false;
    } else if (child.isNamed && child.type !== "comment" && child.type !== "ERROR") {
      items.push(readArgument(reading, child));
      isOpen = true;
    }
  }
  return items;
}

function readEntries(reading: Reading, node: SyntaxNode): readonly HirEntry[] {
  return namedChildren(node).flatMap((child): readonly HirEntry[] => {
    const span = spanOf(child);
    switch (child.type) {
      case "pair": {
        const key = childOf(child, "key");
        if (key === undefined) return [];
        const name = readKey(reading, key);
        const value = readField(
          reading,
          child,
          "value",
          typeof name === "string" ? name : undefined,
        );
        return [{ kind: "property", key: name, value, span }];
      }
      case "shorthand_property_identifier":
        return [
          { kind: "property", key: slice(reading, child), value: reading.expression(child), span },
        ];
      case "spread_element":
        return [{ kind: "spread", value: readInner(reading, child), span }];
      case "method_definition": {
        const key = childOf(child, "name");
        if (key === undefined) return [];
        const name = readKey(reading, key);
        const own = reading.function(child, typeof name === "string" ? name : undefined);
        const value: HirExpression = { kind: "function", function: own, span };
        const isAccessor = hasToken(child, "get") || hasToken(child, "set");
        return [
          {
            kind: "property",
            key: name,
            value: isAccessor ? unknown(child, "accessor", [value]) : value,
            span,
          },
        ];
      }
      case "ERROR":
        return [];
      default:
        return [{ kind: "spread", value: unknown(child, child.type.replaceAll("_", " ")), span }];
    }
  });
}

function readAssignment(reading: Reading, node: SyntaxNode): HirExpression {
  const left = childOf(node, "left");
  if (left === undefined) return unknown(node, "syntax error", expressionsIn(reading, node));
  const target = reading.pattern(left);
  const operator = operatorOf(reading, node).slice(0, -1);
  const value = readField(reading, node, "right", nameOf(target));
  return {
    kind: "assign",
    target,
    ...(operator !== "" && { operator }),
    value,
    span: spanOf(node),
  };
}

/** The name of a function by what it is assigned to. */
function nameOf(target: HirPattern): string | undefined {
  if (target.kind === "bind") return target.name;
  return target.kind === "place" && target.place.kind === "member"
    ? target.place.property
    : undefined;
}

const EXPRESSIONS: ReadonlySet<string> = new Set([
  "identifier",
  "undefined",
  "null",
  "true",
  "false",
  "number",
  "string",
  "template_string",
  "this",
  "super",
  "parenthesized_expression",
  "await_expression",
  "as_expression",
  "satisfies_expression",
  "non_null_expression",
  "instantiation_expression",
  "type_assertion",
  "member_expression",
  "subscript_expression",
  "call_expression",
  "new_expression",
  "binary_expression",
  "unary_expression",
  "update_expression",
  "assignment_expression",
  "augmented_assignment_expression",
  "ternary_expression",
  "sequence_expression",
  "object",
  "array",
  "arrow_function",
  "function_expression",
  "generator_function",
  "class",
  "yield_expression",
  "regex",
  "jsx_element",
  "jsx_self_closing_element",
  "meta_property",
]);

/** Nodes that hold no expression that is ever evaluated: types, and names of JSX. */
const SILENT: ReadonlySet<string> = new Set([
  "type_annotation",
  "type_arguments",
  "type_parameters",
  "type_identifier",
  "interface_declaration",
  "type_alias_declaration",
  "jsx_closing_element",
]);

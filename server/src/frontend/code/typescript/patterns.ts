// Patterns that values are bound or assigned to: names, places, objects and arrays taken apart.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirExpression, HirPattern } from "../hir";
import { stringValue } from "./literals";
import { slice, spanOf, unknown, type Reading } from "./reading";

export function readPattern(reading: Reading, node: SyntaxNode): HirPattern {
  const span = spanOf(node);
  switch (node.type) {
    case "identifier":
    case "shorthand_property_identifier_pattern":
    case "shorthand_property_identifier":
      return { kind: "bind", name: slice(reading, node), span };
    case "object_pattern":
      return readObject(reading, node);
    case "array_pattern":
      return readArray(reading, node);
    case "assignment_pattern":
    case "object_assignment_pattern":
      return readDefault(reading, node);
    case "rest_pattern": {
      const [inner] = namedChildren(node);
      return inner ? reading.pattern(inner) : { kind: "place", place: unknown(node, "rest"), span };
    }
    default: {
      const place = reading.expression(node);
      return place.kind === "name"
        ? { kind: "bind", name: place.name, span }
        : { kind: "place", place, span };
    }
  }
}

/** A key of an object or of a pattern: its name, or the expression that gives it. */
export function readKey(reading: Reading, node: SyntaxNode): string | HirExpression {
  if (node.type === "string") return stringValue(reading, node);
  if (node.type === "computed_property_name") {
    const [inner] = namedChildren(node);
    if (inner?.type === "string") return stringValue(reading, inner);
    return inner ? reading.expression(inner) : unknown(node, "key");
  }
  if (node.type === "number") return String(Number(slice(reading, node)));
  return slice(reading, node);
}

function readObject(reading: Reading, node: SyntaxNode): HirPattern {
  const entries: { key: string | HirExpression; pattern: HirPattern }[] = [];
  let rest: HirPattern | undefined;
  for (const child of namedChildren(node)) {
    if (child.type === "rest_pattern") rest = reading.pattern(child);
    else if (child.type === "pair_pattern") {
      const [key, value] = [childOf(child, "key"), childOf(child, "value")];
      if (key && value)
        entries.push({ key: readKey(reading, key), pattern: reading.pattern(value) });
    } else if (child.type === "object_assignment_pattern") {
      const left = childOf(child, "left");
      if (left) entries.push({ key: slice(reading, left), pattern: reading.pattern(child) });
    } else entries.push({ key: slice(reading, child), pattern: reading.pattern(child) });
  }
  return { kind: "object", entries, ...(rest && { rest }), span: spanOf(node) };
}

function readArray(reading: Reading, node: SyntaxNode): HirPattern {
  const items: (HirPattern | undefined)[] = [];
  let rest: HirPattern | undefined;
  let isOpen = false;
  for (const child of node.children) {
    if (child.type === ",") {
      if (!isOpen) items.push(undefined);
      isOpen = false;
    } else if (child.type === "rest_pattern") {
      rest = reading.pattern(child);
      isOpen = true;
    } else if (child.isNamed && child.type !== "comment") {
      items.push(reading.pattern(child));
      isOpen = true;
    }
  }
  return { kind: "array", items, ...(rest && { rest }), span: spanOf(node) };
}

function readDefault(reading: Reading, node: SyntaxNode): HirPattern {
  const [left, right] = [childOf(node, "left"), childOf(node, "right")];
  const span = spanOf(node);
  if (left === undefined || right === undefined) {
    return { kind: "place", place: unknown(node, "pattern"), span };
  }
  const pattern = reading.pattern(left);
  const name = pattern.kind === "bind" ? pattern.name : undefined;
  return { kind: "default", pattern, value: reading.expression(right, name), span };
}

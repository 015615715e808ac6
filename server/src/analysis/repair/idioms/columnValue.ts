// Expressions of code that hold a column of a row that was read, and values computed from them.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { SelectStatement } from "../../../program/statement";
import { ofNode } from "../../../query/nodes";
import { nodesIn, pathTo } from "./syntax";

/** A column under the names that code may use, with the function in which it is searched. */
export interface CodeColumn {
  readonly tree: CodeTree;
  readonly owner: SyntaxNode;
  /** Names in lower case without underscores. */
  readonly names: ReadonlySet<string>;
  /** The only variable that holds it, where that is known (Java). */
  readonly variable?: string;
}

/** The old value plus or minus something. */
export interface Change {
  readonly operator: "+" | "-";
  readonly by: SyntaxNode;
}

export function plainKey(name: string): string {
  return name.replaceAll(/[_"'`]/gu, "").toLowerCase();
}

/** The outermost function that contains both positions; undefined if there is none. */
export function sharedFunction(
  { root }: CodeTree,
  first: { readonly start: number; readonly end: number },
  second: { readonly start: number; readonly end: number },
): SyntaxNode | undefined {
  return pathTo(root, first.start, first.end).find(
    ({ type, start, end }) => FUNCTIONS.test(type) && start <= second.start && second.end <= end,
  );
}

/** The innermost function around a place. */
export function functionAround(
  { root }: CodeTree,
  { start, end }: { readonly start: number; readonly end: number },
): SyntaxNode | undefined {
  return pathTo(root, start, end).findLast(({ type }) => FUNCTIONS.test(type));
}

const FUNCTIONS =
  /^(?:function_declaration|function_expression|arrow_function|method_definition|generator_function_declaration)$/u;

/** True for `row.column`, for a variable with that value, and for their conversions to numbers. */
export function isColumnValue(column: CodeColumn, node: SyntaxNode): boolean {
  const { tree, names } = column;
  const inner = withoutWrappers(tree, node);
  if (column.variable !== undefined)
    return inner.type === "identifier" && textOf(tree, inner) === column.variable;
  if (inner.type === "member_expression") {
    const property = childOf(inner, "property");
    const from = rootOf(inner);
    return (
      property !== undefined &&
      names.has(plainKey(textOf(tree, property))) &&
      from !== undefined &&
      declarationOf(column, textOf(tree, from)) !== undefined
    );
  }
  if (inner.type !== "identifier") return false;
  const name = textOf(tree, inner);
  const declared = declarationOf(column, name);
  if (!declared) return false;
  if (declared.property !== undefined) return names.has(plainKey(declared.property));
  return declared.value !== undefined && isColumnValue(column, declared.value);
}

/** `row.column - amount`, `amount + row.column`, or a variable with such a value. */
export function changeOf(column: CodeColumn, node: SyntaxNode): Change | undefined {
  const { tree } = column;
  const inner = withoutWrappers(tree, node);
  if (inner.type === "identifier") {
    const declared = declarationOf(column, textOf(tree, inner));
    return declared?.value && declared.property === undefined
      ? changeOf(column, declared.value)
      : undefined;
  }
  if (inner.type !== "binary_expression") return undefined;
  const [left, right] = [childOf(inner, "left"), childOf(inner, "right")];
  const operator = operatorOf(tree, inner);
  if (!left || !right || (operator !== "+" && operator !== "-")) return undefined;
  if (isColumnValue(column, left) && !mentions(column, right)) return { operator, by: right };
  const isTurned = operator === "+" && isColumnValue(column, right) && !mentions(column, left);
  return isTurned ? { operator, by: left } : undefined;
}

/** True if a part of an expression holds the column. Linear in it. */
export function mentions(column: CodeColumn, node: SyntaxNode): boolean {
  return (
    isColumnValue(column, node) ||
    (node.type === "identifier" && changeOf(column, node) !== undefined) ||
    node.children.some((child) => mentions(column, child))
  );
}

export function operatorOf({ text }: CodeTree, node: SyntaxNode): string {
  const operator = childOf(node, "operator");
  return operator ? text.slice(operator.start, operator.end) : "";
}

export function textOf({ text }: CodeTree, { start, end }: SyntaxNode): string {
  return text.slice(start, end);
}

const WRAPPERS: ReadonlySet<string> = new Set([
  "parenthesized_expression",
  "non_null_expression",
  "as_expression",
]);

/** The expression without parentheses, type assertions and conversions to numbers. */
export function withoutWrappers(tree: CodeTree, node: SyntaxNode): SyntaxNode {
  const [first] = namedChildren(node);
  if (WRAPPERS.has(node.type) && first) return withoutWrappers(tree, first);
  if (node.type === "unary_expression" && operatorOf(tree, node) === "+" && first)
    return withoutWrappers(tree, first);
  if (node.type !== "call_expression") return node;
  const [called, given] = [childOf(node, "function"), childOf(node, "arguments")];
  const [value] = given ? namedChildren(given) : [];
  const isConversion =
    called !== undefined && /^(?:Number|BigInt|parseInt|parseFloat)$/u.test(textOf(tree, called));
  return isConversion && value ? withoutWrappers(tree, value) : node;
}

/** The root variable of a path of properties and elements. */
function rootOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === "identifier") return node;
  const object =
    childOf(node, "object") ?? (WRAPPERS.has(node.type) ? namedChildren(node)[0] : undefined);
  return object && rootOf(object);
}

interface Declaration {
  readonly value?: SyntaxNode;
  /** The property of the value that it is bound to. */
  readonly property?: string;
}

/** The declaration that gives a variable its only value within the function; parameters have none. */
function declarationOf({ tree, owner }: CodeColumn, name: string): Declaration | undefined {
  if (targetsIn(owner).some((target) => bindingIn(tree, target, name))) return undefined;
  const [only, ...others] = nodesIn(owner).flatMap((node): readonly Declaration[] => {
    const target = node.type === "variable_declarator" ? childOf(node, "name") : undefined;
    const found = target && bindingIn(tree, target, name);
    const value = childOf(node, "value");
    return found ? [{ ...(value && { value }), ...found }] : [];
  });
  return others.length === 0 ? only : undefined;
}

/** The targets of assignments, and of `++` and `--`, in a function. */
const targetsIn = ofNode((owner: SyntaxNode): readonly SyntaxNode[] =>
  nodesIn(owner).flatMap(
    (node) =>
      (ASSIGNING.test(node.type) && (childOf(node, "left") ?? childOf(node, "argument"))) || [],
  ),
);

const ASSIGNING = /^(?:assignment_expression|augmented_assignment_expression|update_expression)$/u;
/** The way in which a pattern binds a name: as the whole, or as a property. */
function bindingIn(
  tree: CodeTree,
  target: SyntaxNode,
  name: string,
): Pick<Declaration, "property"> | undefined {
  const text = textOf(tree, target);
  switch (target.type) {
    case "identifier":
      return text === name ? {} : undefined;
    case "shorthand_property_identifier_pattern":
      return text === name ? { property: name } : undefined;
    case "pair_pattern": {
      const [key, value] = [childOf(target, "key"), childOf(target, "value")];
      if (!key || !value) return undefined;
      const isIt = value.type === "identifier" && textOf(tree, value) === name;
      return isIt ? { property: textOf(tree, key) } : bindingIn(tree, value, name);
    }
    case "object_pattern":
    case "array_pattern": {
      for (const child of namedChildren(target)) {
        const found = bindingIn(tree, child, name);
        if (found) return target.type === "array_pattern" ? { property: "", ...found } : found;
      }
      return undefined;
    }
    default:
      return undefined;
  }
}

/** Names by which code may call each column of a query. */
export function namesOf({ query }: SelectStatement): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { name, value } of query.outputs) {
    if (value.kind !== "column") continue;
    const known = names.get(value.column) ?? new Set([plainKey(value.column)]);
    names.set(value.column, known.add(plainKey(name)));
  }
  return names;
}

/** An expression between two positions that holds the column, as written; undefined if there is none, or if it may change its value. */
export function codeValueOf(column: CodeColumn, from: number, until: number): string | undefined {
  if (targetsIn(column.owner).some((target) => isColumnValue(column, target))) return undefined;
  const found: SyntaxNode[] = [];
  const open = [column.owner];
  for (let next = open.pop(); next; next = open.pop()) {
    const isInside = next.start >= from && next.end <= until;
    if (isInside && VALUES.has(next.type) && isColumnValue(column, next)) found.push(next);
    else open.push(...next.children);
  }
  const [first] = found.sort((a, b) => a.start - b.start);
  return first && textOf(column.tree, first);
}

const VALUES: ReadonlySet<string> = new Set(["member_expression", "identifier"]);

/** The code's name of the column: that of the first property with its value. */
export function keyIn({ tree, owner, names }: CodeColumn): string | undefined {
  const first = nodesIn(owner).find(
    (node) => KEYS.has(node.type) && names.has(plainKey(textOf(tree, node))),
  );
  return first && textOf(tree, first).replaceAll(/["'`]/gu, "");
}

const KEYS: ReadonlySet<string> = new Set([
  "property_identifier",
  "shorthand_property_identifier",
  "shorthand_property_identifier_pattern",
]);

// Positions in a syntax tree, and chains of calls: `tx.select().from(t).where(c)` is one statement.
import {
  childOf,
  namedChildren,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";

/** The nodes that contain `[start, end)`, outermost first. Linear in the children along the way. */
export function pathTo(root: SyntaxNode, start: number, end: number): readonly SyntaxNode[] {
  const path: SyntaxNode[] = [];
  let node: SyntaxNode | undefined = root;
  while (node) {
    path.push(node);
    node = node.children.find((child) => child.start <= start && end <= child.end);
  }
  return path;
}

/** A node and all within it, in text order. Linear in them. */
export function nodesIn(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const open = [node];
  for (let next = open.pop(); next; next = open.pop()) {
    found.push(next);
    open.push(...next.children.toReversed());
  }
  return found;
}

/** One call of a chain. */
export interface Link {
  readonly name: string;
  /** The call with its receiver. */
  readonly call: SyntaxNode;
  /** Start of `.name`. */
  readonly dot: number;
  /** The arguments with their parentheses. */
  readonly arguments: SyntaxNode;
}

/** The calls of the longest chain around a position, starting with the call there, in text order. */
export function chainAround(
  root: SyntaxNode,
  text: string,
  start: number,
  end: number,
): readonly Link[] {
  const path = pathTo(root, start, end);
  const innermost = path.findLastIndex(
    (node) => node.type === "call_expression" && node.start === start,
  );
  let outermost = path[innermost];
  for (let at = innermost - 1; at >= 0 && outermost; at -= 1) {
    const node = path[at];
    if (node?.type === "call_expression" && childOf(node, "function")?.start === outermost.start) {
      outermost = node;
    } else if (node?.type !== "member_expression" || childOf(node, "object") !== outermost) break;
  }
  return outermost ? linksOf(outermost, text) : [];
}

function linksOf(call: SyntaxNode, text: string): readonly Link[] {
  const links: Link[] = [];
  let node: SyntaxNode | undefined = call;
  while (node?.type === "call_expression") {
    const called = childOf(node, "function");
    const given = childOf(node, "arguments");
    if (!called || !given) break;
    const object = called.type === "member_expression" ? childOf(called, "object") : undefined;
    const property = object && childOf(called, "property");
    const name = property ?? called;
    links.unshift({
      name: text.slice(name.start, name.end),
      call: node,
      dot: object?.end ?? called.start,
      arguments: given,
    });
    node = object;
  }
  return links;
}

/** The arguments of a call, without comments. */
export function argumentsOf({ arguments: given }: Link): readonly SyntaxNode[] {
  return namedChildren(given);
}

/** The value of an object literal's property; undefined if there is none of that name. */
export function propertyOf(object: SyntaxNode, text: string, name: string): SyntaxNode | undefined {
  const pair = namedChildren(object).find((child) => {
    const key = child.type === "pair" ? childOf(child, "key") : undefined;
    return (
      key !== undefined && text.slice(key.start, key.end).replace(/^["']|["']$/gu, "") === name
    );
  });
  return pair && childOf(pair, "value");
}

/** The position at which to insert another property, and the separator. */
export function placeOfProperty(object: SyntaxNode): {
  readonly at: number;
  readonly comma: string;
} {
  const last = namedChildren(object).at(-1);
  return last ? { at: last.end, comma: ", " } : { at: object.start + 1, comma: " " };
}

/** The smallest string or template around a position. */
export function literalAround(
  root: SyntaxNode,
  start: number,
  end: number,
): SyntaxNode | undefined {
  return pathTo(root, start, end).findLast(({ type }) => LITERALS.has(type));
}

const LITERALS: ReadonlySet<string> = new Set([
  "string",
  "template_string",
  "string_literal",
  "text_block",
]);

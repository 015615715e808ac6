// Handlers of errors in TypeScript and JavaScript: how they end.
import { namedChildren, type SyntaxNode } from "../../../frontend/code/workspace/codeParsers";

/** True for a handler's body that throws whatever happened. */
export function throwsAlways(handling: SyntaxNode): boolean {
  return namedChildren(handling).at(-1)?.type === "throw_statement" && !returnsIn(handling);
}

/** True if a function is left by a `return` within a node; those of functions inside leave these. */
export function returnsIn(node: SyntaxNode): boolean {
  if (node.type === "return_statement") return true;
  return node.children.some((child) => !/function|method/u.test(child.type) && returnsIn(child));
}

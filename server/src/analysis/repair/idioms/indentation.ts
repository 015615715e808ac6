// How far in lines of code stand, and lines that move further in.
import type { CodeTree, SyntaxNode } from "../../../frontend/code/workspace/codeParsers";
import { pathTo } from "./syntax";

/** The white space in front of what begins at a place. */
export function indentAt(text: string, at: number): string {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(line, at))?.[0] ?? "";
}

/** The starts of the lines between two places that are not empty, but for those inside of texts of several lines. Linear. */
export function linesBetween(
  { text, root }: CodeTree,
  from: number,
  until: number,
): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf("\n", from); at >= 0 && at < until; at = text.indexOf("\n", at + 1)) {
    const isInText = pathTo(root, at, at + 1).some(
      ({ type, start, end }) => /^(?:template_string|string|comment)$/u.test(type) && start < at && at < end - 1, // prettier-ignore
    );
    if (!isInText && !/^\r?\n/u.test(text.slice(at + 1, at + 3))) starts.push(at + 1);
  }
  return starts;
}

/** The starts of the lines of a block, without those of its braces. */
export function linesWithin(tree: CodeTree, body: SyntaxNode): readonly number[] {
  return linesBetween(tree, body.start, tree.text.lastIndexOf("\n", body.end - 2));
}

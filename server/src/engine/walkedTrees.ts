// Walks a tree of tree-sitter's runtime node by node: slow, but independent of the runtime's memory layout.
import type { TreeCursor } from "web-tree-sitter";
import type { ParseOptions, SyntaxNode } from "../frontend/code/workspace/codeParsers";

/** Names in a grammar, by the runtime's numbers. */
export interface GrammarNames {
  readonly types: readonly string[];
  readonly isNamed: readonly boolean[];
  readonly fields: readonly (string | null)[];
}

/** The whole tree below a cursor as plain data, reusing known nodes; iterative, since trees may be as deep as texts are long. */
export function walkedTree(
  cursor: TreeCursor,
  { types, isNamed, fields }: GrammarNames,
  isKnown: ParseOptions["isKnown"],
): SyntaxNode {
  const isWhole = types[cursor.nodeTypeId] !== undefined;
  const passOver = (): boolean =>
    isKnown !== undefined &&
    isWhole &&
    !cursor.currentNode.hasError &&
    isKnown(types[cursor.nodeTypeId] ?? "ERROR", cursor.startIndex, cursor.endIndex);
  const read = (children: readonly SyntaxNode[]): SyntaxNode => {
    const id = cursor.nodeTypeId;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    return {
      type: types[id] ?? "ERROR",
      isNamed: isNamed[id] ?? true,
      start,
      end,
      field: fields[cursor.currentFieldId] ?? undefined,
      children,
      isMissing: start === end && cursor.nodeIsMissing,
    };
  };
  const open: SyntaxNode[][] = [];
  const root: SyntaxNode[] = [];
  let into = root;
  for (;;) {
    const own: SyntaxNode[] = [];
    if (!(open.length === 1 && passOver()) && cursor.gotoFirstChild()) {
      // The node itself is added when the cursor returns to it.
      open.push(into);
      into = own;
      continue;
    }
    into.push(read(NO_CHILDREN));
    while (!cursor.gotoNextSibling()) {
      const parent = open.pop();
      const [only] = into;
      if (parent === undefined) {
        cursor.delete();
        if (only === undefined) throw new Error("a tree without a root");
        return only;
      }
      cursor.gotoParent();
      parent.push(read(into));
      into = parent;
    }
  }
}

const NO_CHILDREN: readonly SyntaxNode[] = [];

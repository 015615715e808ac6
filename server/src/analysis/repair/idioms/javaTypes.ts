// Types of Java by their names: what a variable is declared as, and where a type of a name is declared.
import {
  childOf,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { FileId } from "../../../protocol/source";
import type { Workshop } from "../workshop";
import { nodesIn } from "./syntax";

/** A class or an interface with the file that declares it. */
export interface JavaType {
  readonly file: FileId;
  readonly tree: CodeTree;
  readonly declaration: SyntaxNode;
}

/** The type that a field, parameter or variable of that name has in a file. */
export function typeOfName(
  workshop: Workshop,
  tree: CodeTree,
  file: FileId,
  name: string,
): JavaType | undefined {
  const own = name.replace(/^this\./u, "");
  const declared = new RegExp(`\\b([A-Z]\\w*)(?:<[^;(){}]*>)?\\s+${own}\\s*[;,=)]`, "u");
  const type = /^\w+$/u.test(own) ? declared.exec(tree.text)?.[1] : undefined;
  return type === undefined ? undefined : namedType(workshop, type, file);
}

/** The type of a name: in this file, or the only one of the project. */
export function namedType(workshop: Workshop, name: string, file: FileId): JavaType | undefined {
  const declared = new RegExp(`\\b(?:class|interface|record)\\s+${name}\\b`, "u");
  const found = workshop.files.flatMap((each): readonly JavaType[] => {
    if (!/\.java$/iu.test(each.file) || !declared.test(each.text)) return [];
    const tree = workshop.treeOf(each.file);
    const declaration = tree && declarationIn(tree, name);
    return tree && declaration ? [{ file: each.file, tree, declaration }] : [];
  });
  return found.find((each) => each.file === file) ?? (found.length === 1 ? found[0] : undefined);
}

function declarationIn({ root, text }: CodeTree, name: string): SyntaxNode | undefined {
  return nodesIn(root).find((node) => {
    const own = /^(?:class|interface)_declaration$/u.test(node.type) && childOf(node, "name");
    return own && text.slice(own.start, own.end) === name;
  });
}

// Imports of classes that an edit of Java needs.
import {
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";
import { nodesIn } from "./syntax";

/** The package of JPA's names that a text speaks of. */
export function persistencePackage(text: string): string {
  return /\bjavax\.persistence\b/u.test(text) ? "javax.persistence" : "jakarta.persistence";
}

/** The reason why a class cannot be imported into a text: its simple name means another one there. */
export function importConflict(tree: CodeTree, names: readonly string[]): string | undefined {
  const known = importsIn(tree);
  const other = names.find((name) => {
    if (known.some((each) => isOf(each, name))) return false;
    const own = simpleName(name);
    return nodesIn(tree.root).some(
      ({ type, start, end }) =>
        (type === "type_identifier" || type === "identifier") &&
        end - start === own.length &&
        tree.text.slice(start, end) === own,
    );
  });
  return other && `the name ${simpleName(other)} stands for another class in its file`;
}

function simpleName(name: string): string {
  return name.replace(/^.*\./u, "");
}

interface Import {
  readonly node: SyntaxNode;
  readonly isAll: boolean;
  readonly name: string;
}

function importsIn({ root, text }: CodeTree): readonly Import[] {
  return root.children.flatMap((node) => {
    const [name] = node.type === "import_declaration" ? namedChildren(node) : [];
    const isAll = /\*\s*;\s*$/u.test(text.slice(node.start, node.end));
    const isStatic = /^import\s+static\b/u.test(text.slice(node.start, node.end));
    return name && !isStatic ? [{ node, isAll, name: text.slice(name.start, name.end) }] : [];
  });
}

function isOf(known: Import, name: string): boolean {
  return known.isAll ? name.replace(/\.\w+$/u, "") === known.name : name === known.name;
}

/** The edits after which all classes are imported, each before the first import that sorts behind it. */
export function javaImports(
  tree: CodeTree,
  file: FileId,
  names: readonly string[],
): readonly TextEdit[] {
  const known = importsIn(tree);
  const missing = names.filter((name) => !known.some((each) => isOf(each, name)));
  const head = tree.root.children.find(({ type }) => type === "package_declaration");
  const places = new Map<number, string[]>();
  const add = (at: number, line: string): void => {
    places.set(at, [...(places.get(at) ?? []), line]);
  };
  for (const name of [...missing].sort()) {
    const next = known.find((each) => each.name > name);
    const last = known.at(-1);
    if (next) add(next.node.start, `import ${name};\n`);
    else if (last) add(last.node.end, `\nimport ${name};`);
    else if (head) add(head.end, `${places.has(head.end) ? "" : "\n"}\nimport ${name};`);
    else add(0, `import ${name};\n`);
  }
  return [...places].map(([at, lines]) => ({ file, start: at, end: at, newText: lines.join("") }));
}

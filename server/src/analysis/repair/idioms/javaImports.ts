// Imports of classes that an edit of Java needs.
import { namedChildren, type CodeTree } from "../../../frontend/code/workspace/codeParsers";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";

/** The package of JPA's names that a text speaks of. */
export function persistencePackage(text: string): string {
  return /\bjavax\.persistence\b/u.test(text) ? "javax.persistence" : "jakarta.persistence";
}

/** The edits after which all classes are imported, each before the first import that sorts behind it. */
export function javaImports(
  { root, text }: CodeTree,
  file: FileId,
  names: readonly string[],
): readonly TextEdit[] {
  const known = root.children.flatMap((node) => {
    const [name] = node.type === "import_declaration" ? namedChildren(node) : [];
    const isAll = /\*\s*;\s*$/u.test(text.slice(node.start, node.end));
    const isStatic = /^import\s+static\b/u.test(text.slice(node.start, node.end));
    return name && !isStatic ? [{ node, isAll, name: text.slice(name.start, name.end) }] : [];
  });
  const missing = names.filter(
    (name) =>
      !known.some((each) =>
        each.isAll ? name.replace(/\.\w+$/u, "") === each.name : name === each.name,
      ),
  );
  const head = root.children.find(({ type }) => type === "package_declaration");
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

// Imports of names that an edit needs.
import {
  childOf,
  namedChildren,
  type CodeTree,
} from "../../../frontend/code/workspace/codeParsers";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";

/** The module of MikroORM that a file imports; undefined where it imports none. */
export function mikroOrmOf(text: string): string | undefined {
  return /\bfrom\s+["'](@mikro-orm\/[\w-]+)["']/u.exec(text)?.[1];
}

/** The edits that import all of the names from a module; none for names that are imported already. */
export function importsOf(
  { root, text }: CodeTree,
  file: FileId,
  from: string,
  names: readonly string[],
): readonly TextEdit[] {
  const inserted = (at: number, newText: string): TextEdit => ({
    file,
    start: at,
    end: at,
    newText,
  });
  const wanted = [...new Set(names)];
  let known: readonly string[] = [];
  let place: number | undefined;
  for (const node of root.children) {
    if (node.type !== "import_statement") continue;
    const source = childOf(node, "source");
    if (!source || text.slice(source.start + 1, source.end - 1) !== from) continue;
    const clause = node.children.find(({ type }) => type === "import_clause");
    const list = clause?.children.find(({ type }) => type === "named_imports");
    if (!list || /^import\s+type\b/u.test(text.slice(node.start, node.end))) continue;
    const own = namedChildren(list);
    known = [...known, ...own.map(({ start, end }) => text.slice(start, end))];
    place ??= own.at(-1)?.end;
  }
  const missing = wanted.filter((name) => !known.includes(name));
  if (missing.length === 0) return [];
  if (place !== undefined) return [inserted(place, `, ${missing.join(", ")}`)];
  const first = root.children.find(({ type }) => type === "import_statement");
  return [inserted(first?.start ?? 0, `import { ${missing.join(", ")} } from "${from}";\n`)];
}

// Imports of a module: `import` in all its forms, and `require` at the top.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirImport, HirPattern, HirStatement } from "../hir";
import { textOf } from "../textRuns";
import { stringValue } from "./literals";
import { slice, spanOf, type Reading } from "./reading";

/** An import for its effects alone gives none. Imports of types are kept: they say what parameters are. */
export function readImport(reading: Reading, node: SyntaxNode): readonly HirImport[] {
  const required = node.children.find((child) => child.type === "import_require_clause");
  const source = childOf(required ?? node, "source");
  if (source === undefined) return [];
  const from = stringValue(reading, source);
  const one = (at: SyntaxNode, local: string, imported: string): HirImport => {
    return { local, imported, from, span: spanOf(at) };
  };
  const clause = required ?? node.children.find((child) => child.type === "import_clause");
  return (clause ? namedChildren(clause) : []).flatMap((child): readonly HirImport[] => {
    if (child.type === "identifier") {
      return [one(child, slice(reading, child), required ? "*" : "default")];
    }
    if (child.type === "namespace_import") {
      const [name] = namedChildren(child);
      return name ? [one(child, slice(reading, name), "*")] : [];
    }
    if (child.type !== "named_imports") return [];
    return namedChildren(child).flatMap((specifier): readonly HirImport[] => {
      const name = childOf(specifier, "name");
      if (name === undefined) return [];
      const local = childOf(specifier, "alias") ?? name;
      return [one(specifier, slice(reading, local), exportedName(reading, name))];
    });
  });
}

/** `export { "a b" as c }`: names may be strings. */
export function exportedName(reading: Reading, node: SyntaxNode): string {
  return node.type === "string" ? stringValue(reading, node) : slice(reading, node);
}

/** The imports of `const { a, b: c } = require("x")` and the like; undefined for any other statement. */
export function requiredBy(statement: HirStatement): readonly HirImport[] | undefined {
  if (statement.kind !== "let" || statement.value === undefined) return undefined;
  const { value, span } = statement;
  const isMember = value.kind === "member" && !value.optional;
  const from = requiredModule(isMember ? value.object : value);
  if (from === undefined) return undefined;
  const names = importedNames(statement.pattern, isMember ? value.property : undefined);
  return names?.map(({ local, imported }) => ({ local, imported, from, span }));
}

function requiredModule(value: NonNullable<(HirStatement & { kind: "let" })["value"]>) {
  if (value.kind !== "call" || value.callee.kind !== "name") return undefined;
  const [only] = value.arguments;
  if (value.callee.name !== "require" || value.arguments.length !== 1) return undefined;
  return only?.value.kind === "text" ? textOf(only.value.runs) : undefined;
}

type Names = readonly Pick<HirImport, "local" | "imported">[];

function importedNames(pattern: HirPattern, member: string | undefined): Names | undefined {
  if (pattern.kind === "bind") return [{ local: pattern.name, imported: member ?? "*" }];
  if (pattern.kind !== "object" || pattern.rest !== undefined || member !== undefined) {
    return undefined;
  }
  const names: Pick<HirImport, "local" | "imported">[] = [];
  for (const { key, pattern: inner } of pattern.entries) {
    if (typeof key !== "string" || inner.kind !== "bind") return undefined;
    names.push({ local: inner.name, imported: key });
  }
  return names;
}

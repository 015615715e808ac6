// The adapter of TypeScript and JavaScript: from a syntax tree of tree-sitter's grammars to the HIR.
import { isComment, type CodeTree, type SyntaxNode } from "../codeParsers";
import { depthLimit } from "../depthLimit";
import type { HirExport, HirImport, HirModule, HirStatement } from "../hir";
import type { Span } from "../../sql/split";
import { readClass } from "./classes";
import { exportedByAssignment, readExport } from "./exports";
import { readExpression } from "./expressions";
import { readFunction } from "./functions";
import { readImport, requiredBy } from "./imports";
import { readPattern } from "./patterns";
import { spanOf, unknown, type Reading } from "./reading";
import { readStatements } from "./statements";

/**
 * The module of a file. Never fails: what could not be parsed is in `errors`, and what of it can be read stands in the
 * body beside statements and expressions that are unknown. Linear in the tree.
 */
export function readTypeScript({ language, text, root }: CodeTree): HirModule {
  const reading = createReading(text);
  const imports: HirImport[] = [];
  const exports: HirExport[] = [];
  const body: HirStatement[] = [];
  const add = (statement: HirStatement): void => {
    const required = requiredBy(statement);
    const exported = required ? undefined : exportedByAssignment(statement);
    imports.push(...(required ?? []));
    exports.push(...(exported?.exports ?? []));
    if (exported) body.push(...exported.statements);
    else if (required === undefined) body.push(statement);
  };
  for (const node of topLevel(root)) {
    if (node.type === "import_statement") imports.push(...readImport(reading, node));
    else if (node.type === "export_statement") {
      const exported = readExport(reading, node);
      exports.push(...exported.exports);
      body.push(...exported.statements);
    } else reading.statements([node]).forEach(add);
  }
  return {
    language: language === "javascript" ? "javascript" : "typescript",
    imports,
    exports,
    body,
    ...aside(root),
  };
}

/** A text that could not be parsed as a whole has an error at its root, with statements in it. */
function topLevel(root: SyntaxNode): readonly SyntaxNode[] {
  return root.type === "ERROR" ? [root] : root.children;
}

function createReading(text: string): Reading {
  const deeper = depthLimit();
  const reading: Reading = {
    text,
    expression: (node, name) =>
      deeper(
        () => readExpression(reading, node, name),
        () => unknown(node, "nested too deeply"),
      ),
    pattern: (node) =>
      deeper(
        () => readPattern(reading, node),
        () => ({
          kind: "place",
          place: unknown(node, "nested too deeply"),
          span: spanOf(node),
        }),
      ),
    statements: (nodes) =>
      deeper(
        () => readStatements(reading, nodes),
        () =>
          nodes.slice(0, 1).map((node) => ({
            kind: "unknown",
            what: "nested too deeply",
            parts: [],
            span: spanOf(node),
          })),
      ),
    function: (node, name, annotations) => readFunction(reading, node, name, annotations),
    class: (node, name, annotations) => readClass(reading, node, name, annotations),
  };
  return reading;
}

/** Comments and errors, wherever they stand; without recursion. */
function aside(root: SyntaxNode): Pick<HirModule, "comments" | "errors"> {
  const comments: Span[] = [];
  const errors: Span[] = [];
  const open: SyntaxNode[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (isComment(node)) comments.push(spanOf(node));
    if (node.type === "ERROR" || node.isMissing) errors.push(spanOf(node));
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at];
      if (child) open.push(child);
    }
  }
  return { comments, errors };
}

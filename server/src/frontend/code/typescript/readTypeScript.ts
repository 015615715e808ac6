// The adapter of TypeScript and JavaScript: from a syntax tree of tree-sitter's grammars to the HIR.
import { isComment, type CodeTree, type SyntaxNode } from "../workspace/codeParsers";
import { depthLimit } from "../depthLimit";
import type { HirExport, HirExpression, HirImport, HirModule, HirStatement } from "../hir";
import { moduleOfParts, type ModulePart } from "../modules/moduleParts";
import type { Span } from "../../sql/text/split";
import { readClass } from "./classes";
import { exportedByAssignment, readExport } from "./exports";
import { readExpression } from "./expressions";
import { readFunction } from "./functions";
import { readImport, requiredBy } from "./imports";
import { readPattern } from "./patterns";
import { slice, spanOf, type Reading } from "./reading";
import { readStatements } from "./statements";

/**
 * The module of a file. Never fails: what could not be parsed is in `errors`, and what of it can be read stands in the
 * body beside statements and expressions that are unknown. Linear in the tree.
 */
export function readTypeScript(tree: CodeTree): HirModule {
  return moduleOfParts(tree.language, readParts(tree));
}

/** The parts of the module, in order; those that `known` has are not read. */
export function readParts(
  { text, root }: CodeTree,
  known: (node: SyntaxNode) => ModulePart | undefined = () => undefined,
): readonly ModulePart[] {
  const tooDeep: Span[] = [];
  const reading = createReading(text, tooDeep);
  return topLevel(root).map((node) => {
    const part = known(node) ?? readPart(reading, node);
    const unread = tooDeep.splice(0);
    return unread.length === 0 ? part : { ...part, errors: [...part.errors, ...unread] };
  });
}

function readPart(reading: Reading, node: SyntaxNode): ModulePart {
  const { type, start } = node;
  const place = { type, start, text: slice(reading, node), ...aside(node) };
  if (type === "import_statement") {
    return { ...place, imports: readImport(reading, node), exports: [], body: [] };
  }
  if (type === "export_statement") {
    const { exports, statements } = readExport(reading, node);
    return { ...place, imports: [], exports, body: statements };
  }
  const imports: HirImport[] = [];
  const exports: HirExport[] = [];
  const body: HirStatement[] = [];
  for (const statement of reading.statements([node])) {
    const required = requiredBy(statement);
    const exported = required ? undefined : exportedByAssignment(statement);
    imports.push(...(required ?? []));
    exports.push(...(exported?.exports ?? []));
    if (exported) body.push(...exported.statements);
    else if (required === undefined) body.push(statement);
  }
  return { ...place, imports, exports, body };
}

/** A text that could not be parsed as a whole has an error at its root, with statements in it. */
function topLevel(root: SyntaxNode): readonly SyntaxNode[] {
  return root.type === "ERROR" ? [root] : root.children;
}

/** Stands for an expression or a statement. */
type Unread = HirExpression & HirStatement & { readonly kind: "unknown" };

/** Places that are nested too deeply to be read are added to `tooDeep`. */
function createReading(text: string, tooDeep: Span[]): Reading {
  const deeper = depthLimit();
  const unread = (node: SyntaxNode): Unread => {
    const span = spanOf(node);
    tooDeep.push(span);
    return { kind: "unknown", what: "nested too deeply", parts: [], span };
  };
  const reading: Reading = {
    text,
    expression: (node, name) =>
      deeper(
        () => readExpression(reading, node, name),
        () => unread(node),
      ),
    pattern: (node) =>
      deeper(
        () => readPattern(reading, node),
        () => ({ kind: "place", place: unread(node), span: spanOf(node) }),
      ),
    statements: (nodes) =>
      deeper(
        () => readStatements(reading, nodes),
        () => nodes.map(unread).slice(0, 1),
      ),
    function: (node, name, annotations) => readFunction(reading, node, name, annotations),
    class: (node, name, annotations) => readClass(reading, node, name, annotations),
  };
  return reading;
}

/** Comments and errors, wherever they stand, in order; without recursion. */
function aside(root: SyntaxNode): Pick<HirModule, "comments" | "errors"> {
  const comments: Span[] = [];
  let hasErrors = false;
  const open: SyntaxNode[] = [];
  const look = (node: SyntaxNode): void => {
    if (isComment(node)) comments.push(spanOf(node));
    hasErrors ||= isError(node);
    // Nodes with children come after those without, wherever they stand.
    if (node.children.length > 0) open.push(node);
  };
  look(root);
  for (let node = open.pop(); node; node = open.pop())
    for (const child of node.children) look(child);
  comments.sort((a, b) => a.start - b.start);
  return { comments, errors: hasErrors ? errorsIn(root) : [] };
}

/** Outer ones first. */
function errorsIn(root: SyntaxNode): readonly Span[] {
  const errors: Span[] = [];
  const open: SyntaxNode[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (isError(node)) errors.push(spanOf(node));
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at];
      if (child) open.push(child);
    }
  }
  return errors;
}

function isError({ type, isMissing }: SyntaxNode): boolean {
  return isMissing || type === "ERROR";
}

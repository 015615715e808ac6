// A Java file's syntax tree as HIR. Types are kept as written; names of fields and methods get the receiver that the
// language leaves out.
import { isComment, namedChildren, type CodeTree, type SyntaxNode } from "../workspace/codeParsers";
import { depthLimit } from "../depthLimit";
import type {
  HirClass,
  HirExport,
  HirExpression,
  HirImport,
  HirModule,
  HirStatement,
} from "../hir";
import type { Span } from "../../sql/text/split";
import { readAnnotations, readAnonymousClass, readClass } from "./classes";
import { declaredClasses, isClassDeclaration, membersOf } from "./declarations";
import { readExpression } from "./expressions";
import { spanOf, textOf, type JavaReader } from "./reader";
import { type FileNames, type Scope } from "./scope";
import { readBlock, readStatements } from "./statements";

/** Never throws; what could not be parsed is said in `errors` and left out, what is around it is kept. Linear. */
export function readJava({ root, text }: CodeTree): HirModule {
  const tooDeep: Span[] = [];
  const reader = readerOf(text, tooDeep);
  const top = topLevel(root);
  const imports = top
    .filter(({ type }) => type === "import_declaration")
    .flatMap((node) => readImport(reader, node));
  const scope: Scope = { file: namesOf(root, text, imports), variables: new Map() };
  const body = top.flatMap((node): readonly HirStatement[] =>
    isClassDeclaration(node)
      ? [{ kind: "class", class: reader.class(node, scope), span: spanOf(node) }]
      : node.type === "ERROR"
        ? brokenClass(reader, node, scope)
        : [],
  );
  const packaged = top.find(({ type }) => type === "package_declaration");
  const [name] = packaged ? namedChildren(packaged).filter(isName) : [];
  const { comments, errors } = notes(root);
  return {
    language: "java",
    ...(name && { package: textOf(reader, name) }),
    imports,
    exports: body.flatMap((statement): readonly HirExport[] =>
      statement.kind === "class" && statement.class.name !== undefined
        ? [{ name: statement.class.name, local: statement.class.name, span: statement.span }]
        : [],
    ),
    body,
    comments,
    errors: [...errors, ...tooDeep],
  };
}

/** Places that are nested too deeply to be read are added to `tooDeep`. */
function readerOf(text: string, tooDeep: Span[]): JavaReader {
  const nowhere = { start: 0, end: 0 };
  const unread = (span: Span): HirExpression & HirStatement => {
    tooDeep.push(span);
    return { kind: "unknown", what: "too deeply nested", parts: [], span };
  };
  const reader: JavaReader = {
    text,
    hasLombok: /\blombok\s*\./u.test(text),
    expression: (node, scope) =>
      node === undefined
        ? { kind: "unknown", what: "missing", parts: [], span: nowhere }
        : reader.deeper(
            () => readExpression(reader, node, scope),
            () => unread(spanOf(node)),
          ),
    block: (node, scope) => readBlock(reader, node, scope),
    statements: (nodes, scope) =>
      reader.deeper(
        () => readStatements(reader, nodes, scope),
        () => (nodes.length === 0 ? [] : [unread(around(nodes))]),
      ),
    class: (node, scope) =>
      reader.deeper(
        () => readClass(reader, node, scope),
        () => emptyClass(unread(spanOf(node)).span),
      ),
    anonymousClass: (node, superclass, scope) =>
      reader.deeper(
        () => readAnonymousClass(reader, node, superclass, scope),
        () => emptyClass(unread(spanOf(node)).span),
      ),
    annotations: (node, scope) => readAnnotations(reader, node, scope),
    deeper: depthLimit(),
  };
  return reader;
}

function around(nodes: readonly SyntaxNode[]): Span {
  return { start: nodes[0]?.start ?? 0, end: nodes.at(-1)?.end ?? 0 };
}

function emptyClass(span: Span): HirClass {
  return {
    header: span,
    interfaces: [],
    isInterface: false,
    fields: [],
    methods: [],
    classes: [],
    annotations: [],
    span,
  };
}

/** Declarations of the file; those inside a part that could not be parsed stay in it. */
function topLevel(root: SyntaxNode): readonly SyntaxNode[] {
  return root.type === "ERROR" ? [...namedChildren(root), root] : namedChildren(root);
}

function isName({ type }: SyntaxNode): boolean {
  return type === "identifier" || type === "scoped_identifier";
}

/**
 * `import a.b.C` is `C` of `a.b.C`, `import static a.b.C.x` is `x` of `a.b.C`; `*` stands for all classes of a package,
 * or all static members of a class.
 */
function readImport(reader: JavaReader, node: SyntaxNode): readonly HirImport[] {
  const path = namedChildren(node).find(isName);
  if (path === undefined) return [];
  const written = textOf(reader, path).replace(/\s+/gu, "");
  const isStatic = node.children.some(({ type }) => type === "static");
  const span = spanOf(node);
  const marked = isStatic && { isStatic };
  if (node.children.some(({ type }) => type === "asterisk")) {
    return [{ local: "*", imported: "*", from: written, ...marked, span }];
  }
  const name = written.slice(written.lastIndexOf(".") + 1);
  const from = isStatic ? written.slice(0, Math.max(0, written.length - name.length - 1)) : written;
  return [{ local: name, imported: name, from, ...marked, span }];
}

function namesOf(root: SyntaxNode, text: string, imports: readonly HirImport[]): FileNames {
  const fromClasses = imports.filter(({ isStatic }) => isStatic === true);
  return {
    classes: declaredClasses(root, text),
    staticImports: new Set(fromClasses.map(({ local }) => local).filter((name) => name !== "*")),
    hasStaticStar: fromClasses.some(({ local }) => local === "*"),
  };
}

/** A class whose end or head is missing: its members that can be read, under the name behind `class`. */
function brokenClass(reader: JavaReader, node: SyntaxNode, scope: Scope): readonly HirStatement[] {
  const keyword = node.children.findIndex(({ type }) => KEYWORDS.has(type));
  const name = keyword === -1 ? undefined : node.children[keyword + 1];
  const members = membersOf(node).filter(({ type }) => /_declaration$|^static_/u.test(type));
  if (name?.type !== "identifier" || members.length === 0) return [];
  const span = spanOf(node);
  const head = node.children.slice(0, keyword + 2);
  const header = { start: head[0]?.start ?? span.start, end: name.end };
  const inner: SyntaxNode = {
    type: "class_declaration",
    isNamed: true,
    start: header.start,
    end: node.end,
    field: undefined,
    isMissing: false,
    children: [
      ...node.children.slice(0, keyword + 1).filter(({ type }) => type === "modifiers"),
      { ...name, field: "name" },
      ...node.children.filter(({ type }) => type === "superclass" || type === "super_interfaces"),
      { ...node, type: "class_body", field: "body", children: members },
    ],
  };
  return [{ kind: "class", class: reader.class(inner, scope), span: { start: header.start, end: node.end } }]; // prettier-ignore
}

const KEYWORDS: ReadonlySet<string> = new Set(["class", "interface", "enum", "record"]);

/** Comments, and where the text could not be parsed or something is missing. */
function notes(root: SyntaxNode): Pick<HirModule, "comments" | "errors"> {
  const comments: Span[] = [];
  const errors: Span[] = [];
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isComment(node)) comments.push(spanOf(node));
    if (node.type === "ERROR" || node.isMissing) errors.push(spanOf(node));
    for (let i = node.children.length - 1; i >= 0; i -= 1) {
      const child = node.children[i];
      if (child) waiting.push(child);
    }
  }
  return { comments, errors };
}

// Loads tree-sitter's runtime and grammars, compiled to WebAssembly, and turns its trees into plain data. Grammars are
// loaded when the first text of their language comes.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Edit, Language, Parser, type Point, type Tree, type TreeCursor } from "web-tree-sitter";
import type {
  CodeLanguage,
  CodeParsers,
  CodeTree,
  ParseOptions,
  SyntaxNode,
} from "../frontend/code/codeParsers";
import { withoutTemplateTypes } from "../frontend/code/typescript/templateTypes";

/** The parsers. Rejects when the runtime's WASM file is missing or does not fit. */
export async function loadCodeParsers(): Promise<CodeParsers> {
  const runtime = readFileSync(findFile("web-tree-sitter", "web-tree-sitter.wasm"));
  await Parser.init({ wasmBinary: new Uint8Array(runtime) });
  const grammars = new Map<CodeLanguage, Grammar | undefined>();
  const kept = new WeakMap<CodeTree, Kept>();

  function grammarOf(language: CodeLanguage): Grammar | undefined {
    const known = grammars.get(language);
    if (known !== undefined || grammars.has(language)) return known;
    const loaded = loadGrammar(language);
    grammars.set(language, loaded);
    return loaded;
  }

  return {
    parse(language, text, { old, keep = false, isKnown } = {}) {
      const grammar = grammarOf(language);
      if (grammar === undefined) return undefined;
      const before = old?.language === language ? takeKept(kept, old) : undefined;
      try {
        const source = sourceFor(language, text);
        before?.tree.edit(editBetween(before.source, source));
        const tree = before
          ? parseAgain(grammar, source, before.tree)
          : parseInTime(grammar, source);
        if (tree === null) return undefined;
        const root = plainTree(tree.walk(), grammar, isKnown);
        const result: CodeTree = { language, text, root };
        if (keep) kept.set(result, { tree, source });
        else tree.delete();
        return result;
      } catch (error) {
        // WebAssembly's own errors: no memory, or a trap. The next text starts afresh.
        if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) {
          throw error;
        }
        grammars.delete(language);
        return undefined;
      } finally {
        before?.tree.delete();
      }
    },
  };
}

/** Milliseconds that one text may take; normal files take less than a tenth of a second. */
const LONGEST_PARSE = 2000;

/** What a later parse starts from. */
interface Kept {
  readonly tree: Tree;
  /** What the parser was given. */
  readonly source: string;
}

/** What the parser is given: as long as the text, with what its grammar does not know blanked out. */
function sourceFor(language: CodeLanguage, text: string): string {
  return language === "typescript" || language === "tsx" ? withoutTemplateTypes(text) : text;
}

interface Grammar {
  readonly parser: Parser;
  readonly types: readonly string[];
  readonly isNamed: readonly boolean[];
  readonly fields: readonly (string | null)[];
}

/** Undefined when its file is missing or does not fit. */
function loadGrammar(name: CodeLanguage): Grammar | undefined {
  let language: Language;
  try {
    const bytes = readFileSync(
      findFile("@vscode/tree-sitter-wasm", `wasm/tree-sitter-${name}.wasm`),
    );
    language = Language.loadSync(new WebAssembly.Module(new Uint8Array(bytes)));
  } catch {
    // The caller gets no tree of any text in it, and says so.
    return undefined;
  }
  const parser = new Parser();
  parser.setLanguage(language);
  const isNamed = language.types.map((_type, id) => language.nodeTypeIsNamed(id));
  return { parser, types: language.types, isNamed, fields: language.fields };
}

/** In a bundle beside the script, else where the package is installed. */
function findFile(packageName: string, file: string): string {
  const beside = path.join(__dirname, path.basename(file));
  if (existsSync(beside)) return beside;
  const own = createRequire(__filename);
  for (const folder of own.resolve.paths(packageName) ?? []) {
    const installed = path.join(folder, packageName, file);
    if (existsSync(installed)) return installed;
  }
  throw new Error(`${path.basename(file)} is missing`);
}

function takeKept(kept: WeakMap<CodeTree, Kept>, old: CodeTree): Kept | undefined {
  const found = kept.get(old);
  kept.delete(old);
  return found;
}

/** How a parser finds its way out of an error depends on the tree that it starts from: such texts are parsed afresh. */
function parseAgain(grammar: Grammar, text: string, before: Tree): Tree | null {
  const tree = parseInTime(grammar, text, before);
  if (tree?.rootNode.hasError !== true) return tree;
  tree.delete();
  return parseInTime(grammar, text);
}

function parseInTime({ parser }: Grammar, text: string, before?: Tree): Tree | null {
  const end = performance.now() + LONGEST_PARSE;
  const tree = parser.parse(text, before, { progressCallback: () => performance.now() > end });
  // What was given up would be resumed with the next text.
  if (tree === null) parser.reset();
  return tree;
}

/**
 * The whole tree below a cursor as plain data, but for what is known of it; without recursion: trees may be as deep as
 * texts are long.
 */
function plainTree(
  cursor: TreeCursor,
  { types, isNamed, fields }: Grammar,
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
      // The node itself is added when the cursor comes back to it.
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

/** The one edit that makes `after` of `before`: all between what both begin with and what both end with. */
function editBetween(before: string, after: string): Edit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let same = 0;
  const most = shorter - start;
  while (
    same < most &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  ) {
    same += 1;
  }
  const oldEndIndex = before.length - same;
  const newEndIndex = after.length - same;
  return new Edit({
    startIndex: start,
    oldEndIndex,
    newEndIndex,
    startPosition: pointAt(before, start),
    oldEndPosition: pointAt(before, oldEndIndex),
    newEndPosition: pointAt(after, newEndIndex),
  });
}

function pointAt(text: string, offset: number): Point {
  let row = 0;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    row += 1;
    lineStart = at + 1;
  }
  return { row, column: offset - lineStart };
}

// Parses code with tree-sitter's grammars and converts the trees to plain data. Grammars are loaded on the first text of their language.
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Edit, Language, Parser, Point, Tree } from "web-tree-sitter";
import { ofNode } from "../query/nodes";
import type {
  CodeLanguage,
  CodeParsers,
  CodeTree,
  ParseOptions,
  SyntaxNode,
} from "../frontend/code/workspace/codeParsers";
import { withoutTemplateTypes } from "../frontend/code/typescript/templateTypes";
import { isTreeOf, treeAt, treeTables, type RuntimeMemory, type TreeTables } from "./runtimeTrees";
import { grammarModule, openRuntimes, type TreeSitterRuntime } from "./treeSitterRuntime";
import { walkedTree, type GrammarNames } from "./walkedTrees";

/** The parsers. Rejects if the runtime's WASM file is missing or unsuitable. */
export async function loadCodeParsers(): Promise<CodeParsers> {
  const runtimes = await openRuntimes();
  const kept = new WeakMap<CodeTree, Kept>();

  return {
    parse(language, text, { old, keep = false, isKnown } = {}) {
      const before = old?.language === language ? takeKept(kept, old) : undefined;
      const runtime = runtimes.current();
      if (runtime === undefined || failing.has(language, text)) return undefined;
      try {
        const grammar = grammarOf(runtime, language);
        if (grammar === undefined) return undefined;
        const source = sourceFor(language, text);
        // A tree disappears with its runtime.
        const earlier = before?.runtime === runtime ? before : undefined;
        earlier?.tree.edit(editBetween(runtime.script, earlier.source, source));
        const tree = earlier
          ? parseAgain(grammar, source, earlier.tree)
          : parseInTime(grammar, source);
        earlier?.tree.delete();
        if (tree === null) return undefined;
        const root = plainTree(tree, grammar, isKnown);
        const result: CodeTree = { language, text, root };
        if (keep) kept.set(result, { tree, source, runtime });
        else tree.delete();
        return result;
      } catch (error) {
        // WebAssembly errors: out of memory, or a trap.
        if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) {
          throw error;
        }
        runtimes.discard(runtime);
        failing.add(language, text);
        return undefined;
      }
    },
  };
}

/** Texts that made a runtime trap; they are not tried again. */
const failing = failingTexts();

function failingTexts(): {
  has(language: CodeLanguage, text: string): boolean;
  add(language: CodeLanguage, text: string): void;
} {
  const digests = new Set<string>();
  const digest = (language: CodeLanguage, text: string): string =>
    createHash("sha256").update(`${language}:${text}`).digest("base64");
  return {
    has: (language, text) => digests.size > 0 && digests.has(digest(language, text)),
    add: (language, text) => digests.add(digest(language, text)),
  };
}

/** The loaded grammars of each runtime. */
const grammarsOf = ofNode(
  (_runtime: TreeSitterRuntime) => new Map<CodeLanguage, Grammar | undefined>(),
);

function grammarOf(runtime: TreeSitterRuntime, language: CodeLanguage): Grammar | undefined {
  const own = grammarsOf(runtime);
  if (!own.has(language)) own.set(language, loadGrammar(runtime, language));
  return own.get(language);
}

/**
 * Processor milliseconds of the process per text, whose other threads count as well; normal files take less than a tenth of a second. On a
 * busy machine wall time would give up on files that others read.
 */
const LONGEST_PARSE = 4000;

/** The runtime asks half a million times for a megabyte, and the answer costs microseconds. */
const CALLS_PER_LOOK = 256;

/** The starting point of an incremental parse. */
interface Kept {
  readonly tree: Tree;
  /** The text that the parser got. */
  readonly source: string;
  readonly runtime: TreeSitterRuntime;
}

/** The text for the parser: of the same length, with constructs outside of its grammar blanked. */
function sourceFor(language: CodeLanguage, text: string): string {
  return language === "typescript" || language === "tsx" ? withoutTemplateTypes(text) : text;
}

interface Grammar extends GrammarNames {
  readonly parser: Parser;
  /** Direct access to the runtime's memory; undefined to walk trees node by node. */
  readonly direct?: { readonly memory: RuntimeMemory; readonly tables: TreeTables } | undefined;
}

/** Loads a grammar; undefined if its file is missing or unsuitable. */
function loadGrammar(
  { script, memory }: TreeSitterRuntime,
  name: CodeLanguage,
): Grammar | undefined {
  let language: Language;
  try {
    language = script.Language.loadSync(grammarModule(name));
  } catch {
    // The caller reports texts in this language as unread.
    return undefined;
  }
  const parser = new script.Parser();
  parser.setLanguage(language);
  const isNamed = language.types.map((_type, id) => language.nodeTypeIsNamed(id));
  const grammar: Grammar = { parser, types: language.types, isNamed, fields: language.fields };
  return { ...grammar, direct: directly(grammar, language, memory) };
}

/** Direct access; undefined if the memory layout is not as expected. */
function directly(
  grammar: Grammar,
  language: Language,
  memory: Partial<RuntimeMemory>,
): Grammar["direct"] {
  if (!isMemory(memory)) return undefined;
  const address = addressOf(language);
  if (address === undefined) return undefined;
  const tables = treeTables(memory, address, grammar);
  if (!tables) return undefined;
  const isRight = SAMPLES.every((sample) => {
    const tree = parseInTime(grammar, sample);
    const at = tree === null ? undefined : addressOf(tree);
    if (tree === null || at === undefined || !isTreeOf(memory, at, address)) return false;
    const read = treeAt(memory, at, tables, undefined);
    const asked = walkedTree(tree.walk(), grammar, undefined);
    tree.delete();
    return isDeepStrictEqual(read, asked);
  });
  return isRight ? { memory, tables } : undefined;
}

/** Sample texts; each has errors in the grammars of other languages. */
const SAMPLES = [
  `// a\nimport b, { c as d } from "e";
export class F extends G { async *h({ i = 1, ...j }, k) { for (const l of k) if (l?.[0] == null) return \`m\${l}\`; else l.n(...j, /o/g); } }
p(q;`,
  `package a; class B<C> extends D { /* e */ @F(g = 1) int h = 2, i; void j(int... k) throws L { for (int m : k) { this.h += m; } } }`,
  `const a = async <B,>(c: Array<B>, d?: "é"): Promise<void> => <E f={c}>{...d} text</E> as G;`,
];

function isMemory(memory: Partial<RuntimeMemory>): memory is RuntimeMemory {
  const { HEAPU8, HEAPU16, HEAPU32 } = memory;
  return [HEAPU8, HEAPU16, HEAPU32].every((each) => ArrayBuffer.isView(each));
}

/** The address of a runtime object, stored in its first field. */
function addressOf(held: Language | Tree): number | undefined {
  const address: unknown = Reflect.get(held, 0);
  return typeof address === "number" ? address : undefined;
}

function takeKept(kept: WeakMap<CodeTree, Kept>, old: CodeTree): Kept | undefined {
  const found = kept.get(old);
  kept.delete(old);
  return found;
}

/** Error recovery depends on the previous tree, so texts with errors are parsed afresh. */
function parseAgain(grammar: Grammar, text: string, before: Tree): Tree | null {
  const tree = parseInTime(grammar, text, before);
  if (tree?.rootNode.hasError !== true) return tree;
  tree.delete();
  return parseInTime(grammar, text);
}

function parseInTime({ parser }: Grammar, text: string, before?: Tree): Tree | null {
  const end = processorTime() + LONGEST_PARSE;
  let calls = 0;
  const progressCallback = (): boolean => ++calls % CALLS_PER_LOOK === 0 && processorTime() > end;
  const tree = parser.parse(text, before, { progressCallback });
  // A cancelled parse would be resumed with the next text.
  if (tree === null) parser.reset();
  return tree;
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function plainTree(tree: Tree, grammar: Grammar, isKnown: ParseOptions["isKnown"]): SyntaxNode {
  const { direct } = grammar;
  const address = addressOf(tree);
  return direct && address !== undefined
    ? treeAt(direct.memory, address, direct.tables, isKnown)
    : walkedTree(tree.walk(), grammar, isKnown);
}

/** A single edit from `before` to `after`: everything between their common prefix and suffix. */
function editBetween({ Edit }: TreeSitterRuntime["script"], before: string, after: string): Edit {
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

// Syntax trees of application code as plain data, and what makes them. The core does not load grammars: whoever runs
// it passes the parsers in.
import { dictionary } from "../../../protocol/dictionary";

/** A grammar. `javascript` knows JSX, `typescript` does not: files that end in .tsx have a grammar of their own. */
export type CodeLanguage = "typescript" | "tsx" | "javascript" | "java";

/** A node of a concrete syntax tree; names of types and fields are the grammar's. */
export interface SyntaxNode {
  /** `ERROR` where the text could not be parsed. */
  readonly type: string;
  /** Not a keyword, an operator or punctuation. */
  readonly isNamed: boolean;
  /** Offsets in the text (UTF-16). */
  readonly start: number;
  readonly end: number;
  /** The node's role for its parent. */
  readonly field: string | undefined;
  /** All of them: keywords, punctuation and comments as well. */
  readonly children: readonly SyntaxNode[];
  /** It does not stand in the text: the parser went on as if it did. */
  readonly isMissing: boolean;
}

export interface CodeTree {
  readonly language: CodeLanguage;
  readonly text: string;
  readonly root: SyntaxNode;
}

export interface ParseOptions {
  /** An earlier tree of the same file that was kept; what did not change is not parsed again. It is used up by this. */
  readonly old?: CodeTree;
  /** Keep what a later parse can start from (memory outside of the heap, some ten bytes per character). */
  readonly keep?: boolean;
  /**
   * Asked of each node below the root that has no error inside: whether it is known already. Such a node comes without
   * its children. Not asked where the text as a whole could not be parsed.
   */
  readonly isKnown?: (type: string, start: number, end: number) => boolean;
}

export interface CodeParsers {
  /**
   * The tree of a text; every text has one. `undefined` when the parser gives up (time, memory) or when the grammar is
   * not there. Linear for texts with few errors.
   */
  parse(language: CodeLanguage, text: string, options?: ParseOptions): CodeTree | undefined;
}

/** The grammar of a file by its name; undefined for files that hold no code we read. */
export function codeLanguageOf(file: string): CodeLanguage | undefined {
  const extension = /\.([a-z]+)$/iu.exec(file)?.[1]?.toLowerCase();
  return extension === undefined || /\.d\.[mc]?ts$/iu.test(file) ? undefined : LANGUAGES[extension];
}

const LANGUAGES = dictionary<CodeLanguage>({
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  java: "java",
});

/** The child in a field; the first one where several are. */
export function childOf(node: SyntaxNode, field: string): SyntaxNode | undefined {
  return node.children.find((child) => child.field === field);
}

/** Named children without comments. */
export function namedChildren(node: SyntaxNode): readonly SyntaxNode[] {
  return node.children.filter((child) => child.isNamed && !isComment(child));
}

export function isComment({ type }: SyntaxNode): boolean {
  return type === "comment" || type === "line_comment" || type === "block_comment";
}

// Reads trees where tree-sitter's runtime keeps them: in its memory, without a call for every node. The layout is that of
// the runtime that is installed and of no other: whoever uses this compares it with the runtime's own answers first.
import type { ParseOptions, SyntaxNode } from "../frontend/code/workspace/codeParsers";
import type { GrammarNames } from "./walkedTrees";

/** The runtime's memory as it is now; it grows with what is parsed. */
export interface RuntimeMemory {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU16: Uint16Array;
  readonly HEAPU32: Uint32Array;
}

/** Tables of the numbers in a grammar's trees. */
export interface TreeTables {
  /** The name of a type, by the number that trees have for it. */
  readonly types: readonly string[];
  readonly isNamed: readonly boolean[];
  /** The other name that a child has below a production, by `production * most + child`; 0: its own. */
  readonly aliases: Uint16Array;
  readonly most: number;
  /** The names of a production's children; undefined where it gives them none. */
  readonly fields: readonly (readonly (string | undefined)[] | undefined)[];
}

/** True if what is at an address says that it is a tree of the grammar at another one. */
export function isTreeOf({ HEAPU32: u32 }: RuntimeMemory, tree: number, language: number): boolean {
  return u32[(tree + ENTRY) >> 2] === language;
}

/** The tables of the grammar at an address; undefined where none can be there. */
export function treeTables(
  { HEAPU8: u8, HEAPU16: u16, HEAPU32: u32 }: RuntimeMemory,
  address: number,
  names: GrammarNames,
): TreeTables | undefined {
  const word = (offset: number): number => u32[(address + offset) >> 2] ?? 0;
  const half = (at: number): number => u16[at >> 1] ?? 0;
  const symbols = word(LANGUAGE.symbols) + word(LANGUAGE.aliases);
  const productions = word(LANGUAGE.productions);
  if (word(LANGUAGE.version) > NEWEST || Math.max(symbols, productions) > MOST) return undefined;
  const most = half(address + LANGUAGE.mostAliases);
  const shown = Array.from(u16.subarray(word(LANGUAGE.shownSymbols) >> 1).subarray(0, symbols));
  const sequences = word(LANGUAGE.aliasSequences) >> 1;
  const [slices, entries] = [word(LANGUAGE.fieldSlices), word(LANGUAGE.fieldEntries)];
  const fields = Array.from({ length: productions }, (_none, production) => {
    const slice = slices + production * 4;
    const [first, count] = [half(slice), half(slice + 2)];
    const own: (string | undefined)[] = [];
    for (let at = first; at < first + count; at += 1) {
      const entry = entries + at * 4;
      const child = u8[entry + 2] ?? 0;
      const isInherited = u8[entry + 3] !== 0;
      if (!isInherited) own[child] ??= names.fields[half(entry)] ?? undefined;
    }
    return own.length === 0 ? undefined : own;
  });
  return {
    types: shown.map((id) => names.types[id] ?? ERROR),
    isNamed: shown.map((id) => names.isNamed[id] ?? true),
    aliases: u16.slice(sequences, sequences + productions * most),
    most,
    fields: word(LANGUAGE.fieldCount) === 0 ? [] : fields,
  };
}

/** Offsets in the description of a grammar (`TSLanguage`). */
const LANGUAGE = {
  version: 0,
  symbols: 4,
  aliases: 8,
  productions: 28,
  fieldCount: 32,
  mostAliases: 36,
  fieldSlices: 64,
  fieldEntries: 68,
  shownSymbols: 76,
  aliasSequences: 84,
};

/** The version of such descriptions that this one is of. */
const NEWEST = 15;

/** Numbers in trees have two bytes. */
const MOST = 65_536;

/** Offsets in a node that stands for itself (`SubtreeHeapData`); its children stand before it. */
const NODE = {
  padding: 4,
  size: 16,
  errors: 32,
  children: 36,
  symbol: 40,
  shown: 48,
  production: 66,
};

/** Bytes of a node in the list of its parent: where it is, or all there is to say of a small one. */
const ENTRY = 8;

const ERROR = "ERROR";
const NO_CHILDREN: readonly SyntaxNode[] = [];

/** Level that is being read: the children of a node, or of one that is not shown and whose children stand for it. */
interface Level {
  /** The first child's index. */
  entries: number;
  count: number;
  /** The next child. */
  at: number;
  /** The next one of those that the grammar counts: comments may stand anywhere. */
  counted: number;
  /** In bytes. */
  position: number;
  /** Names of the children in the grammar. */
  fields: readonly (string | undefined)[] | undefined;
  aliases: number;
  /** Their field in the node that is shown. */
  outer: string | undefined;
  /** The children of the node that is shown, and how many of them are there. */
  into: Shown;
}

interface Shown {
  /** As long as it will be: lists that grow take far more room. */
  readonly children: SyntaxNode[];
  count: number;
}

/**
 * The whole tree at an address as plain data, but for what is known of it. Without recursion: trees may be as deep as
 * texts are long. Linear in the tree.
 */
export function treeAt(
  { HEAPU8: u8, HEAPU16: u16, HEAPU32: u32 }: RuntimeMemory,
  address: number,
  { types, isNamed, aliases, most, fields }: TreeTables,
  isKnown: ParseOptions["isKnown"],
): SyntaxNode {
  const top: Shown = { children: [], count: 0 };
  const levels: Level[] = [];
  let level: Level = {
    entries: address,
    count: 1,
    at: 0,
    counted: 0,
    position:
      (u8[address] ?? 0) & 1
        ? (u8[address + 6] ?? 0)
        : (u32[((u32[address >> 2] ?? 0) + NODE.padding) >> 2] ?? 0),
    fields: undefined,
    aliases: 0,
    outer: undefined,
    into: top,
  };
  /** The text could be parsed as a whole. */
  let isWhole = false;
  let ofRoot: Shown | undefined;
  for (;;) {
    if (level.at === level.count) {
      const above = levels.pop();
      if (above === undefined) break;
      level = above;
      continue;
    }
    const entry = level.entries + level.at * ENTRY;
    const first = level.at === 0;
    level.at += 1;
    let node = 0;
    let symbol: number;
    let padding: number;
    let size: number;
    let isShown: boolean;
    let isExtra: boolean;
    let isMissing: boolean;
    const bits = u8[entry] ?? 0;
    if ((bits & 1) === 1) {
      symbol = u8[entry + 1] ?? 0;
      padding = u8[entry + 6] ?? 0;
      size = u8[entry + 7] ?? 0;
      isShown = (bits & 2) !== 0;
      isExtra = (bits & 8) !== 0;
      isMissing = (bits & 32) !== 0;
    } else {
      node = u32[entry >> 2] ?? 0;
      symbol = u16[(node + NODE.symbol) >> 1] ?? 0;
      padding = u32[(node + NODE.padding) >> 2] ?? 0;
      size = u32[(node + NODE.size) >> 2] ?? 0;
      const flags = u16[(node + NODE.symbol + 4) >> 1] ?? 0;
      isShown = (flags & 1) !== 0;
      isExtra = (flags & 4) !== 0;
      isMissing = (flags & 512) !== 0;
    }
    const from = first ? level.position : level.position + padding;
    level.position = from + size;
    let field: string | undefined;
    if (!isExtra) {
      const alias = level.aliases === 0 ? 0 : (aliases[level.aliases + level.counted] ?? 0);
      if (alias !== 0) {
        symbol = alias;
        isShown = true;
      }
      field = level.fields?.[level.counted] ?? level.outer;
      level.counted += 1;
    }
    const count = node === 0 ? 0 : (u32[(node + NODE.children) >> 2] ?? 0);
    const shown = count === 0 ? 0 : (u32[(node + NODE.shown) >> 2] ?? 0);
    let into = level.into;
    if (isShown) {
      const start = from >> 1;
      const end = (from + size) >> 1;
      const type = types[symbol] ?? ERROR;
      const isPassed =
        isKnown !== undefined &&
        isWhole &&
        into === ofRoot &&
        !hasErrors(u32, node, isMissing) &&
        isKnown(type, start, end);
      const isOpen = shown > 0 && !isPassed;
      const children = isOpen ? new Array<SyntaxNode>(shown) : undefined;
      into.children[into.count] = {
        type,
        isNamed: isNamed[symbol] ?? true,
        start,
        end,
        field,
        children: children ?? NO_CHILDREN,
        isMissing: isMissing && start === end,
      };
      into.count += 1;
      if (into === top) isWhole = types[symbol] !== undefined;
      if (!children) continue;
      into = { children, count: 0 };
      ofRoot ??= into;
      field = undefined;
    } else if (shown === 0) continue;
    const production = u16[(node + NODE.production) >> 1] ?? 0;
    levels.push(level);
    level = {
      entries: node - count * ENTRY,
      count,
      at: 0,
      counted: 0,
      position: from,
      fields: fields[production],
      aliases: production * most,
      outer: field,
      into,
    };
  }
  const [root] = top.children;
  if (root === undefined) throw new Error("a tree without a root");
  return root;
}

function hasErrors(u32: Uint32Array, node: number, isMissing: boolean): boolean {
  return node === 0 ? isMissing : u32[(node + NODE.errors) >> 2] !== 0;
}

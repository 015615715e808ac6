// Reads trees directly from the memory of tree-sitter's runtime, without a call per node. The layout is specific to the installed runtime:
// callers must first compare the result with the runtime's own answers.
import type { ParseOptions, SyntaxNode } from "../frontend/code/workspace/codeParsers";
import type { GrammarNames } from "./walkedTrees";

/** The runtime's current memory; it grows with parsing. */
export interface RuntimeMemory {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU16: Uint16Array;
  readonly HEAPU32: Uint32Array;
}

/** Tables for the numbers in a grammar's trees. */
export interface TreeTables {
  /** The name of each node type. */
  readonly types: readonly string[];
  readonly isNamed: readonly boolean[];
  /** The alias of a child in a production, at `production * most + child`; 0 for none. */
  readonly aliases: Uint16Array;
  readonly most: number;
  /** The field names of a production's children; undefined if it has none. */
  readonly fields: readonly (readonly (string | undefined)[] | undefined)[];
}

/** True if the data at an address claims to be a tree of the grammar at the other one. */
export function isTreeOf({ HEAPU32: u32 }: RuntimeMemory, tree: number, language: number): boolean {
  return u32[(tree + ENTRY) >> 2] === language;
}

/** The tables of the grammar at an address; undefined if there cannot be one. */
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

/** Offsets in a grammar description (`TSLanguage`). */
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

/** The supported version of grammar descriptions. */
const NEWEST = 15;

/** Numbers in trees have two bytes. */
const MOST = 65_536;

/** Offsets in a heap node (`SubtreeHeapData`); its children precede it. */
const NODE = {
  padding: 4,
  size: 16,
  errors: 32,
  children: 36,
  symbol: 40,
  shown: 48,
  production: 66,
};

/** Size of an entry in the parent's list: a pointer to the node, or an inline small node. */
const ENTRY = 8;

const ERROR = "ERROR";
const NO_CHILDREN: readonly SyntaxNode[] = [];

/** The level being read: the children of a node, or of a hidden node whose children replace it. */
interface Level {
  /** The index of the first child. */
  entries: number;
  count: number;
  /** The next child. */
  at: number;
  /** The next child as counted by the grammar, without comments and other extras. */
  counted: number;
  /** In bytes. */
  position: number;
  /** Field names of the children in the grammar. */
  fields: readonly (string | undefined)[] | undefined;
  aliases: number;
  /** Their field in the visible parent. */
  outer: string | undefined;
  /** The children of the visible node, and their number so far. */
  into: Shown;
}

interface Shown {
  /** Allocated at its final length: growing lists take far more memory. */
  readonly children: SyntaxNode[];
  count: number;
}

/**
 * The whole tree at an address as plain data, reusing known nodes. Iterative: trees may be as deep as texts are long. Linear in the tree.
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
  /** False if the text could not be parsed completely. */
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

// The parts that a module is read in: what stands at its top, each by itself. An edit changes one of them; the others are
// used again at their new places.
import type { Span } from "../../sql/text/split";
import type { CodeLanguage } from "../workspace/codeParsers";
import type { HirExport, HirImport, HirModule, HirStatement } from "../hir";
import { shift, movedPart } from "../queries/origins";
import { addToList } from "../multimap";

/** The text of one node below the root of a syntax tree. */
export interface ModulePart {
  /** The node's type. */
  readonly type: string;
  readonly start: number;
  readonly text: string;
  readonly imports: readonly HirImport[];
  readonly exports: readonly HirExport[];
  readonly body: readonly HirStatement[];
  readonly comments: readonly Span[];
  readonly errors: readonly Span[];
}

/** The parts together. */
export function moduleOfParts(language: CodeLanguage, parts: readonly ModulePart[]): HirModule {
  return {
    language: language === "tsx" ? "typescript" : language,
    imports: parts.flatMap((part) => part.imports),
    exports: parts.flatMap((part) => part.exports),
    body: parts.flatMap((part) => part.body),
    comments: parts.flatMap((part) => part.comments),
    errors: parts.flatMap((part) => part.errors),
  };
}

export interface KnownParts {
  /** True if a node of the new text is one of the parts; each part is found once. */
  readonly isKnown: (type: string, start: number, end: number) => boolean;
  /** The part that was found at an offset, where it stands now. */
  readonly at: (start: number) => ModulePart | undefined;
}

/** The parts of an earlier text of which a new text is made as well. What had errors may be something else now. */
export function knownParts(parts: readonly ModulePart[], text: string): KnownParts {
  const byText = new Map<string, ModulePart[]>();
  for (const part of parts.toReversed()) {
    if (part.errors.length > 0) continue;
    const key = keyOf(part.type, part.text);
    addToList(byText, key, part);
  }
  const found = new Map<number, ModulePart>();
  return {
    isKnown: (type, start, end) => {
      const part = byText.get(keyOf(type, text.slice(start, end)))?.pop();
      if (part) found.set(start, partAt(part, start));
      return part !== undefined;
    },
    at: (start) => found.get(start),
  };
}

function keyOf(type: string, text: string): string {
  return `${type}\0${text}`;
}

function partAt(part: ModulePart, start: number): ModulePart {
  const by = start - part.start;
  if (by === 0) return part;
  return {
    ...part,
    start,
    imports: movedPart(part.imports, by),
    exports: movedPart(part.exports, by),
    body: part.body.map((each) => shift(each, by)),
    comments: movedPart(part.comments, by),
    errors: [],
  };
}

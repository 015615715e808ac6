// Relocation: results about code that an edit only moved are kept with new positions.
import type { FileId, Position, SourceRange } from "../../../protocol/source";
import { positionAt, type LineIndex } from "../../sql/text/lines";
import type { HirModule } from "../hir";
import { originOf } from "./origins";

/** The modules of one reading, with their texts' lines. */
export interface Snapshot {
  readonly moduleOf: (file: FileId) => HirModule | undefined;
  readonly lines: (file: FileId) => LineIndex;
}

/** The earlier position of a top-level statement, and its distance from there. */
interface Move {
  readonly start: Position;
  readonly end: Position;
  readonly lines: number;
  /** Applies to the first line only: text after a line end keeps its column. */
  readonly characters: number;
}

/** Moves results of one reading to the positions of another one. */
export interface Mover {
  /** The files among these in which something moved. */
  readonly movedAmong: (files: Iterable<FileId>) => boolean;
  /** The same data with new positions; undefined if a position is in code that no longer exists. */
  readonly move: <Data>(data: Data) => Data | undefined;
}

export function createMover(before: Snapshot, now: Snapshot): Mover {
  const known = new Map<FileId, readonly Move[]>();
  const movesOf = (file: FileId): readonly Move[] => {
    const own = known.get(file) ?? movesBetween(file, before, now);
    known.set(file, own);
    return own;
  };
  return {
    movedAmong: (files) => {
      for (const file of files) {
        if (before.moduleOf(file) === now.moduleOf(file)) continue;
        if (movesOf(file).some(({ lines, characters }) => lines !== 0 || characters !== 0)) {
          return true;
        }
      }
      return false;
    },
    move: (data) => moveAll(data, movesOf),
  };
}

function movesBetween(file: FileId, before: Snapshot, now: Snapshot): readonly Move[] {
  const [old, own] = [before.moduleOf(file), now.moduleOf(file)];
  if (old === undefined || own === undefined) return [];
  const places = new Map(own.body.map((each) => [originOf(each), each.span.start] as const));
  const [from, to] = [before.lines(file), now.lines(file)];
  const moves = old.body.flatMap((each): readonly Move[] => {
    const place = places.get(originOf(each));
    if (place === undefined) return [];
    const start = positionAt(from, each.span.start);
    const target = positionAt(to, place);
    return [
      {
        start,
        end: positionAt(from, each.span.end),
        lines: target.line - start.line,
        characters: target.character - start.character,
      },
    ];
  });
  return moves.toSorted((a, b) => compare(a.start, b.start));
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** Parts without positions are returned unchanged, and shared parts stay shared. */
function moveAll<Data>(data: Data, movesOf: (file: FileId) => readonly Move[]): Data | undefined {
  const done = new Map<object, unknown>();
  let isLost = false;
  const go = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    const known = done.get(part);
    if (known !== undefined) return known;
    const made = isRange(part) ? moveRange(part) : goInside(part);
    done.set(part, made);
    return made;
  };
  const goInside = (part: object): unknown => {
    if (Array.isArray(part)) {
      const items = part.map(go);
      return items.every((each, at) => each === part[at]) ? part : items;
    }
    if (part instanceof Set) return part;
    const entries = Object.entries(part) as [string, unknown][];
    const copied = entries.map(([key, value]) => [key, go(value)] as const);
    return copied.every(([, value], at) => value === entries[at]?.[1])
      ? part
      : Object.fromEntries(copied);
  };
  const moveRange = (source: SourceRange): SourceRange => {
    const { file, range } = source;
    const move = movesOf(file).findLast(({ start }) => compare(start, range.start) <= 0);
    if (move === undefined || compare(range.end, move.end) > 0) {
      isLost = true;
      return source;
    }
    if (move.lines === 0 && move.characters === 0) return source;
    return {
      ...source,
      range: { start: shifted(range.start, move), end: shifted(range.end, move) },
    };
  };
  const result = go(data);
  // The same properties with values of the same types.
  return isLost ? undefined : (result as Data);
}

function isRange(part: object): part is SourceRange {
  return "file" in part && "range" in part;
}

function shifted({ line, character }: Position, move: Move): Position {
  const isFirst = line === move.start.line;
  return { line: line + move.lines, character: character + (isFirst ? move.characters : 0) };
}

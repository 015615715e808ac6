// Parts of a module that an edit only moved: copies with other positions, and the original of each. Knowledge that does not depend on a
// part's position is stored by its original.
import { attribute, ofNode } from "../../../query/nodes";
import { setEntry } from "../../../protocol/dictionary";
import type { FileId } from "../../../protocol/source";
import type { HirClass, HirFunction, HirStatement } from "../hir";

const origins = attribute<object, object>();
let count = 0;

/** The node as it was read from the syntax tree; the node itself if it was not moved. */
export function originOf<Part extends object>(part: Part): Part {
  // Only `moved` writes origins, and a copy has the type of its original.
  return (origins.get(part) as Part | undefined) ?? part;
}

/** The key of a function in a file; it stays the same when the function moves. */
export function functionKey(file: FileId, hir: HirFunction): string {
  return `${file}#${String(numberOf(hir))}`;
}

/** The key of a class, which is none of a function. */
export function classKey(file: FileId, hir: HirClass): string {
  return `${file}#class ${String(numberOf(hir))}`;
}

/** The key of a function that a top-level call returned, under the name that the file gives it. */
export function madeKey(file: FileId, name: string): string {
  return `${file}#=${name}`;
}

/** A number for the part that stays the same when the part moves. */
export function numberOf(part: object): number {
  return numberOfOrigin(originOf(part));
}

const numberOfOrigin = ofNode((_origin: object) => (count += 1));

/** A copy of a top-level statement, moved by a number of characters. Linear in its size. */
export function shift(statement: HirStatement, by: number): HirStatement {
  if (by === 0) return statement;
  const copy = movedPart(statement, by);
  origins.set(copy, originOf(statement));
  return copy;
}

/** A copy of plain data in which `start` and `end` are offsets in the file: those of spans and text runs. */
export function movedPart<Part>(part: Part, by: number): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => movedPart(each, by)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(part) as [string, unknown][]) {
    const isOffset = typeof value === "number" && (key === "start" || key === "end");
    setEntry(copy, key, isOffset ? value + by : movedPart(value, by));
  }
  // Functions are looked up one by one.
  if ("isArrow" in part) origins.set(copy, originOf(part));
  // The same properties with values of the same types.
  return copy as Part;
}

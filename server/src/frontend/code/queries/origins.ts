// Parts of a module that an edit only moved: copies with other places, and the part that each of them goes back to. What is
// known of a part by what it says, not by where it stands, is kept by its origin.
import { setEntry } from "../../../protocol/dictionary";
import type { FileId } from "../../../protocol/source";
import type { HirFunction, HirStatement } from "../hir";

const origins = new WeakMap<object, object>();
const numbers = new WeakMap<object, number>();
let next = 1;

/** The node as it was read from a syntax tree; itself unless it was moved since. */
export function originOf<Part extends object>(part: Part): Part {
  // `moved` alone writes origins, and copies are of the kind of what they were made of.
  return (origins.get(part) as Part | undefined) ?? part;
}

/** The key of a function of a file, wherever in it it is moved. */
export function functionKey(file: FileId, hir: HirFunction): string {
  return `${file}#${String(numberOf(hir))}`;
}

/** The key of a function that a call at the top of a file gave, where the file calls it so. */
export function madeKey(file: FileId, name: string): string {
  return `${file}#=${name}`;
}

/** A number of the part, the same wherever it is moved. */
export function numberOf(part: object): number {
  const origin = originOf(part);
  const known = numbers.get(origin);
  if (known !== undefined) return known;
  const own = next;
  next += 1;
  numbers.set(origin, own);
  return own;
}

/** A top-level statement as it is so many characters further on in the file. Linear in its size. */
export function shift(statement: HirStatement, by: number): HirStatement {
  if (by === 0) return statement;
  const copy = movedPart(statement, by);
  origins.set(copy, originOf(statement));
  return copy;
}

/** Plain data in which `start` and `end` are offsets in the file: those of spans, and of runs of text. */
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
  // Functions are asked about one by one.
  if ("isArrow" in part) origins.set(copy, originOf(part));
  // The same properties with values of the same types.
  return copy as Part;
}

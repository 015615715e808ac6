// Which of the functions that were evaluated by themselves are told of: those that are no part of others.
import type { Taint } from "../../../program/precision";
import type { SourceRange } from "../../../protocol/source";
import { walkCommand } from "../../sql/walk";
import { TOO_LONG } from "../evaluate/statements";
import { isInner } from "../callGraph/privateFunctions";
import type { CodeModules } from "../modules/modules";
import type { ReadFunction } from "../queries/rootReading";

/** Functions that others call are a part of them; of two that call each other the first is kept. Linear in the functions. */
export function withoutParts(
  evaluated: readonly ReadFunction[],
  modules: CodeModules,
): readonly ReadFunction[] {
  const withStatements = evaluated.filter(({ statements }) => statements > 0);
  const callers = new Map<string, Set<ReadFunction>>();
  for (const caller of withStatements) {
    for (const key of caller.inlined) {
      if (key === caller.key || key === caller.calledAs) continue;
      const known = callers.get(key);
      if (known) known.add(caller);
      else callers.set(key, new Set([caller]));
    }
  }
  const order = new Map(withStatements.map((each, at) => [each, at]));
  return withStatements.filter((each, at) => {
    const own = callers.get(each.calledAs ?? each.key);
    if (!own) return true;
    // Where its callers end before its transactions, or do not lead to them, they are its own.
    const isThere = (place: SourceRange): boolean => {
      const key = placeOf(place);
      return [...own].some((caller) => placesOf(caller).has(key));
    };
    // Statements of a transaction behind the end of a caller that was cut short are nowhere else.
    const isCut = [...own].some(({ transaction: made }) => made?.taint.some(isTooLong));
    const isCovered = (places: readonly SourceRange[]): boolean =>
      isCut ? places.slice(1).every(isThere) : places.some(isThere);
    if (!each.atomics.every(isCovered)) return true;
    // An argument of its callers may leave statements out, which others that call it do not.
    if (!isCut && !ownStatements(each).every(isThere) && !isInnerOf(each, modules)) return true;
    return [...own].every((caller) => {
      const back = callers.get(caller.key)?.has(each) ?? false;
      return back && (order.get(caller) ?? 0) > at;
    });
  });
}

/** Where the statements stand that a function runs whoever calls it; none where its caller gives it a connection. */
function ownStatements({ transaction: made }: ReadFunction): readonly SourceRange[] {
  const places: SourceRange[] = [];
  if (made?.boundary !== "unit") return places;
  walkCommand(made.body, {
    statement: ({ kind, source }) => {
      // A statement that is not understood may be a function that each of them gives.
      if (kind !== "opaque") places.push(source);
    },
  });
  return places;
}

function isInnerOf({ key, transaction: made }: ReadFunction, modules: CodeModules): boolean {
  const file = made?.source.file;
  const module = file === undefined ? undefined : modules.moduleOf(file);
  return file !== undefined && module !== undefined && isInner(key, file, module);
}

function isTooLong({ reason }: Taint): boolean {
  return reason === TOO_LONG;
}

const placesByFunction = new WeakMap<ReadFunction, ReadonlySet<string>>();

function placesOf(read: ReadFunction): ReadonlySet<string> {
  const own = placesByFunction.get(read) ?? new Set(read.places.map(placeOf));
  placesByFunction.set(read, own);
  return own;
}

function placeOf({ file, range: { start } }: SourceRange): string {
  return `${file}:${String(start.line)}:${String(start.character)}`;
}

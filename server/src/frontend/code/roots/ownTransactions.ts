// Selects which of the separately evaluated functions are reported: those that are not part of others.
import type { Taint } from "../../../program/precision";
import type { SourceRange } from "../../../protocol/source";
import { walkCommand } from "../../sql/walk";
import { TOO_LONG } from "../evaluate/statements";
import { isInner } from "../callGraph/privateFunctions";
import type { CodeModules } from "../modules/modules";
import type { ReadFunction } from "../queries/rootReading";
import { ofNode } from "../../../query/nodes";
import { addToSet } from "../multimap";

/** Functions that others call are part of their callers; of two mutually recursive ones the first is kept. Linear in the functions. */
export function withoutParts(
  evaluated: readonly ReadFunction[],
  modules: CodeModules,
): readonly ReadFunction[] {
  const withStatements = evaluated.filter(({ statements }) => statements > 0);
  const callers = new Map<string, Set<ReadFunction>>();
  for (const caller of withStatements) {
    for (const key of caller.inlined) {
      if (key === caller.key || key === caller.calledAs) continue;
      addToSet(callers, key, caller);
    }
  }
  const order = new Map(withStatements.map((each, at) => [each, at]));
  return withStatements.filter((each, at) => {
    const own = callers.get(each.calledAs ?? each.key);
    if (!own) return true;
    // If its callers end before its transactions or do not reach them, the transactions are its own.
    const isThere = (place: SourceRange): boolean => {
      const key = placeOf(place);
      return [...own].some((caller) => placesOf(caller).has(key));
    };
    // Statements of a transaction that are behind the point where a caller was cut short appear nowhere else.
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

/** The positions of the statements that a function runs for every caller; none if its caller passes a connection. */
function ownStatements({ transaction: made }: ReadFunction): readonly SourceRange[] {
  const places: SourceRange[] = [];
  if (made?.boundary !== "unit") return places;
  walkCommand(made.body, {
    statement: ({ kind, source }) => {
      // An unsupported statement may be a callback that each caller passes.
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

const placesOf = ofNode(
  (read: ReadFunction): ReadonlySet<string> => new Set(read.places.map(placeOf)),
);

function placeOf({ file, range: { start } }: SourceRange): string {
  return `${file}:${String(start.line)}:${String(start.character)}`;
}

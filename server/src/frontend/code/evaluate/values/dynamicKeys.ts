// Parts of an argument that may be the same, though one is asked for by a name and the other by a key that is only known
// when it runs: `o.a.n` and `o[key].n`, or by a search: `o.find(test).n`.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import type { Value } from "../../values";

/** The mark of an item that a search found, in its path. */
export const FOUND = "[found]";

/** A part of an element, whichever element that is, and which one it is. */
interface PartOfElement {
  readonly path: string;
  readonly index: Expression;
}

/** The name of a part of an argument where one of the names is a key that is not known: `o[].n` for `o.a.n`. */
export function partsOfElements({
  path,
  element,
}: Extract<Value, { kind: "input" }>): readonly PartOfElement[] {
  if (element) return [{ path, index: element.index }];
  if (path.includes(FOUND)) {
    const index = { kind: "parameter", name: path.slice(0, path.indexOf(FOUND)) + FOUND } as const;
    return [{ path: path.replace(FOUND, "[]"), index }];
  }
  const names = path.split(".");
  return names.flatMap((name, at) => {
    // Lists have their length and methods under names.
    if (at === 0 || at === names.length - 1 || name.includes("[")) return [];
    const [before, behind] = [names.slice(0, at), names.slice(at + 1)];
    return [{ path: [`${before.join(".")}[]`, ...behind].join("."), index: literal(name) }];
  });
}

// Functions that are not async and give the promise of another call: `function save(id) { return put(id); }`.
import type { HirFunction } from "../../hir";
import { visitInto } from "../../nodes";
import { ofNode } from "../../../../query/nodes";

/** True if a function ends with the call that it returns, and throws nothing itself. Linear in its size, once. */
export const handsOnPromise = ofNode((hir: HirFunction): boolean => {
  const last = hir.body.at(-1);
  const isCall = last?.kind === "return" && last.value?.kind === "call";
  return isCall && !throwsItself(hir);
});

function throwsItself({ body }: HirFunction): boolean {
  let isFound = false;
  visitInto(body, (node) => {
    if ("kind" in node && node.kind === "throw") isFound = true;
    return !isFound && !("isArrow" in node);
  });
  return isFound;
}

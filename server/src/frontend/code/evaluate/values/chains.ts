// Chains of members and calls as they are written: `req.body.amount`, `user?.team.name`.
import type { HirExpression } from "../../hir";

/** An expression as people call it: `req.body.amount`. */
export function nameOf(hir: HirExpression): string {
  switch (hir.kind) {
    case "name":
      return hir.name;
    case "this":
    case "super":
      return hir.kind;
    case "member":
      return `${nameOf(hir.object)}.${hir.property}`;
    case "call":
    case "new":
      return `${nameOf(hir.callee)}()`;
    case "await":
    case "typed":
      return nameOf(hir.operand);
    case "index":
      return `${nameOf(hir.object)}[]`;
    default:
      return "it";
  }
}

/** `a?.b` and what is asked of it: where there is no `a`, all of `a?.b.c` is nothing. */
export function isOfChain(hir: HirExpression): boolean {
  switch (hir.kind) {
    case "member":
      return hir.optional || isOfChain(hir.object);
    case "index":
      return hir.optional || isOfChain(hir.object);
    case "call":
      return hir.optional || isOfChain(hir.callee);
    default:
      return false;
  }
}

// Chains of calls: `t.string("name").notNullable()` as what it starts from and what is called on it, one by one.
import type { HirArgument, HirExpression } from "../hir";
import type { Span } from "../../sql/text/split";

export interface Link {
  readonly method: string;
  readonly arguments: readonly HirArgument[];
  readonly span: Span;
}

export interface Chain {
  readonly start: HirExpression;
  readonly links: readonly Link[];
}

/** The chain that ends with this expression; members without a call are passed over. */
export function chainOf(expression: HirExpression): Chain {
  const links: Link[] = [];
  let at = expression;
  for (;;) {
    if (at.kind === "call" && at.callee.kind === "member") {
      links.push({ method: at.callee.property, arguments: at.arguments, span: at.span });
      at = at.callee.object;
    } else if (at.kind === "member") at = at.object;
    else if (at.kind === "await" || at.kind === "typed") at = at.operand;
    else return { start: at, links: links.reverse() };
  }
}

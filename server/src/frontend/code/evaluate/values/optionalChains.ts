// Chains that `?.` cuts short: what is asked behind it of something else that is missing is an error (`a?.list[0].name`).
import { connective } from "../../../sql/terms";
import { literal } from "../../../sql/expressions";
import type { Expression } from "../../../../program/expression";
import type { HirExpression } from "../../hir";
import type { Value } from "../../values";
import { sourceOf, type State } from "../state";
import { isPresent, presenceOf } from "./convert";
import { requireHolds } from "./member";
import { isNullish } from "./operators";

type Member = Extract<HirExpression, { readonly kind: "member" }>;

/**
 * Ends the function where the row is missing that a member is asked of, unless the chain was cut before it. Linear in
 * the chain; `of` evaluates what `?.` stands behind, where that runs nothing.
 */
export function mustGoOn(
  state: State,
  { object: written, span }: Member,
  object: Value,
  of: (hir: HirExpression) => Value,
): void {
  if (object.kind !== "row" || isPresent(state, object)) return;
  const cuts: Expression[] = [];
  for (const link of linksOf(written)) {
    if (!isPath(link)) return;
    const value = of(link);
    const isThere = value.kind === "row" && isPresent(state, value);
    cuts.push(isThere ? literal(false) : isNullish(state, value));
  }
  const open = cuts.filter((each) => each.kind !== "literal" || each.value !== false);
  const holds = connective("or", [...open, presenceOf(object)]);
  const why = "a row that is not there is asked for a field";
  requireHolds(state, holds, why, sourceOf(state, span));
}

/** The objects behind which `?.` stands in a chain. */
function linksOf(hir: HirExpression): readonly HirExpression[] {
  switch (hir.kind) {
    case "member":
    case "index":
      return [...(hir.optional ? [hir.object] : []), ...linksOf(hir.object)];
    case "call":
      return [...(hir.optional ? [hir.callee] : []), ...linksOf(hir.callee)];
    default:
      return [];
  }
}

/** Names and what is asked of them: evaluated again it is the same, and nothing runs. */
function isPath(hir: HirExpression): boolean {
  switch (hir.kind) {
    case "name":
    case "this":
      return true;
    case "member":
      return isPath(hir.object);
    case "index":
      return isPath(hir.object) && hir.index.kind === "literal";
    default:
      return false;
  }
}

// Indirect recursion into expressions and queries through the current work, which avoids import cycles.
import type { Node, SelectStmt } from "libpg-query";
import type { Expression, Query } from "../../../program/expression";
import { literal } from "../expressions";
import { emptyQuery } from "../terms";
import { kindOf } from "./ast";
import { unfollowedIn } from "./parseTree";
import { lose, taint, type Scope, type Work } from "./scope";

/** Nesting limit, against stack overflow here and later. */
const DEEPEST = 300;

/** Weakens the statement by the node's unfollowed fields. */
export function weaken(node: Node, work: Work): void {
  for (const [type, fields] of Object.entries(node))
    for (const reason of unfollowedIn(type, fields)) taint(work, reason, "outside");
}

/** An expression of the tree. Never fails. */
export function lowerExpression(node: Node | undefined, scope: Scope, work: Work): Expression {
  if (node === undefined) return literal(null);
  if (work.depth.now >= DEEPEST) return lose(work, "an expression that is nested too deeply");
  weaken(node, work);
  work.depth.now++;
  const lowered = work.recursion.expression(node, scope, work);
  work.depth.now--;
  return lowered;
}

/** Several expressions in order. */
export function lowerAll(
  nodes: readonly Node[] | undefined,
  scope: Scope,
  work: Work,
): readonly Expression[] {
  return (nodes ?? []).map((node) => lowerExpression(node, scope, work));
}

/** A SELECT, VALUES or set operation; `outer` is the scope of columns outside of its own relations. */
export function lowerQuery(select: SelectStmt, outer: Scope | undefined, work: Work): Query {
  if (work.depth.now >= DEEPEST) {
    return emptyQuery([
      { name: "?column?", value: lose(work, "a query that is nested too deeply") },
    ]);
  }
  weaken({ SelectStmt: select }, work);
  work.depth.now++;
  const lowered = work.recursion.query(select, outer, work);
  work.depth.now--;
  return lowered;
}

/** A query node at any place. */
export function lowerQueryNode(node: Node | undefined, outer: Scope, work: Work): Query {
  if (node !== undefined && "SelectStmt" in node) return lowerQuery(node.SelectStmt, outer, work);
  const what = node === undefined ? "nothing" : kindOf(node);
  return emptyQuery([{ name: "?column?", value: lose(work, `a query of kind ${what}`) }]);
}

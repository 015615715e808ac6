// The SET list of UPDATE and of upserts.
import type { Expression } from "../../../program/expression";
import { mapParts } from "../../../program/operands";
import { defaultOf } from "../insertRow";
import { lowerValue } from "./lowerExpression";
import type { SyntaxAssignment, SyntaxExpression } from "./syntax";
import { isMysql, type Expressions } from "./work";

export interface LoweredAssignment {
  readonly column: string;
  readonly value: Expression;
  /** `c = (@v := value)`: the variable that gets the new value as well. */
  readonly variable?: string;
}

/**
 * The assignments to columns of a relation. MySQL makes them one after the other: a later one sees what an earlier
 * one gave its column.
 */
export function leftToRight(
  assignments: readonly SyntaxAssignment[],
  relation: string,
  of: Expressions,
): readonly LoweredAssignment[] {
  const done = new Map<string, Expression>();
  return assignments.map((each) => {
    const column = each.path.at(-1) ?? "";
    const { node, variable } = unwrapped(each.value);
    const table = of.scope.sources.find((source) => source.relation.alias === relation);
    const written =
      node.kind === "default"
        ? defaultOf(
            of.work.context.table(table?.relation.table ?? relation),
            column,
            of.work.context.ids,
          )
        : lowerValue(node, of);
    const value = isMysql(of.work) ? replaced(written, relation, done) : written;
    done.set(column, value);
    return variable === undefined ? { column, value } : { column, value, variable };
  });
}

/** `@v := x` and LAST_INSERT_ID(x) keep what they are given. */
function unwrapped(node: SyntaxExpression): {
  readonly node: SyntaxExpression;
  readonly variable?: string;
} {
  if (node.kind === "assign") return { node: node.value, variable: node.variable };
  const [only, ...others] =
    node.kind === "call" && node.name === "last_insert_id" ? node.arguments : [];
  if (only !== undefined && others.length === 0) return { node: only, variable: LAST_INSERT_ID };
  return { node };
}

/** Stands for what LAST_INSERT_ID() gives, among variables. */
export const LAST_INSERT_ID = "last_insert_id()";

function replaced(
  expression: Expression,
  relation: string,
  done: ReadonlyMap<string, Expression>,
): Expression {
  if (expression.kind === "column" && expression.relation === relation) {
    return done.get(expression.column) ?? expression;
  }
  return done.size === 0
    ? expression
    : mapParts(expression, (part) => replaced(part, relation, done));
}

// The SET list of UPDATE and upserts.
import type { Expression } from "../../../program/expression";
import { mapParts } from "../../../program/operands";
import { defaultOf } from "../insertRow";
import { lowerValue } from "./lowerExpression";
import type { SyntaxAssignment, SyntaxExpression } from "./syntax";
import { isMysql, type Expressions } from "./work";

export interface LoweredAssignment {
  readonly column: string;
  readonly value: Expression;
  /** `c = (@v := value)`: the variable that also gets the new value. */
  readonly variable?: string;
}

/** The assignments to columns of a relation. MySQL executes them in order: a later one sees the new value of an earlier column. */
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

/** `@v := x` and LAST_INSERT_ID(x) store their argument. */
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

/** The variable for LAST_INSERT_ID(). */
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

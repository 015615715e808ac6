// The columns that an UPDATE names, if a client omits unchanged ones: UPDATE OF fires only for named columns.
import type { Expression } from "../../../program/expression";
import type { Assignment, Statement } from "../../../program/statement";
import { literal } from "../expressions";
import { connective } from "../terms";
import { columnsIn } from "../triggers/triggerRows";
import type { Trigger } from "./triggers/triggerDefinitions";

/** The condition that a statement names a column of UPDATE OF; undefined if always, or if unknown. Linear in what it sets. */
export function firesWhen(
  { columns }: Pick<Trigger, "columns">,
  statement: Statement,
): Expression | undefined {
  if (statement.kind !== "update" || columns.length === 0) return undefined;
  const { alias } = statement.relation;
  const named = statement.set
    .filter(({ column }) => columns.includes(column))
    .map((each) => namedWhen(each, alias));
  if (named.some((each) => isConstant(each, true))) return undefined;
  const condition = connective("or", named);
  return [...columnsIn(condition, alias)].length > 0 ? undefined : condition;
}

function namedWhen({ column, value, mayBeLeftOut }: Assignment, alias: string): Expression {
  const of = (part: Expression): Expression => {
    if (part.kind === "column") return literal(part.relation !== alias || part.column !== column);
    if (part.kind !== "conditional") return literal(true);
    const { condition } = part;
    const [then, otherwise] = [of(part.then), of(part.otherwise)];
    if (isConstant(then, true) && isConstant(otherwise, true)) return then;
    // NULL counts as false.
    const fails: Expression = {
      kind: "not",
      operand: { kind: "coalesce", operands: [condition, literal(false)] },
    };
    const cases = [
      ...(isConstant(then, false) ? [] : [both(condition, then)]),
      ...(isConstant(otherwise, false) ? [] : [both(fails, otherwise)]),
    ];
    return connective("or", cases);
  };
  return mayBeLeftOut === true ? of(value) : literal(true);
}

function both(condition: Expression, other: Expression): Expression {
  return isConstant(other, true) ? condition : connective("and", [condition, other]);
}

function isConstant(expression: Expression, value: boolean): boolean {
  return expression.kind === "literal" && expression.value === value;
}

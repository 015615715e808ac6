// Data of an update that may turn out to be empty when it runs: the client then sends no UPDATE, but reads the row.
import type { Expression } from "../../../../program/expression";
import type { Assignment } from "../../../../program/statement";
import { literal, TRUE } from "../../../sql/expressions";
import { joined } from "../../../sql/terms";
import { negated, sameExpression } from "../../evaluate/values/convert";
import type { Value } from "../../values";
import type { RowScope } from "./context";
import { fieldsGiven, isAbsent, orAbsent } from "./given";

/** When data sets a column of the row itself: TRUE where it surely does, or where its fields are not known. Linear in its fields. */
export function setsSomething(scope: RowScope, data: Value | undefined): Expression {
  if (data === undefined || isAbsent(data)) return literal(false);
  if (data.kind === "choice") return inEither(data, (each) => setsSomething(scope, each));
  const fields = fieldsGiven(scope.operation.tools, data);
  if (fields === undefined) return TRUE;
  return oneOf(
    fields.map(([name, value]) => {
      const field = scope.model.fields.get(name);
      const isElsewhere = field?.kind === "relation" && field.link?.at !== "here";
      return isElsewhere ? literal(false) : isGiven(value);
    }),
  );
}

/** What is set where `condition` holds, by which some columns are set or kept. */
export function setWhere(
  condition: Expression,
  assignments: readonly Assignment[],
): readonly Assignment[] {
  return assignments.map((each) => {
    const { value } = each;
    if (value.kind !== "conditional") return each;
    if (sameExpression(value.condition, condition)) return { ...each, value: value.then };
    const isOther = sameExpression(negated(value.condition), condition);
    return isOther ? { ...each, value: value.otherwise } : each;
  });
}

function isGiven(given: Value): Expression {
  const value = orAbsent(given);
  if (isAbsent(value)) return literal(false);
  return value.kind === "choice" ? inEither(value, isGiven) : TRUE;
}

function inEither(
  { condition, then, otherwise }: Extract<Value, { readonly kind: "choice" }>,
  each: (value: Value) => Expression,
): Expression {
  const [yes, no] = [each(then), each(otherwise)];
  if (isTrue(yes) && isTrue(no)) return TRUE;
  return oneOf([all(condition, yes), all(negated(condition), no)]);
}

function all(condition: Expression, holds: Expression): Expression {
  return isFalse(holds) ? holds : joined("and", [condition, holds]);
}

/** OR without what never holds; TRUE where one always does. */
function oneOf(operands: readonly Expression[]): Expression {
  if (operands.some(isTrue)) return TRUE;
  const different = operands.filter(
    (each, at) => operands.findIndex((other) => sameExpression(each, other)) === at,
  );
  return joined(
    "or",
    different.filter((each) => !isFalse(each)),
  );
}

function isTrue(expression: Expression): boolean {
  return expression.kind === "literal" && expression.value === true;
}

function isFalse(expression: Expression): boolean {
  return expression.kind === "literal" && expression.value === false;
}

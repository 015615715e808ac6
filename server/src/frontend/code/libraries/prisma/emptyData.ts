// Data of an update that may turn out to be empty when it runs: the client then sends no UPDATE, but reads the row.
import type { Expression } from "../../../../program/expression";
import { conjunctsOf } from "../../../../program/operands";
import type { Assignment } from "../../../../program/statement";
import { literal, TRUE } from "../../../sql/expressions";
import { connective } from "../../../sql/terms";
import { isLiteral, negate, readsOf, sameExpression } from "../../evaluate/values/convert";
import { UNDEFINED, unknown, type Value } from "../../values";
import type { PrismaModel } from "../../../schema/prisma/model";
import { withoutCheck } from "../../evaluate/values/absence";
import type { Operation, RowScope } from "./context";
import { knownFields, isAbsent } from "./argumentValues";

/** When data sets a column of the row itself: TRUE where it surely does, or where its fields are not known. Linear in its fields. */
export function setsSomething(scope: RowScope, data: Value | undefined): Expression {
  return givesAny(scope, data, (name) => {
    const field = scope.model.fields.get(name);
    return field?.kind !== "relation" || field.link?.at === "here";
  });
}

/** The same of anything, also of related rows; unknown where nobody knows its fields and none is surely there. Linear in its fields. */
export function givesSomething(scope: RowScope, data: Value | undefined): Expression {
  const { tools } = scope.operation;
  if (data === undefined || isAbsent(data)) return literal(false);
  if (data.kind === "choice") return inEither(data, (each) => givesSomething(scope, each));
  if (knownFields(tools, data) !== undefined) return givesAny(scope, data, () => true);
  const named = data.kind === "object" ? [...data.fields.values()] : [];
  const rest = data.kind === "object" ? data.rest : data;
  const open = tools.expression(unknown(EMPTY, rest ? readsOf(rest) : []));
  return oneOf([...named.map(({ value }) => isGiven(value ?? UNDEFINED)), open]);
}

const EMPTY = "whether the data has any fields is not known";

/** When data says something of related rows; also where nobody knows its other fields. Linear in its fields. */
export function namesRelations(
  { tools }: Pick<Operation, "tools">,
  model: PrismaModel,
  data: Value,
): Expression {
  const fields = data.kind === "object" ? data.fields : tools.fields(data);
  const related = [...(fields ?? [])].flatMap(([name, each]): readonly Expression[] => {
    if (model.fields.get(name)?.kind !== "relation") return [];
    const value = "birth" in each ? each.value : each;
    return value === undefined ? [] : [isGiven(value)];
  });
  // A spread that is not known may hold some, too.
  const rest = data.kind === "object" && data.rest?.kind === "unknown" ? data.rest : undefined;
  return oneOf(rest ? [...related, tools.expression(unknown(SPREAD, readsOf(rest)))] : related);
}

const SPREAD = "whether what is spread into the data has related rows is not known";

function givesAny(
  scope: RowScope,
  data: Value | undefined,
  counts: (field: string) => boolean,
): Expression {
  if (data === undefined || isAbsent(data)) return literal(false);
  if (data.kind === "choice") return inEither(data, (each) => givesAny(scope, each, counts));
  const fields = knownFields(scope.operation.tools, data);
  if (fields === undefined) return TRUE;
  return oneOf(fields.map(([name, value]) => (counts(name) ? isGiven(value) : literal(false))));
}

/** The columns that are set where `condition` holds, by which some columns are set or kept. */
export function setWhere(
  condition: Expression,
  assignments: readonly Assignment[],
): readonly Assignment[] {
  return assignments.map((each) => {
    const { value } = each;
    if (value.kind !== "conditional") return each;
    if (sameExpression(value.condition, condition)) return { ...each, value: value.then };
    const isOther = sameExpression(negate(value.condition), condition);
    return isOther ? { ...each, value: value.otherwise } : each;
  });
}

/** When a value is there. Linear in its choices. */
export function isGiven(given: Value): Expression {
  const value = withoutCheck(given);
  if (isAbsent(value)) return literal(false);
  return value.kind === "choice" ? inEither(value, isGiven) : TRUE;
}

function inEither(
  { condition, then, otherwise }: Extract<Value, { readonly kind: "choice" }>,
  each: (value: Value) => Expression,
): Expression {
  const [yes, no] = [each(then), each(otherwise)];
  if (isLiteral(yes, true) && isLiteral(no, true)) return TRUE;
  return oneOf([all(condition, yes), all(negate(condition), no)]);
}

function all(condition: Expression, holds: Expression): Expression {
  if (isLiteral(holds, false)) return holds;
  const known = conjunctsOf(condition);
  const open = conjunctsOf(holds).filter(
    (each) => !known.some((other) => sameExpression(each, other)),
  );
  return connective("and", [condition, ...open]);
}

/** OR without what never holds; TRUE where one always does, FALSE of none. */
export function oneOf(operands: readonly Expression[]): Expression {
  if (operands.some((each) => isLiteral(each, true))) return TRUE;
  const different = operands.filter(
    (each, at) => operands.findIndex((other) => sameExpression(each, other)) === at,
  );
  const open = different.filter((each) => !isLiteral(each, false));
  const isSure = open.some((each) => open.some((other) => sameExpression(other, negate(each))));
  if (isSure) return TRUE;
  return open.length === 0 ? literal(false) : connective("or", open);
}

// `where` of the Prisma client as a condition over the columns of a model's table, with SQL's NULL as the client's
// queries have it: `{ x: null }` is IS NULL, `{ x: { not: 1 } }` leaves rows out whose x is NULL.
import type { Expression } from "../../../../program/expression";
import { JSON_NULL, literal, TRUE } from "../../../sql/expressions";
import { compare, connective, negatedIf } from "../../../sql/terms";
import type { PrismaRelation, PrismaScalar } from "../../../schema/prisma/model";
import { orAbsent } from "../../evaluate/values/absence";
import { isNull, type Value } from "../../values";
import { columnOf, joinOf, lose, queryOf, storedValue, type RowScope } from "./context";
import {
  constantOf,
  eitherWay,
  knownFields,
  isAbsent,
  itemsOrSelf,
  nothingOf,
} from "./argumentValues";

/** The condition that a `where` says of the row at hand. What is left out or `undefined` says nothing. */
export function conditionOf(scope: RowScope, where: Value | undefined): Expression {
  if (where === undefined || isAbsent(where)) return TRUE;
  if (where.kind === "choice") return eitherWay(where, (each) => conditionOf(scope, each));
  const fields = knownFields(scope.operation.tools, where);
  if (fields === undefined) return notKnown(scope, where, "a filter that is not known");
  return connective(
    "and",
    fields.map(([name, value]) => partOf(scope, name, value)),
  );
}

function partOf(scope: RowScope, name: string, value: Value): Expression {
  if (name === "AND" || name === "OR" || name === "NOT") return combined(scope, name, value);
  const field = scope.model.fields.get(name);
  if (field === undefined || (field.kind === "scalar" && field.isHidden)) {
    return keyPart(scope, name, value);
  }
  return field.kind === "scalar"
    ? scalarCondition(scope, field, value)
    : relationCondition(scope, field, value);
}

/** OR of nothing holds for no row, AND and NOT of nothing for all. */
function combined(scope: RowScope, kind: "AND" | "OR" | "NOT", given: Value): Expression {
  const value = scope.operation.tools.spelledOut(given);
  if (value.kind === "choice") return eitherWay(value, (each) => combined(scope, kind, each));
  if (isAbsent(value)) return TRUE;
  const items = itemsOrSelf(scope.operation.tools, value);
  if (items === undefined) return notKnown(scope, value, `a list under ${kind} that is not known`);
  const operands = items.filter((each) => !isAbsent(each)).map((each) => conditionOf(scope, each));
  if (kind === "NOT")
    return connective(
      "and",
      operands.map((operand) => negatedIf(true, operand)),
    );
  return connective(kind === "OR" ? "or" : "and", operands);
}

/** `tenant_email: { tenant, email }`: the columns of a key, by its name. */
function keyPart(scope: RowScope, name: string, value: Value): Expression {
  const key = scope.model.keys.find((each) => each.name === name && each.fields.length > 1);
  if (key === undefined) {
    return notKnown(scope, value, `"${name}", which ${scope.model.name} does not have`);
  }
  return conditionOf(scope, value);
}

function scalarCondition(scope: RowScope, field: PrismaScalar, given: Value): Expression {
  const value = orAbsent(given);
  if (isAbsent(value)) return TRUE;
  if (value.kind === "choice") {
    return eitherWay(value, (each) => scalarCondition(scope, field, each));
  }
  if (value.kind === "object") return filterCondition(scope, field, value);
  if (isFilterInput(value)) return notKnown(scope, value, "a filter that the caller gives");
  return equalTo(scope, field, value);
}

/** An argument that is declared as a filter is none of a column's values. */
function isFilterInput(value: Value): boolean {
  return value.kind === "input" && /(Filter|WhereInput|WhereUniqueInput)\b/.test(value.type ?? "");
}

/** Equality that holds for two NULLs, where both may be NULL. */
function equalTo(scope: RowScope, field: PrismaScalar, value: Value): Expression {
  const column = columnOf(scope.alias, field.column);
  const nothing = nothingOf(field, value);
  if (nothing !== undefined) return isNothing(column, nothing);
  const right = comparand(scope, field, value);
  const isGiven = right.kind === "literal" || right.kind === "fresh";
  if (!field.isOptional || isGiven) return compare("=", column, right);
  return { kind: "sameValue", left: column, right };
}

function isNothing(column: Expression, how: "db" | "json" | "any"): Expression {
  const isNull: Expression = { kind: "isNull", operand: column };
  if (how === "db") return isNull;
  const isDocument = compare("=", column, JSON_NULL);
  return how === "json" ? isDocument : connective("or", [isDocument, isNull]);
}

function differentFrom(scope: RowScope, field: PrismaScalar, value: Value): Expression {
  const column = columnOf(scope.alias, field.column);
  const isThere: Expression = { kind: "not", operand: { kind: "isNull", operand: column } };
  const nothing = nothingOf(field, value);
  if (nothing === "db") return isThere;
  if (nothing !== undefined) {
    const isOther = compare("<>", column, JSON_NULL);
    return nothing === "json" ? isOther : connective("and", [isOther, isThere]);
  }
  const right = comparand(scope, field, value);
  const different = compare("<>", column, right);
  if (!field.isOptional || right.kind === "literal" || right.kind === "fresh") return different;
  const isEmpty: Expression = { kind: "isNull", operand: right };
  return connective("or", [
    connective("and", [isEmpty, isThere]),
    connective("and", [{ kind: "not", operand: isEmpty }, different]),
  ]);
}

/** The other side of a column's comparison: a value, or another column (`prisma.user.fields.name`). */
function comparand(scope: RowScope, field: PrismaScalar, value: Value): Expression {
  const other = value.kind === "handle" ? /\.fields\.(\w+)$/.exec(value.path)?.[1] : undefined;
  const reference = other === undefined ? undefined : scope.model.fields.get(other);
  if (reference?.kind === "scalar") return columnOf(scope.alias, reference.column);
  if (value.kind === "object" || value.kind === "list" || field.isList) {
    return notKnown(scope, value, `a comparison of ${field.name} as a whole`);
  }
  return storedValue(scope, field, value);
}

const ORDERED = { lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

function isOrdered(name: string): name is keyof typeof ORDERED {
  return Object.hasOwn(ORDERED, name);
}

function filterCondition(scope: RowScope, field: PrismaScalar, filter: Value): Expression {
  const fields = knownFields(scope.operation.tools, filter);
  if (fields === undefined) return notKnown(scope, filter, "a filter that is not known");
  const isInsensitive = fields.some(
    ([name, value]) => name === "mode" && constantOf(value) === "insensitive",
  );
  return connective(
    "and",
    fields.map(([name, value]) => operatorCondition(scope, field, name, value, isInsensitive)),
  );
}

function operatorCondition(
  scope: RowScope,
  field: PrismaScalar,
  name: string,
  given: Value,
  insensitive: boolean,
): Expression {
  const value = orAbsent(given);
  if (name === "mode" || isAbsent(value)) return TRUE;
  if (value.kind === "choice") {
    const each = (one: Value): Expression =>
      operatorCondition(scope, field, name, one, insensitive);
    return eitherWay(value, each);
  }
  const column = columnOf(scope.alias, field.column);
  if (isOrdered(name)) return compare(ORDERED[name], column, comparand(scope, field, value));
  switch (name) {
    case "equals":
      if (insensitive) return like(scope, field, value, ["", ""], true);
      return equalTo(scope, field, value);
    case "not":
      if (value.kind === "object") return negatedIf(true, filterCondition(scope, field, value));
      return differentFrom(scope, field, value);
    case "in":
    case "notIn":
      return negatedIf(name === "notIn", oneOf(scope, field, value));
    case "contains":
      return like(scope, field, value, ["%", "%"], insensitive);
    case "startsWith":
      return like(scope, field, value, ["", "%"], insensitive);
    case "endsWith":
      return like(scope, field, value, ["%", ""], insensitive);
    default:
      return notKnown(scope, value, `the filter "${name}"`, column);
  }
}

function like(
  scope: RowScope,
  field: PrismaScalar,
  value: Value,
  [before, after]: readonly [string, string],
  insensitive: boolean,
): Expression {
  const operand = columnOf(scope.alias, field.column);
  const inner = scope.operation.tools.expression(value);
  const append = (left: Expression, right: Expression): Expression => {
    const texts = [left, right].map((each) =>
      each.kind === "literal" && typeof each.value === "string" ? each.value : undefined,
    );
    const [a, b] = texts;
    if (a !== undefined && b !== undefined) return literal(a + b);
    if (a === "") return right;
    return b === "" ? left : { kind: "arithmetic", operator: "||", left, right };
  };
  const pattern = append(append(literal(before), inner), literal(after));
  return { kind: "like", operand, pattern, insensitive };
}

/** IN a list; of nothing it holds for no row. */
function oneOf(scope: RowScope, field: PrismaScalar, value: Value): Expression {
  const { tools } = scope.operation;
  const operand = columnOf(scope.alias, field.column);
  const items = tools.items(value) ?? tools.isAmong(operand, value) ?? tools.members(value);
  if (items !== undefined && "kind" in items) return items;
  if (items === undefined)
    return notKnown(scope, value, "a list of values that is not known", operand);
  if (items.length === 0) return literal(false);
  const values = items.map((item) => comparand(scope, field, item));
  const [only] = values;
  if (values.length === 1 && only !== undefined) return compare("=", operand, only);
  return { kind: "in", operand, values };
}

function relationCondition(scope: RowScope, relation: PrismaRelation, value: Value): Expression {
  if (isAbsent(value)) return TRUE;
  if (value.kind === "choice") {
    return eitherWay(value, (each) => relationCondition(scope, relation, each));
  }
  if (isNull(value)) return negatedIf(true, exists(scope, relation, undefined, false));
  const fields = knownFields(scope.operation.tools, value);
  if (fields === undefined) return notKnown(scope, value, "a filter that is not known");
  const names = fields.map(([name]) => name);
  if (!names.every((name) => QUANTIFIERS.includes(name)) || names.length === 0) {
    return relation.isList
      ? notKnown(scope, value, `a filter of the list ${relation.name}`)
      : exists(scope, relation, value, false);
  }
  return connective(
    "and",
    fields.map(([name, inner]) => {
      if (name === "is" && isNull(inner))
        return negatedIf(true, exists(scope, relation, undefined, false));
      if (name === "isNot" && isNull(inner)) return exists(scope, relation, undefined, false);
      const isEvery = name === "every";
      const isNegated = isEvery || name === "none" || name === "isNot";
      return negatedIf(isNegated, exists(scope, relation, inner, isEvery));
    }),
  );
}

const QUANTIFIERS: readonly string[] = ["some", "every", "none", "is", "isNot"];

/** True if a row of the relation satisfies the filter, or with `isNegated` whether one does not. */
function exists(
  scope: RowScope,
  relation: PrismaRelation,
  where: Value | undefined,
  isNegated: boolean,
): Expression {
  const join = joinOf(scope, relation);
  if (join === undefined) return lose(scope, `the relation ${relation.name}, which has no link`);
  const inner = conditionOf(join.inner, where);
  const condition = connective("and", [join.on, negatedIf(isNegated, inner)]);
  return { kind: "exists", query: queryOf(join.relations, condition) };
}

function notKnown(
  scope: RowScope,
  value: Value,
  why: string,
  ...more: readonly Expression[]
): Expression {
  return lose(scope, why, [...more, scope.operation.tools.expression(value)]);
}

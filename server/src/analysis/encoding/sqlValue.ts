// Symbolic SQL values: a term with a flag for NULL, and SQL's three-valued logic over them.
import {
  FALSE,
  TRUE,
  add,
  and,
  div,
  eq,
  int,
  ite,
  le,
  lt,
  mod,
  mul,
  negate,
  not,
  or,
  sub,
} from "./smt";
import type { Script, Smt, Sort } from "./smt";

/** A value that may be NULL; `value` is meaningless if `isNull` holds. */
export interface SqlValue {
  readonly isNull: Smt;
  readonly value: Smt;
  readonly sort: Sort;
}

export const SQL_NULL: SqlValue = { isNull: TRUE, value: "0", sort: "Int" };

export function sqlInt(value: Smt, isNull: Smt = FALSE): SqlValue {
  return { isNull, value, sort: "Int" };
}

export function sqlBool(value: Smt, isNull: Smt = FALSE): SqlValue {
  return { isNull, value, sort: "Bool" };
}

export function sqlLiteral(value: number | boolean | null): SqlValue {
  if (value === null) return SQL_NULL;
  return typeof value === "boolean" ? sqlBool(value ? TRUE : FALSE) : sqlInt(int(value));
}

/** The condition "is true", for WHERE and guards; NULL counts as false. */
export function isTrue(operand: SqlValue): Smt {
  return and(not(operand.isNull), asBool(operand));
}

/** The condition "is false", for a violated CHECK. */
export function isFalse(operand: SqlValue): Smt {
  return and(not(operand.isNull), not(asBool(operand)));
}

/** NOT: NULL stays NULL. */
export function sqlNot(operand: SqlValue): SqlValue {
  return sqlBool(not(asBool(operand)), operand.isNull);
}

/** AND: false wins over NULL. */
export function sqlAnd(operands: readonly SqlValue[]): SqlValue {
  const value = and(...operands.map(asBool));
  const someFalse = or(...operands.map(isFalse));
  return sqlBool(value, and(not(someFalse), or(...operands.map((each) => each.isNull))));
}

/** OR: true wins over NULL. */
export function sqlOr(operands: readonly SqlValue[]): SqlValue {
  const value = or(...operands.map(isTrue));
  return sqlBool(value, and(not(value), or(...operands.map((each) => each.isNull))));
}

export function sqlCompare(operator: "=" | "<" | "<=", left: SqlValue, right: SqlValue): SqlValue {
  const isNull = or(left.isNull, right.isNull);
  if (operator === "=" && left.sort === "Bool" && right.sort === "Bool") {
    return sqlBool(eq(left.value, right.value), isNull);
  }
  const [a, b] = [asInt(left), asInt(right)];
  return sqlBool(operator === "=" ? eq(a, b) : operator === "<" ? lt(a, b) : le(a, b), isNull);
}

export function sqlArithmetic(
  operator: "add" | "subtract" | "multiply" | "divide" | "modulo",
  left: SqlValue,
  right: SqlValue,
): SqlValue {
  const compute = { add, subtract: sub, multiply: mul, divide: div, modulo: mod }[operator];
  return sqlInt(compute(asInt(left), asInt(right)), or(left.isNull, right.isNull));
}

export function sqlNegate(operand: SqlValue): SqlValue {
  return sqlInt(negate(asInt(operand)), operand.isNull);
}

export function sqlIsNull(operand: SqlValue): SqlValue {
  return sqlBool(operand.isNull);
}

/** `then` where the plain condition holds, else `otherwise`. */
export function choose(condition: Smt, then: SqlValue, otherwise: SqlValue): SqlValue {
  const isNull = ite(condition, then.isNull, otherwise.isNull);
  if (then.isNull === TRUE) return { ...otherwise, isNull };
  if (otherwise.isNull === TRUE) return { ...then, isNull };
  if (then.sort === "Bool" && otherwise.sort === "Bool") {
    return sqlBool(ite(condition, then.value, otherwise.value), isNull);
  }
  return sqlInt(ite(condition, asInt(then), asInt(otherwise)), isNull);
}

/** IS NOT DISTINCT FROM, as a plain condition: equal, or both NULL. */
export function sameValue(left: SqlValue, right: SqlValue): Smt {
  const both = and(left.isNull, right.isNull);
  const equal = sqlCompare("=", left, right);
  return or(both, and(not(equal.isNull), equal.value));
}

/** The same value with its parts named, so that later terms stay small. */
export function nameValue(script: Script, operand: SqlValue): SqlValue {
  return {
    isNull: script.name(operand.isNull, "Bool"),
    value: script.name(operand.value, operand.sort),
    sort: operand.sort,
  };
}

/** As an integer: true is 1. */
export function asInt(operand: SqlValue): Smt {
  return operand.sort === "Int" ? operand.value : ite(operand.value, "1", "0");
}

/** As a condition: an integer is true unless it is 0. */
export function asBool(operand: SqlValue): Smt {
  return operand.sort === "Bool" ? operand.value : not(eq(operand.value, "0"));
}

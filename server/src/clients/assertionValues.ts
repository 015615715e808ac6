// Values of assertions and operations on them: functions, comparisons and arithmetic, with SQL's null.
import { dictionary, ownEntry } from "../protocol/dictionary";

/** A transaction's result for its caller, as JSON. */
export type ResultValue =
  | null
  | boolean
  | number
  | string
  | readonly ResultValue[]
  | { readonly [name: string]: ResultValue };

/** Thrown for an assertion without a value, such as the sum of a text and a number. */
export class AssertionFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AssertionFault";
  }
}

/** The functions of the language by name. */
export const FUNCTIONS = dictionary<(given: readonly ResultValue[]) => ResultValue>({
  length: ([list = null]) => lengthOf(list),
  count: ([list = null]) => lengthOf(list),
  sum: (given) => numbersOf(given).reduce((sum, each) => sum + each, 0),
  min: (given) => extreme(numbersOf(given), Math.min),
  max: (given) => extreme(numbersOf(given), Math.max),
  abs: ([value = null]) => (value === null ? null : Math.abs(numberOf(value))),
  contains: ([list = null, wanted = null]) =>
    isList(list) ? list.some((each) => same(each, wanted)) : null,
  distinct: ([list = null]) =>
    isList(list) ? new Set(list.map((each) => JSON.stringify(each))).size === list.length : null,
});

function lengthOf(value: ResultValue): ResultValue {
  if (value === null) return null;
  if (isList(value) || typeof value === "string") return value.length;
  throw new AssertionFault(`${shown(value)} has no length`);
}

function extreme(numbers: readonly number[], choose: (...all: number[]) => number): ResultValue {
  return numbers.length === 0 ? null : choose(...numbers);
}

/** The numbers among the arguments and in lists of them; nulls are skipped, as in SQL. */
function numbersOf(given: readonly ResultValue[]): readonly number[] {
  return given
    .flatMap((each): readonly ResultValue[] => (isList(each) ? each : [each]))
    .filter((each) => each !== null)
    .map(numberOf);
}

/** One of `<`, `<=`, `>`, `>=`; null if an operand is. */
export function compare(operator: string, given: ResultValue, other: ResultValue): ResultValue {
  const [left, right] = [single(given), single(other)];
  if (left === null || right === null) return null;
  const texts = typeof left === "string" && typeof right === "string" && !bothNumeric(left, right);
  const order = texts
    ? left < right
      ? -1
      : left > right
        ? 1
        : 0
    : numberOf(left) - numberOf(right);
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

/** One of `+`, `-`, `*`, `/`, `%`; null if an operand is. */
export function calculate(operator: string, given: ResultValue, other: ResultValue): ResultValue {
  const [left, right] = [single(given), single(other)];
  if (left === null || right === null) return null;
  if (
    operator === "+" &&
    (typeof left === "string" || typeof right === "string") &&
    !bothNumeric(left, right)
  )
    return `${shown(left)}${shown(right)}`;
  const [a, b] = [numberOf(left), numberOf(right)];
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    default:
      if (b === 0) throw new AssertionFault("a division by zero");
      return operator === "/" ? a / b : a % b;
  }
}

/** Drivers return decimals as texts; two values that both are numeric are compared and added as numbers. */
function bothNumeric(left: ResultValue, right: ResultValue): boolean {
  return [left, right].every(
    (each) =>
      typeof each === "number" || (typeof each === "string" && /^-?\d+(?:\.\d+)?$/u.test(each)),
  );
}

/** A query's result as a single value: that of its only row and column, null without a row. */
function single(value: ResultValue): ResultValue {
  const row = isList(value) && value.length < 2 ? (value[0] ?? null) : value;
  if (!isRecord(row)) return row;
  const [only, ...more] = Object.values(row);
  return only !== undefined && more.length === 0 ? only : value;
}

export function same(given: ResultValue, wanted: ResultValue): boolean {
  const scalar = !isList(given) || !isList(wanted);
  const [left, right] = scalar ? [single(given), single(wanted)] : [given, wanted];
  if (typeof left !== typeof right && left !== null && right !== null && bothNumeric(left, right))
    return Number(left) === Number(right);
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((each, at) => same(each, right[at] ?? null));
  if (isRecord(left) && isRecord(right)) {
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every(
        (name) =>
          Object.hasOwn(right, name) &&
          same(ownEntry(left, name) ?? null, ownEntry(right, name) ?? null),
      )
    );
  }
  return left === right;
}

export function member(value: ResultValue, name: string): ResultValue {
  if (value === null) return null;
  if (name === "length") return lengthOf(value);
  // A query with one row is that row, one without rows is NULL.
  const record = isList(value) && value.length < 2 ? (value[0] ?? null) : value;
  if (record === null) return null;
  if (isRecord(record)) return ownEntry(record, name) ?? null;
  throw new AssertionFault(`${shown(value)} has no field "${name}"`);
}

export function element(value: ResultValue, index: ResultValue): ResultValue {
  if (value === null || index === null) return null;
  if (isList(value) && typeof index === "number") return value[index] ?? null;
  if (isRecord(value) && typeof index === "string") return member(value, index);
  throw new AssertionFault(`${shown(value)} is no list`);
}

/** The truth value; null if unknown. */
export function truthOf(given: ResultValue): boolean | null {
  const value = single(given);
  if (value === null || typeof value === "boolean") return value;
  // MySQL's Booleans are numbers.
  if (value === 0 || value === 1) return value === 1;
  throw new AssertionFault(`${shown(value)} is neither true nor false`);
}

/** The negation; null stays null. */
export function negate(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

function numberOf(value: ResultValue): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/u.test(value)) return Number(value);
  const only = single(value);
  if (only !== value && only !== null) return numberOf(only);
  throw new AssertionFault(`${shown(value)} is no number`);
}

function isList(value: ResultValue): value is readonly ResultValue[] {
  return Array.isArray(value);
}

export function isRecord(value: ResultValue): value is { readonly [name: string]: ResultValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: ResultValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

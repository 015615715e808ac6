// Whole numbers of 64 bits: JavaScript's numbers while they are exact, big integers beyond.
import { failure } from "../sqlError";
import { compareDecimals, isDecimal, toDecimal, type Decimal } from "./decimal";
import type { SqlValue, Whole } from "./value";
import { postgresName, rangeOf, type SqlType } from "./types";

/** The smaller form of a big integer, checked against 64 bits (unsigned up to twice as far). */
export function whole(value: bigint): Whole {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) {
    return Number(value);
  }
  return value;
}

/** A result of integer arithmetic in its type, or the error that the databases raise. */
export function checkedWhole(value: Whole, type: SqlType): Whole {
  if (type === "uint8") {
    if (value < 0 || value > MOST_UNSIGNED) {
      throw failure("valueOutOfRange", "BIGINT UNSIGNED value is out of range");
    }
    return value;
  }
  const [least, most] = rangeOf(type) ?? [LEAST, MOST];
  if (value < least || value > most) {
    throw failure("valueOutOfRange", `${postgresName(type)} out of range`);
  }
  return value;
}

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;
const MOST_UNSIGNED = 2n ** 64n - 1n;

export type WholeOperation = "+" | "-" | "*" | "/" | "%" | "&" | "|" | "#" | "<<" | ">>";

/** Integer arithmetic; `/` and `%` truncate toward zero, and their divisor is not zero. */
export function computeWhole(operator: WholeOperation, left: Whole, right: Whole): Whole {
  if (typeof left === "number" && typeof right === "number") {
    const result = onNumbers(operator, left, right);
    if (result !== undefined && Number.isSafeInteger(result)) return result === 0 ? 0 : result;
  }
  return whole(onBigInts(operator, BigInt(left), BigInt(right)));
}

function onNumbers(operator: WholeOperation, left: number, right: number): number | undefined {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return Math.trunc(left / right);
    case "%":
      return left % right;
    default:
      return undefined;
  }
}

function onBigInts(operator: WholeOperation, left: bigint, right: bigint): bigint {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "#":
      return left ^ right;
    case "<<":
      return BigInt.asIntN(64, left << right);
    case ">>":
      return left >> right;
    default:
      return operator satisfies never;
  }
}

export type NumericValue = Whole | Decimal;

export function isNumericValue(value: SqlValue): value is NumericValue {
  return typeof value === "number" || typeof value === "bigint" || isDecimal(value);
}

/** Orders numbers of any types; NaN equals itself and is the greatest. */
export function compareNumbers(left: NumericValue, right: NumericValue): number {
  if (typeof left !== "object" && typeof right !== "object") return comparePlain(left, right);
  return isFinite(left) && isFinite(right)
    ? compareDecimals(toDecimal(left), toDecimal(right))
    : comparePlain(withoutFraction(left), withoutFraction(right));
}

function comparePlain(left: Whole, right: Whole): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
}

function isFinite(value: NumericValue): boolean {
  return typeof value !== "number" || Number.isFinite(value);
}

/** Beside what is not finite, every other number is as good. */
function withoutFraction(value: NumericValue): Whole {
  return typeof value === "object" ? value.units : value;
}

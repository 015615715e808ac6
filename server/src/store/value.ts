// Values of the store: exact integers and decimals, text, Booleans, NULL, and opaque terms.
import type { ValueType } from "../program/expression";
import type { Value } from "../protocol/witness";
import { NotExecutable, SqlFailure } from "./failure";

/** `digits` times ten to the power of minus `scale`. */
export interface Decimal {
  readonly kind: "decimal";
  readonly digits: bigint;
  readonly scale: number;
}

/** The result of something that was not understood: equal terms are equal, nothing else is known. */
export interface Opaque {
  readonly kind: "opaque";
  readonly text: string;
  /** True if code outside of the database computes it. */
  readonly isOfCode?: boolean;
  /** The text without the marks that distinguish two uses of one term, if there are any. */
  readonly form?: string;
  /** The calls and unknowns in it, by form. */
  readonly atoms?: readonly string[];
}

/** The text of a value without the marks that distinguish two uses of one term. */
export function formOf(value: SqlValue): string {
  return (isOpaque(value) ? value.form : undefined) ?? renderValue(value);
}

/** The opaque atoms in values. */
export function atomsOf(values: readonly SqlValue[]): readonly string[] {
  return [...new Set(values.flatMap((each) => (isOpaque(each) ? (each.atoms ?? []) : [])))];
}

/** Integers are numbers; every other number is a decimal, so that `/` knows which division is meant. */
export type SqlValue = number | string | boolean | null | Decimal | Opaque;

/** A witness's value in the store's form for that type. */
export function fromValue(value: Value, type: ValueType): SqlValue {
  if (typeof value === "number")
    return type === "decimal" || !Number.isInteger(value) ? decimalOf(value) : value;
  return value;
}

/** A value in the witness's form. */
export function toValue(value: SqlValue): Value {
  if (value === null || typeof value !== "object") return value;
  return value.kind === "decimal" ? Number(renderDecimal(value)) : value.text;
}

/** Readable text, equal for equal values. */
export function renderValue(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "object")
    return value.kind === "decimal" ? renderDecimal(value) : value.text;
  return String(value);
}

/** A value as a column of that type stores it: integers are rounded, numbers become decimals; MySQL's Booleans are numbers. */
export function coerce(value: SqlValue, type: ValueType): SqlValue {
  if (type === "bool" && typeof value === "number") return value !== 0;
  if ((type === "int" || type === "decimal") && typeof value === "boolean")
    return coerce(Number(value), type);
  if (type === "int" && isDecimal(value)) return toInteger(rescale(value, 0));
  if (type === "decimal" && typeof value === "number") return decimalOf(value);
  if ((type === "int" || type === "decimal") && typeof value === "string") {
    const number = numberIn(value);
    return number === undefined ? value : coerce(number, type);
  }
  return value;
}

export function isDecimal(value: SqlValue): value is Decimal {
  return typeof value === "object" && value !== null && value.kind === "decimal";
}

/** Negative, zero or positive; undefined if one is NULL. An opaque term equals only itself. */
export function compareValues(left: SqlValue, right: SqlValue): number | undefined {
  if (left === null || right === null) return undefined;
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (isOpaque(left) || isOpaque(right)) {
    if (isOpaque(left) && isOpaque(right) && left.text === right.text) return 0;
    throw new NotExecutable(
      `a comparison with ${renderValue(isOpaque(left) ? left : right)}, which is not understood`,
    );
  }
  const a = asNumeric(left);
  const b = asNumeric(right);
  if (a === undefined || b === undefined) return compareText(renderValue(left), renderValue(right));
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** `a IS NOT DISTINCT FROM b`. */
export function sameValue(left: SqlValue, right: SqlValue): boolean {
  if (left === null || right === null) return left === right;
  if (isOpaque(left) && isOpaque(right)) return left.text === right.text;
  return compareValues(left, right) === 0;
}

/** The order of ORDER BY ascending and of keys: NULL last, opaque terms by text. */
export function orderValues(left: SqlValue, right: SqlValue): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (isOpaque(left) || isOpaque(right)) return compareText(renderValue(left), renderValue(right));
  return compareValues(left, right) ?? 0;
}

/** `left operator right` for numbers, NULL if one is. Integers divide towards zero, as in PostgreSQL. */
export function calculate(
  operator: "+" | "-" | "*" | "/" | "%",
  left: SqlValue,
  right: SqlValue,
): SqlValue {
  if (left === null || right === null) return null;
  const a = asNumeric(left);
  const b = asNumeric(right);
  if (a === undefined || b === undefined)
    throw new NotExecutable(
      `${renderValue(left)} ${operator} ${renderValue(right)}: not a calculation with numbers`,
    );
  if (typeof a === "number" && typeof b === "number") return integers(operator, a, b);
  return decimals(operator, toDecimal(a), toDecimal(b));
}

/** The number rounded to `scale` digits after the point, halves away from zero. */
export function rescale(value: Decimal, scale: number): Decimal {
  if (scale >= value.scale)
    return { kind: "decimal", digits: value.digits * 10n ** BigInt(scale - value.scale), scale };
  return {
    kind: "decimal",
    digits: roundedQuotient(value.digits, 10n ** BigInt(value.scale - scale)),
    scale,
  };
}

/** The integer value of a decimal without fraction. */
export function toInteger(value: Decimal): number {
  return exactInteger(Number(rescale(value, 0).digits));
}

export function toDecimal(value: number | Decimal): Decimal {
  return typeof value === "number" ? decimalOf(value) : value;
}

/** A number, the number in a text, or MySQL's for a Boolean; undefined for anything else. */
export function asNumeric(value: SqlValue): number | Decimal | undefined {
  if (typeof value === "number" || isDecimal(value)) return value;
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" ? numberIn(value) : undefined;
}

export function isOpaque(value: SqlValue): value is Opaque {
  return typeof value === "object" && value !== null && value.kind === "opaque";
}

function integers(operator: "+" | "-" | "*" | "/" | "%", a: number, b: number): number {
  switch (operator) {
    case "+":
      return exactInteger(a + b);
    case "-":
      return exactInteger(a - b);
    case "*":
      return exactInteger(a * b);
    case "/":
    case "%":
      if (b === 0) throw new SqlFailure("22012", "division by zero");
      // Adding 0 turns -0 into 0.
      return (operator === "/" ? Math.trunc(a / b) : a % b) + 0;
  }
}

function decimals(operator: "+" | "-" | "*" | "/" | "%", a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = aligned(a, b);
  switch (operator) {
    case "+":
      return { kind: "decimal", digits: x + y, scale };
    case "-":
      return { kind: "decimal", digits: x - y, scale };
    case "*":
      return { kind: "decimal", digits: a.digits * b.digits, scale: a.scale + b.scale };
    case "/":
    case "%":
      if (y === 0n) throw new SqlFailure("22012", "division by zero");
      if (operator === "%") return { kind: "decimal", digits: x % y, scale };
      return {
        kind: "decimal",
        digits: roundedQuotient(x * 10n ** BigInt(QUOTIENT_SCALE), y),
        scale: QUOTIENT_SCALE,
      };
  }
}

/** PostgreSQL computes a quotient to at least 16 significant digits. */
const QUOTIENT_SCALE = 16;

function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n;
  const a = dividend < 0n ? -dividend : dividend;
  const b = divisor < 0n ? -divisor : divisor;
  const rounded = (a * 2n + b) / (b * 2n);
  return negative ? -rounded : rounded;
}

function exactInteger(value: number): number {
  if (!Number.isSafeInteger(value))
    throw new NotExecutable("a number that is too large to be computed exactly");
  return value;
}

function decimalOf(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0
    ? { kind: "decimal", digits, scale }
    : { kind: "decimal", digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function renderDecimal(value: Decimal): string {
  const negative = value.digits < 0n;
  const text = (negative ? -value.digits : value.digits).toString().padStart(value.scale + 1, "0");
  const whole = text.slice(0, text.length - value.scale);
  const fraction = text.slice(text.length - value.scale).replace(/0+$/, "");
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

function aligned(left: number | Decimal, right: number | Decimal): readonly [bigint, bigint] {
  const a = toDecimal(left);
  const b = toDecimal(right);
  const scale = Math.max(a.scale, b.scale);
  return [rescale(a, scale).digits, rescale(b, scale).digits];
}

function numberIn(text: string): number | Decimal | undefined {
  if (!/^\s*[+-]?\d+(\.\d+)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isInteger(value) && !text.includes(".") ? value : decimalOf(value);
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

// Exact decimal numbers: NUMERIC of PostgreSQL and DECIMAL of MySQL, with the scale of every result as they have it.
import { failure } from "../sqlError";

/** units / 10^scale; the scale is kept, since it is shown. */
export interface Decimal {
  readonly kind: "decimal";
  readonly units: bigint;
  readonly scale: number;
}

export function decimal(units: bigint, scale: number): Decimal {
  return { kind: "decimal", units, scale };
}

export function isDecimal(value: unknown): value is Decimal {
  return typeof value === "object" && value !== null && "units" in value;
}

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** The number that a text spells, undefined when it spells none. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = "", fraction = "", exponent] = SHAPE.exec(text.trim()) ?? [];
  if (whole === "" && fraction === "") return undefined;
  const shift = Number(exponent ?? "0");
  if (Math.abs(shift) > MOST_DIGITS) return undefined;
  let units = BigInt(whole + fraction);
  let scale = fraction.length - shift;
  if (scale < 0) {
    units *= power(-scale);
    scale = 0;
  }
  return decimal(sign === "-" ? -units : units, scale);
}

const MOST_DIGITS = 1000;

export function formatDecimal({ units, scale }: Decimal): string {
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(scale + 1, "0");
  const cut = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return negative ? `-${text}` : text;
}

/** An integer or a float as a decimal; floats by their shortest text. */
export function toDecimal(value: number | bigint | Decimal): Decimal {
  if (typeof value === "object") return value;
  if (typeof value === "bigint" || Number.isInteger(value)) return decimal(BigInt(value), 0);
  const parsed = parseDecimal(String(value));
  if (parsed === undefined) throw failure("outOfRange", "cannot convert this number to numeric");
  return parsed;
}

export function decimalToNumber(value: Decimal): number {
  return Number(formatDecimal(value));
}

/** Rounds half away from zero to a scale, which may be negative. */
export function rescale(value: Decimal, scale: number): Decimal {
  if (scale >= value.scale) {
    return decimal(value.units * power(scale - value.scale), scale);
  }
  const divisor = power(value.scale - scale);
  const units = roundedQuotient(value.units, divisor);
  return scale >= 0 ? decimal(units, scale) : decimal(units * power(-scale), 0);
}

/** Cuts digits off. */
export function truncate(value: Decimal, scale: number): Decimal {
  if (scale >= value.scale) return scale === value.scale ? value : rescale(value, scale);
  const units = value.units / power(value.scale - scale);
  return scale >= 0 ? decimal(units, scale) : decimal(units * power(-scale), 0);
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return decimal(rescale(left, scale).units + rescale(right, scale).units, scale);
}

export function negateDecimal(value: Decimal): Decimal {
  return decimal(-value.units, value.scale);
}

export function multiplyDecimals(left: Decimal, right: Decimal): Decimal {
  return decimal(left.units * right.units, left.scale + right.scale);
}

/** The quotient with `scale` digits, rounded half away from zero. The divisor is not zero. */
export function divideDecimals(left: Decimal, right: Decimal, scale: number): Decimal {
  const shift = scale + right.scale - left.scale;
  const numerator = shift >= 0 ? left.units * power(shift) : left.units;
  const denominator = shift >= 0 ? right.units : right.units * power(-shift);
  return decimal(roundedQuotient(numerator, denominator), scale);
}

/**
 * The scale of a quotient in PostgreSQL: at least 16 significant digits, counted in groups of four
 * (`select_div_scale` of its numeric.c).
 */
export function quotientScale(left: Decimal, right: Decimal): number {
  const [leftWeight, leftDigit] = leading(left);
  const [rightWeight, rightDigit] = leading(right);
  const weight = leftWeight - rightWeight - (leftDigit <= rightDigit ? 1 : 0);
  return Math.min(1000, Math.max(16 - weight * 4, left.scale, right.scale, 0));
}

/** The power of 10,000 of the first group of four digits, and that group. */
function leading({ units, scale }: Decimal): readonly [number, number] {
  if (units === 0n) return [0, 0];
  const digits = (units < 0n ? -units : units).toString();
  // The exponent of ten of the first digit.
  const exponent = digits.length - 1 - scale;
  const weight = Math.floor(exponent / 4);
  const inGroup = exponent - weight * 4 + 1;
  return [weight, Number(digits.slice(0, inGroup).padEnd(inGroup, "0"))];
}

export function remainderOf(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return decimal(rescale(left, scale).units % rescale(right, scale).units, scale);
}

export function compareDecimals(left: Decimal, right: Decimal): number {
  if (left.scale === right.scale) return order(left.units, right.units);
  const scale = Math.max(left.scale, right.scale);
  return order(rescale(left, scale).units, rescale(right, scale).units);
}

function order(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The same number without zeros at the end: equal numbers give equal texts. */
export function canonicalDecimal(value: Decimal): string {
  const text = formatDecimal(value);
  return value.scale === 0 ? text : text.replace(/\.?0+$/, "").replace(/^-0$/, "0");
}

function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  if (2n * (rest < 0n ? -rest : rest) < (denominator < 0n ? -denominator : denominator)) {
    return quotient;
  }
  return quotient + (numerator < 0n === denominator < 0n ? 1n : -1n);
}

const POWERS: bigint[] = [1n];

function power(exponent: number): bigint {
  for (let next = POWERS.length; next <= exponent; next++) {
    POWERS.push((POWERS[next - 1] ?? 1n) * 10n);
  }
  return POWERS[exponent] ?? 1n;
}

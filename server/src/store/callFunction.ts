// Deterministic SQL functions by name. Unlisted ones give an opaque term of their arguments.
import { TEXT_AS_BYTES, type TextMethod } from "../program/functions";
import { matchesPattern } from "../program/pattern";
import { dictionary } from "../protocol/dictionary";
import { SqlFailure } from "./failure";
import { callOfMoments } from "./moments";
import {
  asNumeric,
  atomsOf,
  calculate,
  compareValues,
  formOf,
  isOpaque,
  renderValue,
  rescale,
  sameValue,
  toDecimal,
  toInteger,
  type Decimal,
  type SqlValue,
} from "./value";

/** The function's value; functions without an entry are kept as a term, equal for equal arguments. */
export function callFunction(name: string, values: readonly SqlValue[]): SqlValue {
  const ofMoments = callOfMoments(name, values);
  if (ofMoments !== undefined) return ofMoments;
  const known = FUNCTIONS[name.toLowerCase()];
  const isKnown = known !== undefined && values.length <= (known.most ?? values.length);
  if (!isKnown || (known.strict && values.some(isOpaque))) return unknownCall(name, values);
  if (known.strict && values.includes(null)) return null;
  return known.apply(values);
}

type Method = (of: string, rest: readonly (string | number)[]) => SqlValue;

function unknownCall(name: string, values: readonly SqlValue[]): SqlValue {
  const text = `${name}(${values.map(renderValue).join(", ")})`;
  const form = `${name}(${values.map(formOf).join(", ")})`;
  const isOfCode =
    name.startsWith("code:") && values.filter(isOpaque).every((each) => each.isOfCode);
  return {
    kind: "opaque",
    text,
    form,
    atoms: [form, ...atomsOf(values)],
    ...(isOfCode && { isOfCode }),
  };
}

interface SqlFunction {
  /** True if a NULL argument gives NULL. */
  readonly strict: boolean;
  readonly apply: (values: readonly SqlValue[]) => SqlValue;
  /** The maximal number of arguments; with more it is an unknown function. */
  readonly most?: number;
}

const strict = (apply: SqlFunction["apply"]): SqlFunction => ({ strict: true, apply });
const lax = (apply: SqlFunction["apply"]): SqlFunction => ({ strict: false, apply });
const text = (apply: (value: string) => SqlValue): SqlFunction => ({
  ...strict(([value]) => apply(renderValue(value ?? null))),
  most: 1,
});
/** Trims spaces only: tabs and line breaks stay. */
const trimmed = (value: string): string => value.replace(/^ +| +$/gu, "");

/** JavaScript's truthiness of a value. */
const TRUTH = lax(([value = null]) => ![null, false, 0, ""].some((each) => each === value));

/** String methods; applied to other values they are opaque terms. */
const TEXTS: Readonly<Record<TextMethod, Method>> = {
  startsWith: (of, [part]) => of.startsWith(String(part)),
  endsWith: (of, [part]) => of.endsWith(String(part)),
  includes: (of, [part]) => of.includes(String(part)),
  slice: (of, [from, to]) => of.slice(Number(from), to === undefined ? undefined : Number(to)),
  substring: (of, [from, to]) =>
    of.substring(Number(from), to === undefined ? undefined : Number(to)),
  padStart: (of, [length, by]) =>
    of.padStart(Number(length), by === undefined ? undefined : String(by)),
  replaceAll: (of, [old, by]) => of.split(String(old)).join(String(by)),
  indexOf: (of, [part]) => of.indexOf(String(part)),
  charAt: (of, [at]) => of.charAt(Number(at)),
};

function textMethods(): Record<string, SqlFunction> {
  const own = Object.entries(TEXTS).map(([name, method]): [string, SqlFunction] => [
    // `callFunction` looks names up in lower case.
    `code:${name.toLowerCase()}`,
    strict(([of = null, ...rest]) =>
      typeof of === "string" &&
      rest.every((each): each is string | number => ["string", "number"].includes(typeof each))
        ? method(of, rest)
        : unknownCall(`code:${name}`, [of, ...rest]),
    ),
  ]);
  return Object.fromEntries(own);
}

const FUNCTIONS = dictionary<SqlFunction | undefined>({
  ...textMethods(),
  "code:truth": TRUTH,
  "code:truth_of_any": TRUTH,
  // The cast of an integer, after which `/` keeps fractions.
  numeric: strict(([value = null]) => numeric(value, toDecimal)),
  [TEXT_AS_BYTES]: lax(([value = null]) => value),
  "~": strict((values) => matched(values) ?? unknownCall("~", values)),
  "!~": strict((values) => {
    const answer = matched(values);
    return answer === undefined ? unknownCall("!~", values) : !answer;
  }),
  greatest: lax((values) => extreme(values, 1)),
  least: lax((values) => extreme(values, -1)),
  nullif: lax(([left = null, right = null]) =>
    left !== null && right !== null && sameValue(left, right) ? null : left,
  ),
  coalesce: lax((values) => values.find((value) => value !== null) ?? null),
  concat: lax((values) =>
    values.map((value) => (value === null ? "" : renderValue(value))).join(""),
  ),
  abs: strict(([value = null]) =>
    (compareValues(value, 0) ?? 0) < 0 ? calculate("-", 0, value) : value,
  ),
  mod: strict(([left = null, right = null]) => calculate("%", left, right)),
  sign: strict(([value = null]) => Math.sign(compareValues(value, 0) ?? 0)),
  round: strict(([value = null, digits = 0]) =>
    numeric(value, (number) => rounded(number, typeof digits === "number" ? digits : 0)),
  ),
  trunc: strict(([value = null]) => numeric(value, (number) => towards(number, "zero"))),
  floor: strict(([value = null]) => numeric(value, (number) => towards(number, "below"))),
  ceil: strict(([value = null]) => numeric(value, (number) => towards(number, "above"))),
  ceiling: strict(([value = null]) => numeric(value, (number) => towards(number, "above"))),
  lower: text((value) => value.toLowerCase()),
  upper: text((value) => value.toUpperCase()),
  trim: text(trimmed),
  btrim: text(trimmed),
  length: text((value) => [...value].length),
  char_length: text((value) => [...value].length),
});

/** True if a text matches a regular expression; undefined if that is not understood. */
function matched([text, pattern]: readonly SqlValue[]): boolean | undefined {
  return typeof text === "string" && typeof pattern === "string"
    ? matchesPattern(pattern, text)
    : undefined;
}

/** The greatest (1) or least (-1) non-NULL value. */
function extreme(values: readonly SqlValue[], sign: 1 | -1): SqlValue {
  return values.reduce<SqlValue>((best, value) => {
    if (value === null || best === null) return best ?? value;
    return (compareValues(value, best) ?? 0) * sign > 0 ? value : best;
  }, null);
}

function numeric(value: SqlValue, apply: (number: number | Decimal) => SqlValue): SqlValue {
  const number = asNumeric(value);
  if (number === undefined)
    throw new SqlFailure("22P02", `"${renderValue(value)}" is not a number`);
  return apply(number);
}

function rounded(value: number | Decimal, digits: number): SqlValue {
  if (typeof value === "number" && digits >= 0) return value;
  if (digits >= 0) return rescale(toDecimal(value), digits);
  const unit = 10 ** -digits;
  const quotient = toInteger(rescale(toDecimal(calculateNumber(value, unit)), 0));
  return quotient * unit;
}

function calculateNumber(value: number | Decimal, divisor: number): Decimal {
  const quotient = calculate("/", toDecimal(value), divisor);
  return quotient !== null && typeof quotient === "object" && quotient.kind === "decimal"
    ? quotient
    : toDecimal(0);
}

function towards(value: number | Decimal, direction: "zero" | "below" | "above"): SqlValue {
  if (typeof value === "number") return value;
  const unit = 10n ** BigInt(value.scale);
  const whole = value.digits / unit;
  const exact = whole * unit === value.digits;
  const step =
    exact || direction === "zero"
      ? 0n
      : direction === "below"
        ? value.digits < 0n
          ? -1n
          : 0n
        : value.digits > 0n
          ? 1n
          : 0n;
  return { kind: "decimal", digits: whole + step, scale: 0 };
}

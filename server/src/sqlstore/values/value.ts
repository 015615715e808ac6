// Values of SQL as they are computed with. What a value is of is known from its type (`types.ts`): texts of dates, of
// JSON and of plain text are all strings.
import type { Decimal } from "./decimal";

/** Whole numbers are `number` while they are exact, and `bigint` beyond. */
export type Whole = number | bigint;

/** Months and days have no fixed length, so they are kept apart from the microseconds. */
export interface Interval {
  readonly kind: "interval";
  readonly months: number;
  readonly days: number;
  readonly micros: number;
}

export type SqlValue =
  | null
  | boolean
  /** Also floating point. */
  | number
  | bigint
  /** Text; dates and times as in ISO 8601 with a space, whose order as text is their order; bytes in hexadecimal. */
  | string
  | Decimal
  | Interval
  | readonly SqlValue[];

export type SqlRow = readonly SqlValue[];

export function isInterval(value: SqlValue): value is Interval {
  return typeof value === "object" && value !== null && "months" in value;
}

export function isList(value: SqlValue): value is readonly SqlValue[] {
  return Array.isArray(value);
}

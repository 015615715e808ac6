// Places of values in the order of their type, as numbers: a greater value has never a smaller place.
import { formatDecimal, isDecimal } from "./decimal";
import { isNumeric, type SqlType } from "./types";
import type { SqlValue } from "./value";

/** True for types whose values have places. */
export function isPlaced(type: SqlType): boolean {
  return isNumeric(type) || type === "date" || type === "timestamp" || type === "timestamptz";
}

/** Undefined for values that have none, NULL among them. */
export function placeOf(value: SqlValue): number | undefined {
  if (isDecimal(value)) return Number(formatDecimal(value));
  switch (typeof value) {
    case "number":
      // PostgreSQL's NaN is greater than all other numbers.
      return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
    case "bigint":
      return Number(value);
    case "string":
      return placeInTime(value);
    default:
      return undefined;
  }
}

const MOMENT = /^(\d{4,6})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d(?:\.\d+)?))?$/;

/** Seconds, with months of 32 days. */
function placeInTime(text: string): number | undefined {
  if (text === "infinity") return Number.POSITIVE_INFINITY;
  if (text === "-infinity") return Number.NEGATIVE_INFINITY;
  const [, year, month, day, hour = 0, minute = 0, second = 0] = MOMENT.exec(text) ?? [];
  if (year === undefined) return undefined;
  const days = (Number(year) * 13 + Number(month)) * 32 + Number(day);
  return ((days * 24 + Number(hour)) * 60 + Number(minute)) * 60 + Number(second);
}

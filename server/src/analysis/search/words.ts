// Readable values for numbers that represent text, times and other data only compared for equality.
import type { ValueType } from "../../program/expression";
import { FIRST_FRESH } from "../encoding/product/database";

/** A value of the type for a number: injective, and different from every taken text. */
export function wordOf(type: ValueType, value: number, taken: readonly string[]): string {
  const made = plain(type, value);
  return taken.includes(made) ? `${made}'` : made;
}

/** Values created while transactions run (see `freshValues`) get dates of another year. */
function dayOf(value: number): string {
  const start = value < FIRST_FRESH ? Date.UTC(2025, 0, 1 + value) : Date.UTC(2027, 0, 1 + value - FIRST_FRESH); // prettier-ignore
  return new Date(start).toISOString().replace(/T.*/, "");
}

function plain(type: ValueType, value: number): string {
  switch (type) {
    case "time":
      return dayOf(value);
    case "json":
      return `{"v": ${String(value)}}`;
    case "bytes":
      return `\\x${(value & 0xff).toString(16).padStart(2, "0")}`;
    case "text":
    case "other":
    case "int":
    case "decimal":
    case "bool":
      return value >= 1 && value <= 26 ? String.fromCharCode(96 + value) : `v${String(value)}`;
    default: {
      const never: never = type;
      return never;
    }
  }
}

// Readable values for numbers that stand for text, times and other things that are only compared for equality.
import type { ValueType } from "../../program/expression";

/** A value of the type that is different for different numbers, and different from every given text. */
export function wordOf(type: ValueType, value: number, taken: readonly string[]): string {
  const made = plain(type, value);
  return taken.includes(made) ? `${made}'` : made;
}

function plain(type: ValueType, value: number): string {
  switch (type) {
    case "time":
      return new Date(Date.UTC(2025, 0, 1) + value * 86_400_000).toISOString().replace(/T.*/, "");
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

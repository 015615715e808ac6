// Invented values for columns.
import type { Column } from "../program/schema";
import type { Value } from "../protocol/witness";

/** A value of the column's type that nothing depends on. */
export function plainValue(column: Column): Value {
  if (column.nullable) return null;
  switch (column.type) {
    case "int":
    case "decimal":
      return 1;
    case "bool":
      return false;
    case "time":
      return "2025-01-01";
    case "json":
      return "{}";
    case "bytes":
      return "\\x00";
    case "text":
    case "other":
      return "a";
    default: {
      const never: never = column.type;
      return never;
    }
  }
}

/** A value of the column's type outside of the given ones; undefined if the type has too few. */
export function unusedValue({ type }: Column, taken: readonly unknown[]): Value | undefined {
  const candidates = Array.from({ length: taken.length + 1 }, (_, at) => numbered(type, at));
  return candidates.find((each) => each !== undefined && !taken.includes(each));
}

function numbered(type: Column["type"], at: number): Value | undefined {
  switch (type) {
    case "int":
    case "decimal":
      return at + 1;
    case "bool":
      return at > 1 ? undefined : at === 1;
    case "time":
      return new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10);
    case "json":
      return `{"n": ${String(at)}}`;
    case "bytes":
      return `\\x${at.toString(16).padStart(4, "0")}`;
    case "text":
    case "other":
      return at === 0 ? "a" : `a${String(at + 1)}`;
    default: {
      const never: never = type;
      return never;
    }
  }
}

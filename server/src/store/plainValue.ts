// Values for columns of rows that somebody has to make up.
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

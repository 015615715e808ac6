// Types as MySQL lists them.
import type { DeclaredType } from "../values/types";

/** MySQL's words for a type. */
export function typeText(declared: DeclaredType): string {
  const { type, length, precision, scale, labels, listed } = declared;
  if (listed !== undefined && labels === undefined) return listed;
  const sized = (name: string, ...sizes: readonly (number | undefined)[]): string => {
    const known = sizes.filter((size) => size !== undefined);
    return known.length === 0 ? name : `${name}(${known.join(",")})`;
  };
  switch (type) {
    case "bool":
      return "tinyint(1)";
    case "int2":
      return "smallint";
    case "int4":
      return "int";
    case "int8":
      return "bigint";
    case "uint8":
      return "bigint unsigned";
    case "numeric":
      return sized("decimal", precision, scale);
    case "float4":
      return "float";
    case "float8":
      return "double";
    case "bpchar":
      return sized("char", length);
    case "varchar":
      return sized("varchar", length);
    case "bytea":
      return "blob";
    case "timestamp":
      return "datetime";
    case "timestamptz":
      return "timestamp";
    case "enum":
      return `enum(${(labels ?? []).map((label) => `'${label}'`).join(",")})`;
    case "jsonb":
      return "json";
    default:
      return type;
  }
}

// Types as MySQL lists them.
import type { Dialect } from "../../program/dialect";
import type { DeclaredType } from "../values/types";

/** Digits that MariaDB shows behind whole numbers, and how many where they are unsigned. */
const WIDTHS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["tinyint", [4, 3]],
  ["smallint", [6, 5]],
  ["mediumint", [9, 8]],
  ["int", [11, 10]],
  ["bigint", [20, 20]],
  ["year", [4, 4]],
]);

export function usualCollation(dialect: Dialect): string {
  return dialect === "mariadb" ? "utf8mb4_general_ci" : "utf8mb4_0900_ai_ci";
}

/** The product's words for a type. */
export function typeText(declared: DeclaredType, dialect: Dialect): string {
  const text = wordsOf(declared);
  if (dialect !== "mariadb") return text;
  if (text === "json") return "longtext";
  const [word = "", ...rest] = text.split(" ");
  const [signed, unsigned] = WIDTHS.get(word) ?? [];
  if (signed === undefined) return text;
  const width = rest.includes("unsigned") ? unsigned : signed;
  return [`${word}(${String(width)})`, ...rest].join(" ");
}

function wordsOf(declared: DeclaredType): string {
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

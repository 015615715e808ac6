// Values of SQL as JSON: what to_json(), json_build_object() and their likes make of them.
import type { Dialect } from "../../program/dialect";
import { formatValue } from "../values/format";
import { elementOf, isJson, isNumeric, isTemporal, type SqlType } from "../values/types";
import { isList, type SqlValue } from "../values/value";
import { plainText } from "../values/text";

/** The JSON text of a value. */
export function toJson(value: SqlValue, type: SqlType, dialect: Dialect): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return dialect === "postgres" ? String(value) : value ? "1" : "0";
  if (isJson(type)) return plainText(value);
  const element = elementOf(type);
  if (element !== undefined && isList(value)) {
    return `[${value.map((each) => toJson(each, element, dialect)).join(",")}]`;
  }
  if (isNumeric(type)) return formatValue(value, type);
  if (isTemporal(type) && dialect === "postgres") {
    const text = plainText(value).replace(" ", "T");
    return JSON.stringify(type === "timestamptz" ? `${text}+00:00` : text);
  }
  return JSON.stringify(formatValue(value, type));
}

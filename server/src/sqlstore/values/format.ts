// Values as text: what a cast to text gives and what goes over the wire.
import { formatDecimal, isDecimal } from "./decimal";
import { formatInterval } from "./temporal";
import { elementOf, type SqlType } from "./types";
import { isInterval, isList, type SqlValue } from "./value";

/** The text of a value that is not NULL, as a cast to text gives it. */
export function formatValue(value: SqlValue, type: SqlType): string {
  if (value === null) return "";
  if (isVector(type)) return isList(value) ? value.map(String).join(" ") : "";
  const element = elementOf(type);
  if (element !== undefined) return isList(value) ? formatArray(value, element) : "{}";
  switch (typeof value) {
    case "string":
      return type === "timestamptz" && !value.endsWith("infinity") ? `${value}+00` : value;
    case "number":
      if (type === "float4") return formatFloat(shortestSingle(value));
      return Number.isInteger(value) && type !== "float8" ? String(value) : formatFloat(value);
    case "bigint":
      return value.toString();
    case "boolean":
      return value ? "true" : "false";
    default:
      if (isDecimal(value)) return formatDecimal(value);
      if (isInterval(value)) return formatInterval(value);
      return formatRecord(value);
  }
}

function isVector(type: SqlType): boolean {
  return type === "int2vector" || type === "oidvector";
}

/** The text of a value on the wire: PostgreSQL writes truth values as one letter, and bytes with `\x`. */
export function wireText(value: SqlValue, type: SqlType): string | null {
  if (value === null) return null;
  if (typeof value === "boolean") return value ? "t" : "f";
  return formatValue(value, type);
}

/** The shortest text that reads back as the same number; exponents from 10^15 on and below 10^-4. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e15))
    return Object.is(value, -0) ? "-0" : plain(value);
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${digits}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

/** The number with the fewest digits that is the same in single precision: nine tell any two of them apart. */
function shortestSingle(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return value;
}

/** JavaScript writes numbers below 10^-6 with an exponent. */
function plain(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toFixed(20).replace(/0+$/, "");
}

function formatArray(values: readonly SqlValue[], element: SqlType): string {
  const items = values.map((value) => {
    if (value === null) return "NULL";
    if (isList(value)) return formatArray(value, element);
    const text = typeof value === "boolean" ? (value ? "t" : "f") : formatValue(value, element);
    const needsQuotes = text === "" || /[\s{},"\\]/.test(text) || text.toLowerCase() === "null";
    return needsQuotes ? `"${text.replace(/["\\]/g, (each) => `\\${each}`)}"` : text;
  });
  return `{${items.join(",")}}`;
}

function formatRecord(values: readonly SqlValue[]): string {
  const items = values.map((value) => {
    if (value === null) return "";
    const text =
      typeof value === "boolean" ? (value ? "t" : "f") : formatValue(value, typeOfValue(value));
    return text === "" || /[\s(),"\\]/.test(text) ? `"${text.replace(/["\\]/g, "$&$&")}"` : text;
  });
  return `(${items.join(",")})`;
}

function typeOfValue(value: SqlValue): SqlType {
  return typeof value === "number" && !Number.isInteger(value) ? "float8" : "text";
}

/** The items of an array as text, undefined when it is none: `{1,NULL,"a b",{2}}`. */
export function parseArrayText(text: string): readonly ArrayItem[] | undefined {
  const reader = { text: text.trim(), at: 0 };
  const items = arrayItems(reader);
  return reader.at === reader.text.length ? items : undefined;
}

export type ArrayItem = string | null | readonly ArrayItem[];

function arrayItems(reader: {
  readonly text: string;
  at: number;
}): readonly ArrayItem[] | undefined {
  const { text } = reader;
  if (text[reader.at] !== "{") return undefined;
  reader.at++;
  const items: ArrayItem[] = [];
  if (text[reader.at] === "}") {
    reader.at++;
    return items;
  }
  for (;;) {
    while (text[reader.at] === " ") reader.at++;
    const item = arrayItem(reader);
    if (item === undefined) return undefined;
    items.push(item);
    while (text[reader.at] === " ") reader.at++;
    const next = text[reader.at++];
    if (next === "}") return items;
    if (next !== ",") return undefined;
  }
}

function arrayItem(reader: { readonly text: string; at: number }): ArrayItem | undefined {
  const { text } = reader;
  if (text[reader.at] === "{") return arrayItems(reader);
  const pattern = text[reader.at] === '"' ? /"((?:[^"\\]|\\.)*)"/sy : /([^,{}"]+)/y;
  pattern.lastIndex = reader.at;
  const found = pattern.exec(text);
  if (found === null) return undefined;
  reader.at += found[0].length;
  const content = found[1] ?? "";
  if (found[0].startsWith('"')) return content.replace(/\\(.)/gs, "$1");
  return content.trim().toLowerCase() === "null" ? null : content.trim();
}

// JSON as texts: the form that PostgreSQL's jsonb and MySQL's JSON give back, and what paths into it find.

import {
  canonicalDecimal,
  compareDecimals,
  parseDecimal,
  toDecimal,
  type Decimal,
} from "./decimal";
import { compareTexts } from "./text";

/** Data of JSON, with numbers as they were written. */
export type Json =
  | null
  | boolean
  | string
  | { readonly number: string }
  | readonly Json[]
  | ReadonlyMap<string, Json>;

/** The text as jsonb shows it: keys by length and then by bytes, the last of two equal ones; undefined if it is none. */
export function canonicalJson(text: string): string | undefined {
  const read = parseJson(text);
  return read === undefined ? undefined : formatJson(read);
}

/** Reads a text, keeping the digits of numbers. Undefined when it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return lift(JSON.parse(quoteNumbers(text)));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Numbers become strings with a mark, so that their digits stay. */
const MARK = "\u0001";

function quoteNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (found) =>
    found.startsWith('"') ? found : /^-?0\d/.test(found) ? found : `"\\u0001${found}"`,
  );
}

function lift(value: unknown): Json {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    return value.startsWith(MARK) ? { number: value.slice(1) } : value;
  }
  if (Array.isArray(value)) return value.map(lift);
  if (typeof value === "object") {
    return new Map(Object.entries(value).map(([key, inner]) => [key, lift(inner)]));
  }
  return null;
}

export function isJsonNumber(value: Json): value is { readonly number: string } {
  return typeof value === "object" && value !== null && "number" in value;
}

export function isJsonMap(value: Json): value is ReadonlyMap<string, Json> {
  return value instanceof Map;
}

export function isJsonList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function formatJson(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (isJsonNumber(value)) return value.number;
  if (isJsonList(value)) return `[${value.map(formatJson).join(", ")}]`;
  if (!isJsonMap(value)) return "null";
  return `{${sortedFields(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${formatJson(inner)}`)
    .join(", ")}}`;
}

/** Keys by length and then by bytes. */
function sortedFields(value: ReadonlyMap<string, Json>): readonly (readonly [string, Json])[] {
  return [...value].sort(([left], [right]) =>
    left.length !== right.length ? left.length - right.length : left < right ? -1 : 1,
  );
}

/** One step into JSON: a key of an object, or a position of a list, negative ones from its end. */
export function jsonStep(value: Json, step: string | number): Json | undefined {
  if (isJsonList(value)) {
    const at = Number(step);
    return Number.isInteger(at) ? value.at(at) : undefined;
  }
  return isJsonMap(value) && typeof step === "string" ? value.get(step) : undefined;
}

/** `->>`: strings without quotes, null as undefined. */
export function jsonText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : formatJson(value);
}

/** The steps of MySQL's `$.a.b[0]."c d"`; undefined for wildcards and what else is not a plain path. */
export function mysqlPath(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const steps: (string | number)[] = [];
  const pattern = /\.(?:"((?:[^"\\]|\\.)*)"|([A-Za-z_$][\w$]*))|\[(\d+)\]/y;
  for (pattern.lastIndex = 1; pattern.lastIndex < path.length;) {
    const found = pattern.exec(path);
    if (found === null) return undefined;
    const [, quoted, plain, index] = found;
    steps.push(index === undefined ? (quoted ?? plain ?? "") : Number(index));
  }
  return steps;
}

/** True if the left document contains the right one, as `@>` has it. */
export function jsonContains(left: Json, right: Json): boolean {
  if (isJsonMap(left) && isJsonMap(right)) {
    return [...right].every(([key, inner]) => {
      const own = left.get(key);
      return own !== undefined && jsonContains(own, inner);
    });
  }
  if (isJsonList(left) && isJsonList(right)) {
    return right.every((inner) => left.some((own) => jsonContains(own, inner)));
  }
  if (isJsonList(left) && !isJsonMap(right)) return left.some((own) => jsonContains(own, right));
  return formatJson(left) === formatJson(right);
}

/** The kinds of documents in their order. */
function rankOf(value: Json): number {
  if (value === null) return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 3;
  if (isJsonNumber(value)) return 2;
  return isJsonList(value) ? 4 : 5;
}

/**
 * The order of documents, as jsonb has it: by kind, numbers by value, lists and objects by their size and then by what is
 * in them.
 */
export function compareJson(left: Json, right: Json): number {
  const kinds = rankOf(left) - rankOf(right);
  if (kinds !== 0) return kinds;
  if (typeof left === "string" && typeof right === "string") return compareTexts(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (isJsonList(left) && isJsonList(right))
    return left.length - right.length || compareLists(left, right);
  if (isJsonMap(left) && isJsonMap(right))
    return left.size - right.size || compareLists(fieldsOf(left), fieldsOf(right));
  if (left !== null && right !== null && isJsonNumber(left) && isJsonNumber(right))
    return compareDecimals(numberOf(left), numberOf(right));
  return 0;
}

function compareLists(left: readonly Json[], right: readonly Json[]): number {
  for (const [at, each] of left.entries()) {
    const order = compareJson(each, right[at] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

/** Keys and values in turn. */
function fieldsOf(value: ReadonlyMap<string, Json>): readonly Json[] {
  return sortedFields(value).flat();
}

function numberOf({ number }: { readonly number: string }): Decimal {
  return parseDecimal(number) ?? toDecimal(0);
}

/** A text that two documents share exactly when they are equal: 1 and 1.0 are. */
export function jsonIdentity(value: Json): string {
  if (isJsonList(value)) return `[${value.map(jsonIdentity).join()}]`;
  if (value !== null && isJsonNumber(value)) return canonicalDecimal(numberOf(value));
  if (!isJsonMap(value)) return JSON.stringify(value);
  const fields = sortedFields(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${jsonIdentity(inner)}`,
  );
  return `{${fields.join()}}`;
}

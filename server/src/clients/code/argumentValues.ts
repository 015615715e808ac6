// Values from users' code as plain values: texts, records, results and errors.
import type { Value } from "../../exploration/client";
import type { ResultValue } from "../assertionValues";
import { FROM_DATABASE } from "./connection";

/** A text, or the texts of a list. */
export function textsOf(given: unknown): readonly string[] {
  if (typeof given === "string") return [given];
  return Array.isArray(given)
    ? (given as unknown[]).filter((each) => typeof each === "string")
    : [];
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** A returned value as JSON; dates and large numbers as texts. */
export function plainValue(value: unknown): Value {
  return resultValue(value);
}

export function resultValue(value: unknown): ResultValue {
  if (value === undefined || value === null) return null;
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return value.toString();
    case "object":
      if (value instanceof Date) return value.toISOString();
      if (Array.isArray(value)) return (value as unknown[]).map(resultValue);
      return Object.fromEntries(
        Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
          typeof each === "function" || each === undefined ? [] : [[name, resultValue(each)]],
        ),
      );
    default:
      return null;
  }
}

export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error as Error & { readonly code?: unknown };
  const fromDatabase = FROM_DATABASE in error;
  if (fromDatabase) return `${error.message} (${String(own.code)})`;
  return error.name === "Error" ? error.message : `${error.name}: ${error.message}`;
}

/** True for errors that code does not raise on purpose. */
export function isMistake(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError
  );
}

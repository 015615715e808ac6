// Values between the store's machine and the texts that a server executes: the values of variables, and which variable
// takes what a statement returned.
import type { Statement } from "../program/statement";
import { ownEntry } from "../protocol/dictionary";
import type { Value } from "../protocol/witness";
import type { Machine } from "../store/machine";
import { fromValue, toValue, type SqlValue } from "../store/value";

/** The value of a variable or argument, whatever case it is written in; undefined where there is none. */
export function variableOf({ variables, parameters }: Machine, name: string): Value | undefined {
  const value =
    ownEntry(variables, name) ??
    ownEntry(parameters, name) ??
    ownEntry(variables, name.toLowerCase());
  return value === undefined ? undefined : toValue(value);
}

/** The variable that takes what the statement returns. */
export function intoOf(statement: Statement): string | undefined {
  if (statement.kind === "select") return statement.into;
  return "returning" in statement ? statement.returning?.into : undefined;
}

/** A value as the machine takes it, whose type only its form tells. */
export function plainSqlValue(value: Value): SqlValue {
  if (typeof value === "number")
    return fromValue(value, Number.isInteger(value) ? "int" : "decimal");
  return fromValue(value, typeof value === "boolean" ? "bool" : "text");
}

// Conversion between the store's machine and texts for a server: the values of variables, and the variable that receives a statement's
// result.
import { writtenList } from "../program/arrays";
import type { Statement } from "../program/statement";
import { ownEntry } from "../protocol/dictionary";
import type { Value } from "../protocol/witness";
import type { Machine } from "../store/machine";
import { fromValue, toValue, type SqlValue } from "../store/value";

/** The value of a variable or argument, case-insensitively; undefined if there is none. */
export function variableOf(machine: Machine, name: string): Value | undefined {
  return valueOf(machine, name) ?? writtenList(name, (item) => valueOf(machine, item));
}

function valueOf({ variables, parameters }: Machine, name: string): Value | undefined {
  const value =
    ownEntry(variables, name) ??
    ownEntry(parameters, name) ??
    ownEntry(variables, name.toLowerCase());
  return value === undefined ? undefined : toValue(value);
}

/** The variable that receives the statement's result. */
export function intoOf(statement: Statement): string | undefined {
  if (statement.kind === "select") return statement.into;
  return "returning" in statement ? statement.returning?.into : undefined;
}

/** A server's value for the machine, typed by its form. */
export function plainSqlValue(value: Value): SqlValue {
  if (typeof value === "number")
    return fromValue(value, Number.isInteger(value) ? "int" : "decimal");
  return fromValue(value, typeof value === "boolean" ? "bool" : "text");
}

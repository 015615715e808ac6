// Statements that read one snapshot although each is run by itself: those of a STABLE function and the one that calls it.
import type { Statement } from "./statement";

/** True if a statement is a part of the function that gives its value to the variable, or uses that value. */
export function readsWith(statement: Statement, variable: string): boolean {
  return statement.snapshotOf === variable || mentions(statement, variable);
}

function mentions(part: unknown, variable: string): boolean {
  if (typeof part !== "object" || part === null) return false;
  if ("kind" in part && part.kind === "variable" && "name" in part) return part.name === variable;
  return Object.values(part).some((each) => mentions(each, variable));
}

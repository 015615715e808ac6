// Statements that share a snapshot although each is run separately: those of a STABLE function and its caller, and the parts
// of a statement that changes several tables.
import type { Statement } from "./statement";

/** True if a statement is part of the group of that name, or uses the variable of that name, which a function computes. */
export function readsWith(statement: Statement, variable: string): boolean {
  return statement.snapshotOf === variable || mentions(statement, variable);
}

function mentions(part: unknown, variable: string): boolean {
  if (typeof part !== "object" || part === null) return false;
  if ("kind" in part && part.kind === "variable" && "name" in part) return part.name === variable;
  return Object.values(part).some((each) => mentions(each, variable));
}
